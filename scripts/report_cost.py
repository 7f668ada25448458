"""What a report costs beside its run: seconds of processor and memory of `cluster -o` and of `report` on the same folder.

    scripts/report_cost.py CONSILIENCE DATA > experiments/facts/report-cost.csv

CONSILIENCE is the program, DATA a folder with the sets; larger data are synthesised. A report may take three times what the run
took and 5 s, and twice its memory. Linux: memory in KB by `wait4`. Standard library only.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SETS = (("3sources", 6, "slrmf"), ("3sources", 6, "kmeans"), ("mfeat", 10, "slrmf"), ("hdigit10000", 10, "slrmf"))
SYNTHESISED = ((20_000, 20), (100_000, 20))


def measured(*line):
    child = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{line} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    program, data = sys.argv[1], Path(sys.argv[2])
    print("run,cluster s,report s,allowed s,cluster MB,report MB", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        cases = [(f"{name} {method}", [data / f"{name}.npz"], k, method) for name, k, method in SETS]
        for n, k in SYNTHESISED:
            made = Path(folder) / f"n{n}"
            subprocess.run([program, "synthesize", made, "-n", str(n)], check=True, stderr=subprocess.DEVNULL)
            cases.append((f"{n} samples slrmf", sorted(made.glob("view*.npy")), k, "slrmf"))
        for place, (name, files, k, method) in enumerate(cases):
            out = Path(folder) / f"run{place}"
            run, run_memory = measured(program, "cluster", *files, "-k", str(k), "--method", method, "-o", out)
            report, report_memory = measured(program, "report", out)
            numbers = [f"{run:.1f}", f"{report:.1f}", f"{3 * run + 5:.1f}", f"{run_memory:.0f}", f"{report_memory:.0f}"]
            print(",".join([name, *numbers]), flush=True)


if __name__ == "__main__":
    main()
