"""A child process and a connected socket at a checkpoint: warned about, refused, or ignored, as the job's options say.

Whatever comes of the checkpoint, the program goes on with both, and with a signal that was pending.
"""
import pathlib
import shutil
import socket
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from workplace import main  # noqa: E402


def serve_echoes():
    """Sends back what comes by each connection. Returns the port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            line, _ = listener.accept()
            threading.Thread(target=echo, args=(line,), daemon=True).start()

    def echo(line):
        with line:
            while data := line.recv(16):
                line.sendall(data)

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


NAMED = {"child": "child process ", "socket": "(socket:["}


def tell(place, options):
    port = serve_echoes()

    def expect(what, words, said, named):
        """The program says this; the job's stderr and its checkpoint name what is lost, or do not."""
        shutil.rmtree(place.ckpt, ignore_errors=True)
        done = place.ended(place.command, "run", "--ckpt-dir", "ckpt", *words, "--", options.program, what, port)
        place.check(f"{what} {words}, status", done.status == 0, done.errors)
        shown = done.errors + (place.mana("list", place.ckpt) if "durable" in done.output else "")
        found = done.output.strip(), NAMED[what] in shown
        place.check(f"{what} {words}: {said}", found == (said, named), f"{found}, and\n{shown}")

    for what, option in (("child", "--children"), ("socket", "--sockets")):
        expect(what, (), "durable, kept, signal pending", True)
        expect(what, (option, "refuse"), "given up, kept, signal pending", True)
        expect(what, (option, "ignore"), "durable, kept, signal pending", False)


if __name__ == "__main__":
    sys.exit(main(__doc__, "losses", tell, ranks=1, program="losses.c"))
