"""A big program with much that a small one has not: an interpreter with threads, processes, plugins and databases."""
import concurrent.futures
import ctypes
import decimal
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time


def square(n):
    return n * n


def main():
    print(subprocess.run(["echo", "from a child"], capture_output=True, check=True).stdout)
    results = []
    threads = [threading.Thread(target=lambda n=n: results.append(square(n))) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sorted(results))
    with multiprocessing.Pool(3) as pool:
        print(pool.map(square, range(10)))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        print(list(pool.map(square, range(10))))
    libc = ctypes.CDLL(None)
    print(libc.abs(-3))
    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
    numbers = (ctypes.c_int * 4)(4, 2, 3, 1)
    libc.qsort(numbers, 4, 4, callback(lambda a, b: a[0] - b[0]))
    print(list(numbers), decimal.Decimal(2).sqrt(), json.dumps({"a": [1, None]}))
    left, right = socket.socketpair()
    left.sendall(b"over a socket")
    print(right.recv(100))
    signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    signal.pause()
    with tempfile.TemporaryFile() as file:
        file.write(b"x" * 100000)
        print(file.seek(0, os.SEEK_END))
    time.sleep(0.001)
    sys.exit(3)


if __name__ == "__main__":
    main()
