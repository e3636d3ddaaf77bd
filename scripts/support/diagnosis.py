"""What the processes of a job are doing, for the report of a test that hangs."""
import os
import pathlib
import re
import shutil
import subprocess

GDB_LIMIT_S = 120
FRAMES = 6              # of each thread that digest() shows
DIGEST_LINES = 80       # shared equally by the processes, so that one with many threads does not hide the others
MACHINE = ("loadavg", "pressure/cpu", "pressure/io", "pressure/memory", "meminfo")


def _read(path):
    try:
        return path.read_text(errors="replace")
    except OSError as error:
        return f"({error.strerror})\n"


def _backtraces(pid):
    """Of all threads; frames of the upper half have no symbols where gdb does not know what was loaded into the window."""
    if shutil.which("gdb") is None:
        return "(gdb is not installed)\n"
    words = ["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "thread apply all bt 30",
             "-ex", "thread apply all info registers rip rsp fs_base gs_base"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=GDB_LIMIT_S, check=False,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"(gdb did not end within {GDB_LIMIT_S} s)\n"
    return done.stdout + done.stderr


def gather(pids, directory):
    """Writes a file per process of `pids` into `directory`: command line, kernel's view of each thread, backtraces. Another file
    has the load of the machine."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "machine").write_text("".join(f"== {name}\n{_read(pathlib.Path('/proc', name))}" for name in MACHINE))
    for pid in pids:
        process = pathlib.Path(f"/proc/{pid}")
        command = _read(process / "cmdline").replace("\0", " ")
        with (directory / f"process-{pid}").open("w") as out:
            out.write(f"{command}\n")
            for task in sorted(process.glob("task/*"), key=lambda t: int(t.name)):
                out.write(f"== thread {task.name}\n")
                for name in ("wchan", "syscall", "stack"):
                    out.write(f"-- {name}\n{_read(task / name)}\n")
            for name in ("status", "maps"):
                out.write(f"== {name}\n{_read(process / name)}")
            if "mana-lower" in os.path.realpath(process / "exe"):
                out.write(f"== gdb\n{_backtraces(pid)}")


def digest(directory):
    """The few lines of what gather() wrote that fit into a test's output: the innermost frames of each thread, the pressure."""
    pressure = [line for line in _read(pathlib.Path(directory) / "machine").splitlines() if line.startswith(("==", "some", "full"))]
    lines = [" ".join(pressure)]
    files = sorted(pathlib.Path(directory).glob("process-*"))
    for file in files:
        text = _read(file)
        frames = re.findall(rf"^(?:Thread \d+ |#[0-{FRAMES - 1}] ).*", text, re.MULTILINE)
        lines.append(f"{file.name}: {text.partition(chr(10))[0][:200]}")
        lines += [frame[:160] for frame in frames[:DIGEST_LINES // len(files)]]
    return "\n".join(lines)
