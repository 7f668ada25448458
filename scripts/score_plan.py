"""What `cluster --plan` foresees, beside what runs take: experiments/facts/plan.csv.

    python3 scripts/score_plan.py PROGRAM FOLDER [--most 1000000]

PROGRAM is a release build; data sets are made in FOLDER. Time is that of the processor, which other work on the machine changes less
than that of the clock.
"""

import argparse
import csv
import json
import pathlib
import resource
import subprocess

SIZES = [5_000, 20_000, 45_000, 100_000, 1_000_000]
WAYS = {"exact": "all compared", "landmarks": "landmarks"}


def made(program, folder, n):
    place = folder / f"n{n}"
    if not place.exists():
        subprocess.run([program, "synthesize", place, "-n", str(n), "-q"], check=True)
    return sorted(place.glob("view*.npy"))


def measured(program, files):
    """Processor seconds and gigabytes of a run."""
    command = [program, "cluster", *files, "-k", "20", "--json", "-q"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    record = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, record["peak_rss_mb"] / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--most", type=int, default=1_000_000, help="larger runs are left out")
    parser.add_argument("--to", type=pathlib.Path, default=pathlib.Path("experiments/facts/plan.csv"))
    options = parser.parse_args()
    rows = []
    for n in SIZES:
        if n > options.most:
            continue
        files = made(options.program, options.folder, n)
        command = [options.program, "cluster", *files, "-k", "20", "--plan", "--json", "-q"]
        plan = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        seconds, memory = measured(options.program, files)
        way, foreseen = WAYS[plan["way"]], plan["processor_seconds"]
        rows.append([n, way, f"{foreseen:.0f}", f"{seconds:.0f}", f"{plan['memory'] / 1e9:.2f}", f"{memory:.2f}"])
        print(*rows[-1], flush=True)
    with options.to.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["n", "how", "processor seconds foreseen", "taken", "GB foreseen", "GB taken"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
