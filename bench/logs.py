"""A log of 10^7 rows, 20 actions and 5 contexts, read and added up by armature and by pandas, one after the other on the same
file, and then audited: seconds of processor time, and the most memory. `make bench-logs` runs it.

    python3 bench/logs.py ARMATURE BENCH_READ_LOG [ROWS]
"""

import os
import subprocess
import sys
import tempfile

PANDAS = """
import sys, pandas
log = pandas.read_csv(sys.argv[1], comment="#")
cells = log.groupby(["action", "context"]).reward.agg(["count", "sum"])
print(len(log), "rows,", log.action.nunique(), "actions,", log.context.nunique(), "contexts, rewards", cells["sum"].sum())
"""


def measured(name, command, fine=(0,)):
    """Processor seconds and MB at most of a program of its own."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    told = child.stdout.read().strip()
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) not in fine:
        sys.exit(f"{name} failed")
    seconds = usage.ru_utime + usage.ru_stime
    print(f"{name:20} {seconds:7.2f} s {usage.ru_maxrss / 1024:7.0f} MB   {told}", flush=True)
    return seconds


def main():
    armature, read_log = sys.argv[1:3]
    rows = sys.argv[3] if len(sys.argv) > 3 else "1e7"
    with tempfile.TemporaryDirectory() as folder:
        for name, file in [("plain", "log.csv"), ("gzip", "log.csv.gz")]:
            path = os.path.join(folder, file)
            subprocess.run([armature, "simulate", "--instance", "random-benign:actions=20,contexts=5", "--policy", "uniform",
                            "--horizon", rows, "--replications", "1", "--log", path, "--output", os.devnull, "--quiet"],
                           check=True)
            print(f"{name}: {os.path.getsize(path) / 1e6:.0f} MB")
            ours = measured("  armature", [read_log, path])
            theirs = measured("  pandas", [sys.executable, "-c", PANDAS, path])
            print(f"  pandas takes {theirs / ours:.1f} times as long")
            # Its exit status is the verdict, which may by bad luck be "rejected" (1).
            measured("  armature audit", [armature, "audit", path, "--no-advice", "--format", "json", "--output", os.devnull],
                     fine=(0, 1))
            os.remove(path)


main()
