#!/usr/bin/python3
"""Runs a command on another Linux kernel: this machine's root, read-only, in a virtual machine (qemu, which emulates the processor).

    apt-get download linux-image-6.1.0-XX-amd64; dpkg-deb -x linux-image-*.deb KERNEL
    scripts/support/other_kernel.py KERNEL -- build/dev/tests/unit/image/unit_image

The command is run in the present directory, as root; /tmp, /run and /dev/shm are empty there and can be written to, as can each
--scratch DIR. Its exit status is this one's. Needs qemu-system-x86 and busybox-static.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

MODULES = ("virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "netfs", "fscache", "9pnet",
           "9pnet_virtio", "9p")          # in this order; those that a kernel does not have are built in
ENDED = re.compile(r"^the command ended with (\d+)\r?$", re.M)
INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /root
/bin/busybox mount -t proc none /proc
for module in {modules}; do /bin/busybox insmod /modules/$module.ko; done
/bin/busybox mount -t 9p -o trans=virtio,version=9p2000.L,cache=loose,msize=512000,ro root /root
cd /root
for place in tmp run {scratch}; do /bin/busybox mount -t tmpfs none ./$place; done
/bin/busybox mount -t devtmpfs none dev
/bin/busybox mkdir -p dev/shm dev/pts
/bin/busybox mount -t tmpfs none dev/shm
/bin/busybox mount -t devpts none dev/pts
/bin/busybox mount -t proc none proc
/bin/busybox mount -t sysfs none sys
/bin/busybox ifconfig lo 127.0.0.1 up
/bin/busybox hostname {host}
/bin/busybox chroot /root /bin/bash -c {command}
echo "the command ended with $?"
/bin/busybox poweroff -f
"""


def file_of(kernel, pattern):
    found = sorted(kernel.glob(pattern))
    return found[-1] if found else None


def initramfs(kernel, command, scratch, directory):
    """The path of a file that the kernel unpacks into memory and begins with."""
    root = directory / "initramfs"
    (root / "bin").mkdir(parents=True)
    (root / "modules").mkdir()
    (root / "bin" / "busybox").write_bytes(pathlib.Path("/bin/busybox").read_bytes())
    (root / "bin" / "busybox").chmod(0o755)
    present = []
    for module in MODULES:
        if path := file_of(kernel, f"lib/modules/*/kernel/**/{module}.ko"):
            (root / "modules" / f"{module}.ko").write_bytes(path.read_bytes())
            present.append(module)
    init = root / "init"
    init.write_text(INIT.format(modules=" ".join(present), scratch=" ".join(shlex.quote(str(s.resolve())[1:]) for s in scratch),
                                host=shlex.quote(os.uname().nodename), command=shlex.quote(command)))
    init.chmod(0o755)
    archive = directory / "initramfs.cpio"
    names = "\n".join(str(p.relative_to(root)) for p in [root, *sorted(root.rglob("*"))])
    with archive.open("wb") as out:
        subprocess.run(["/bin/busybox", "cpio", "-o", "-H", "newc"], cwd=root, input=names.encode(), stdout=out, check=True,
                       stderr=subprocess.DEVNULL)
    return archive


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", type=pathlib.Path, help="where a package of a kernel was extracted")
    parser.add_argument("--memory", default="4G")
    parser.add_argument("--accel", default="tcg", help="kvm is faster, where the machine is no virtual one itself")
    parser.add_argument("--scratch", type=pathlib.Path, action="append", default=[], help="a directory that is empty there")
    parser.add_argument("--seconds", type=int, default=600, help="it may take")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    image = file_of(options.kernel, "boot/vmlinuz-*")
    if image is None:
        sys.exit(f"{options.kernel}: there is no boot/vmlinuz-* in it")
    here = shlex.quote(str(pathlib.Path.cwd()))
    exported = " ".join(f"{k}={shlex.quote(v)}" for k, v in os.environ.items() if k.startswith(("MANA_", "OMPI_")) or k in ("PATH", "HOME"))
    command = f"cd {here} && exec env {exported} {shlex.join(options.command)}"
    with tempfile.TemporaryDirectory() as directory:
        archive = initramfs(options.kernel, command, options.scratch, pathlib.Path(directory))
        machine = ["qemu-system-x86_64", "-accel", options.accel, "-cpu", "max", "-smp", str(len(os.sched_getaffinity(0))),
                   "-m", options.memory, "-nodefaults", "-nographic", "-no-reboot", "-serial", "stdio", "-kernel", str(image),
                   "-initrd", str(archive), "-append", "console=ttyS0 quiet panic=-1",
                   "-virtfs", "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap"]
        said = ""
        with subprocess.Popen(["timeout", str(options.seconds), *machine], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              text=True, errors="replace") as running:
            for line in running.stdout:
                said = line if ENDED.match(line) else said
                print(line, end="", flush=True)
    ended = ENDED.match(said)
    if not ended:
        sys.exit("the command did not come to its end")
    sys.exit(int(ended[1]))


if __name__ == "__main__":
    main()
