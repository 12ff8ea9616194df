#!/usr/bin/env python3
# Measures how the work of a simulation grows with devices, entities, clients and duration.
#
#   Documentation/Profiling/Scaling/measure.py .build/release/tidemark [AXIS ...]
#
# The scenario file-browser with one figure changed at a time, `lru` alone, one seed; its users pause for
# longer, so that 30 days stay below the limit of actions. Work is processor seconds, since few virtual
# machines count instructions: the least of three runs, or one run if that takes longer than ten. Exponents
# are slopes of log work over log size: of the last two sizes, and of all. A run is ended after 300 processor
# seconds; that, and a refusal, is printed.
import csv
import io
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

axes = {
    "devices": ("count: 2 devices", "count: {}", [2, 10, 100, 1_000]),
    "entities": ("  use: files", "  use: files\n  entities: {{file: {{count: {}}}}}", [10**3, 10**4, 10**5, 10**6]),
    "clients": ("clients: 2 clients", "clients: {}", [1, 10, 100]),
    "hours": ("duration: 200 min", "duration: {} h", [1, 24, 7 * 24, 30 * 24]),
}
root = pathlib.Path(__file__).resolve().parents[3]


def replaced(text, what, other):
    """The line that begins with `what` says `other`."""
    lines = text.splitlines()
    places = [index for index, line in enumerate(lines) if what in line]
    if len(places) != 1:
        sys.exit(f"measure.py: `{what}` must stand in one line of file-browser.yaml, and stands in {len(places)}")
    lines[places[0]] = lines[places[0]].split(what)[0] + other
    return "\n".join(lines) + "\n"


def run(command):
    """Processor seconds, peak memory in MB and the figures of one run, or a line that says why there are none."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (300, 300))
        process = subprocess.Popen(command, cwd=root, stdout=output, stderr=errors, preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode < 0:
            return f"ended by signal {-process.returncode} after {usage.ru_utime + usage.ru_stime:.0f} s"
        if process.returncode:
            return errors.read().decode().strip()
        rows = csv.DictReader(io.TextIOWrapper(output))
        figures = {(row["class"], row["metric"]): row["value"] for row in rows}
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1_000, figures


def slope(points):
    """Least squares of the logarithms."""
    x, y = ([math.log(value) for value in values] for values in zip(*points))
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(axes):
    sys.exit(f"measure.py: name the executable, as .build/release/tidemark, and then any of {', '.join(axes)}")
tool = pathlib.Path(sys.argv[1]).resolve()
base = (root / "Scenarios/file-browser.yaml").read_text()
base = replaced(replaced(base, "think: 3 s", "think: 6 s"), "redraw: 20 s", "redraw: 1 min")
with tempfile.TemporaryDirectory() as folder:
    scenario = pathlib.Path(folder) / "scaling.yaml"
    command = [tool, "simulate", scenario, "--policies", "lru", "--no-robustness", "--format", "csv"]
    for axis in sys.argv[2:] or axes:
        what, other, sizes = axes[axis]
        print(f"{axis:>10}   seconds       MB        reads       events", flush=True)
        points = []
        for size in sizes:
            scenario.write_text(replaced(base, what, other.format(size)))
            results = [run(command)]
            while not isinstance(results[-1], str) and results[0][0] < 10 and len(results) < 3:
                results.append(run(command))
            if isinstance(results[-1], str):
                print(f"{size:>10,}   {results[-1]}", flush=True)
                continue
            seconds, memory, figures = min(results, key=lambda result: result[0])
            reads, events = (float(figures[key]) for key in (("all", "reads"), ("total", "events_applied")))
            print(f"{size:>10,} {seconds:>9.2f} {memory:>8.0f} {reads:>12,.0f} {events:>12,.0f}", flush=True)
            points.append((size, seconds))
        if len(points) > 1:
            print(f"exponent: {slope(points[-2:]):.2f} between the last two, {slope(points):.2f} over all\n", flush=True)
