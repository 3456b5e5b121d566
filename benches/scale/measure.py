"""The seconds and the memory of a process, and files without their cache."""

import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

# How often the memory of a process is looked at, in seconds.
INTERVAL = 0.01


@dataclasses.dataclass
class Measured:
    """What a process took: seconds of the clock and of CPU, and bytes of memory."""

    seconds: float
    cpu_seconds: float
    peak: int
    anonymous_peak: int
    output: str

    def figures(self):
        return {
            "seconds": round(self.seconds, 4),
            "cpu_seconds": round(self.cpu_seconds, 4),
            "peak_bytes": self.peak,
            "anonymous_peak_bytes": self.anonymous_peak,
        }


def run(command, folder, environment):
    """Runs a command to its end; its CPU seconds include those of the processes that it waits for."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        child = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        sampler = Sampler(child.pid)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begin
        sampler.end()
        child.returncode = os.waitstatus_to_exitcode(status)
        # 1 is that nothing was found.
        if child.returncode not in (0, 1):
            errors.seek(0)
            sys.exit(f"{command} ended with {child.returncode}: {errors.read().decode(errors='replace')}")
        output.seek(0)
        text = output.read().decode(errors="replace")
    return Measured(seconds, usage.ru_utime + usage.ru_stime, sampler.peak, sampler.anonymous_peak, text)


class Sampler:
    """Looks at the memory of a process while it runs."""

    def __init__(self, pid):
        self.pid, self.peak, self.anonymous_peak = pid, 0, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.sample)
        self.thread.start()

    def sample(self):
        while not self.ended.wait(INTERVAL):
            peak, anonymous = memory_of(self.pid)
            self.peak, self.anonymous_peak = max(self.peak, peak), max(self.anonymous_peak, anonymous)

    def end(self):
        self.ended.set()
        self.thread.join()


def memory_of(pid):
    """The peak of the resident memory of a process, and what of it now is in no file, in bytes."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0, 0
    # Neither is there when the process has ended and nobody has waited for it yet.
    fields = dict(re.findall(r"^(VmHWM|RssAnon):\s+(\d+) kB", status, re.M))
    return int(fields.get("VmHWM", 0)) * 1024, int(fields.get("RssAnon", 0)) * 1024


def files_below(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def size_of(folder):
    return sum(path.stat().st_size for path in files_below(folder))


def drop_cache(folder):
    """Has the system forget what it has read of the files of a folder. It needs no rights."""
    for path in files_below(folder):
        with open(path, "rb") as file:
            os.fdatasync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def percentile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
