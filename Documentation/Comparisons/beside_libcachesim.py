#!/usr/bin/env python3
"""Tidemark beside libCacheSim on one generated trace, in one run.

    pip install numpy libcachesim
    python3 beside_libcachesim.py --tidemark .build/release/tidemark [--cachesim PATH] [--dist-util PATH]

`cachesim` and `distUtil` are built from libCacheSim's repository; without them the comparison of
whole commands, of a sweep and of the exact curve is left out. Both programs read the same file
(oracleGeneral, 24 bytes a request) and take turns; of all turns the least counts.
"""

import argparse
import csv
import io
import os
import resource
import subprocess
import tempfile
import time

import libcachesim as lcs
import numpy as np

POLICIES = {
    "lru": (lcs.LRU, "lru"), "fifo": (lcs.FIFO, "fifo"), "sieve": (lcs.Sieve, "sieve"),
    "s3-fifo": (lcs.S3FIFO, "s3fifo"), "arc": (lcs.ARC, "arc"), "lfu": (lcs.LFU, "lfu"),
    "w-tinylfu": (lcs.WTinyLFU, None), "clairvoyant": (lcs.Belady, None),
    "clock": (None, "clock"), "two-queue": (None, "twoq"),
}
SWEEP = [name for name, (_, known) in POLICIES.items() if known]


def write_trace(path, requests, keys, seed):
    """Independent requests by Zipf's law of exponent 1, with the instant of each next use."""
    weights = np.cumsum(1.0 / np.arange(1, keys + 1))
    draws = np.random.default_rng(seed).random(requests) * weights[-1]
    # Numbers say nothing about popularity.
    names = np.random.default_rng(seed + 1).permutation(keys)
    ids = names[np.searchsorted(weights, draws)]
    order = np.argsort(ids, kind="stable")
    same = ids[order][:-1] == ids[order][1:]
    following = np.full(requests, -1, dtype=np.int64)
    following[order[:-1][same]] = order[1:][same]
    records = np.zeros(
        requests, dtype=[("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")])
    records["time"] = np.arange(requests) // 1000
    records["id"], records["size"], records["next"] = ids + 1, 1, following
    records.tofile(path)
    return len(np.unique(ids))


def command(arguments, folder):
    """Processor seconds and wall seconds of a command, and what it printed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    printed = subprocess.run(
        arguments, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        cwd=folder).stdout.decode()
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, printed


def rates(options, trace, policy, capacity):
    """Requests per second of the loop and of what is beside it, and the miss ratio of the loop."""
    _, _, printed = command([
        options.tidemark, "trace", "bench", trace, "--trace-format", "oracle-general", "--policies",
        policy, "--capacities", str(capacity), "--repetitions", "2", "--format", "csv"],
        os.path.dirname(trace))
    rows = {row["policy"]: row for row in csv.DictReader(io.StringIO(printed))}
    rate = {name: float(row["requests_per_second"]) for name, row in rows.items()}
    return rate, float(rows[policy]["miss_ratio"])


def theirs(trace, policy, capacity, requests):
    reader = lcs.TraceReader(
        trace=trace, trace_type=lcs.TraceType.ORACLE_GENERAL_TRACE,
        reader_init_params=lcs.ReaderInitParam(ignore_obj_size=True))
    cache = POLICIES[policy][0](cache_size=capacity)
    start = time.process_time()
    missed, _ = cache.process_trace(reader)
    return requests / (time.process_time() - start), missed


def compare_loops(options, trace, keys):
    print("policy,capacity,miss_ratio,libcachesim_miss_ratio,requests_per_second,"
          "libcachesim_requests_per_second,ratio,ratio_with_numbering")
    for policy in [name for name, (known, _) in POLICIES.items() if known]:
        for share in (0.001, 0.01, 0.1):
            capacity = int(keys * share)
            mine, other = [], []
            for _ in range(options.turns):
                mine.append(rates(options, trace, policy, capacity))
                other.append(theirs(trace, policy, capacity, options.requests))
            loop, numbering = (
                max(rate[name] for rate, _ in mine) for name in (policy, "(file to numbers)"))
            rate = max(o[0] for o in other)
            whole = 1 / (1 / loop + 1 / numbering)
            print(f"{policy},{capacity},{mine[0][1]:.4f},{other[0][1]:.4f},{loop:.0f},{rate:.0f},"
                  f"{loop / rate:.1f},{whole / rate:.1f}", flush=True)


def compare_commands(options, trace, keys, folder):
    capacities = [max(1, int(keys * share)) for share in
                  (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)]
    replay = [options.tidemark, "trace", "replay", trace, "--trace-format", "oracle-general"]
    pairs = []
    if options.cachesim:
        def simulate(policies, sizes):
            return [options.cachesim, trace, "oracleGeneral", ",".join(policies),
                    ",".join(map(str, sizes)), "--ignore-obj-size=1",
                    f"--num-thread={os.cpu_count()}", "-o", folder + "/cachesim.txt"]

        def mine(policies, sizes):
            return replay + ["--policies", ",".join(policies), "--capacities",
                             ",".join(map(str, sizes)), "--output", folder + "/replay.txt"]
        for policy in SWEEP[:5]:
            pairs.append((f"whole command: {policy}", mine([policy], capacities[3:4]),
                          simulate([POLICIES[policy][1]], capacities[3:4])))
        pairs.append((f"sweep: {len(SWEEP)} policies x {len(capacities)} capacities",
                      mine(SWEEP, capacities),
                      simulate([POLICIES[name][1] for name in SWEEP], capacities)))
    if options.dist_util:
        pairs.append(("exact lru curve",
                      [options.tidemark, "trace", "curve", trace, "--trace-format", "oracle-general",
                       "--all", "--format", "csv", "--output", folder + "/curve.csv"],
                      [options.dist_util, trace, "oracleGeneral", "stack_dist", "cntTxt",
                       folder + "/distances"]))
    print("\nwhat,seconds,libcachesim_seconds,ratio,wall_seconds,libcachesim_wall_seconds,"
          "wall_ratio")
    for what, mine, other in pairs:
        # A sweep is long, and an average of many replays by itself.
        turns = 1 if what.startswith("sweep") else options.turns
        results = [(command(mine, folder), command(other, folder)) for _ in range(turns)]
        (a, b), (c, d) = ([min(r[side][unit] for r in results) for unit in (0, 1)]
                          for side in (0, 1))
        print(f"{what},{a:.2f},{c:.2f},{c / a:.1f},{b:.2f},{d:.2f},{d / b:.1f}", flush=True)
        if what == "exact lru curve":
            rate, _ = rates(options, trace, "fifo", 1)
            a = options.requests / rate["(exact lru curve)"]
            print(f"exact lru curve once numbered,{a:.2f},{c:.2f},{c / a:.1f},,,", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tidemark", required=True)
    parser.add_argument("--cachesim")
    parser.add_argument("--dist-util")
    parser.add_argument("--requests", type=int, default=20_000_000)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    for name in ("tidemark", "cachesim", "dist_util"):
        if getattr(options, name):
            setattr(options, name, os.path.abspath(getattr(options, name)))
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.oracleGeneral.bin")
        keys = write_trace(trace, options.requests, options.keys, options.seed)
        compare_loops(options, trace, keys)
        if options.cachesim or options.dist_util:
            compare_commands(options, trace, keys, folder)


if __name__ == "__main__":
    main()
