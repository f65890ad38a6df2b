"""The same cells by armature.simulate and by the command, in turns: processor seconds, the least of several each.

    PYTHONPATH=build/release/python python3 bench/python_simulate.py build/release/bin/armature [TURNS]

Their numbers are compared too. What Python itself takes to start is not counted, what the command takes is: some
milliseconds of the seconds measured.
"""

import json
import os
import subprocess
import sys
import time

import armature

CELLS = [
    ("ucb, sentry", "bilodeau-confounded:actions=20", ["ucb", "sentry"], "1e5", "60", "step"),
    ("ts, late", "hidden-arm:actions=20", ["ts"], "2e4", "40", "step"),
    ("ucb, leapt", "pareto-benign:actions=20,gap=0.1", ["ucb"], "1e12", "8", "leap"),
]


def by_command(command, instance, policies, horizon, replications, engine, delay):
    named = [part for policy in policies for part in ("--policy", policy)]
    child = subprocess.Popen(
        [command, "simulate", "--instance", instance, *named, "--horizon", horizon, "--replications", replications,
         "--engine", engine, "--delay", delay, "--threads", "1", "--format", "json", "--quiet", "--yes"],
        stdout=subprocess.PIPE, text=True)
    told = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit("the command failed")
    return usage.ru_utime + usage.ru_stime, told


def by_module(instance, policies, horizon, replications, engine, delay):
    start = time.process_time()
    result = armature.simulate(instance, policies, float(horizon), float(replications), engine=engine, delay=delay,
                               threads=1)
    return time.process_time() - start, result.to_json()


def means(told):
    return [result["mean_regret"] for result in json.loads(told)["results"]]


def main():
    command, turns = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    for name, *cell in CELLS:
        delay = "10" if "late" in name else "none"
        theirs, ours = [], []
        for _ in range(turns):
            seconds, told = by_command(command, *cell, delay)
            theirs.append(seconds)
            seconds, same = by_module(*cell, delay)
            ours.append(seconds)
            if means(told) != means(same):
                sys.exit(f"{name}: other numbers")
        print(f"{name:14} command {min(theirs):6.3f} s, simulate() {min(ours):6.3f} s: "
              f"{min(ours) / min(theirs):.3f} times as long", flush=True)


main()
