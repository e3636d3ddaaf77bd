"""What the processes of a job are doing, for the report of a test that hangs."""
import os
import pathlib
import shutil
import subprocess

GDB_LIMIT_S = 120


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
    """Writes a file per process of `pids` into `directory`: command line, kernel's view of each thread, backtraces."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
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
