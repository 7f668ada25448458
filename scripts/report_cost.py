"""What a report costs beside its run: seconds of processor and memory of `cluster -o` and of `report` on the same folder.

    scripts/report_cost.py CONSILIENCE DATA [SET..] > experiments/facts/report-cost.csv

CONSILIENCE is the program, DATA a folder with the sets; larger data are synthesised. All of them, or those that are named. A report may take three times what the run
took and 5 s, and twice its memory. Linux: memory in KB by `wait4`. Standard library only.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

METHODS = ("slrmf", "kmeans")
SETS = {
    "100leaves": 100,
    "3sources": 6,
    "aloi10": 10,
    "awa50_5view": 50,
    "bbcsport_2view": 5,
    "bdgp": 5,
    "breast_tcga150": 3,
    "cora": 7,
    "hdigit10000": 10,
    "hw2sources": 10,
    "landuse21": 21,
    "mfeat": 10,
    "movies617": 17,
    "msrcv1_6view": 7,
    "ngs": 5,
    "pie_face_10": 68,
    "reuters_1200": 6,
    "voc2012_single": 20,
    "wikipedia": 10,
}
SYNTHESISED = ((20_000, 20), (100_000, 20))


def measured(*line):
    child = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{line} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    program, data, named = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    print("run,cluster s,report s,allowed s,cluster MB,report MB", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        sets = {name: k for name, k in SETS.items() if not named or name in named}
        cases = [(f"{name} {method}", [data / f"{name}.npz"], k, method) for name, k in sets.items() for method in METHODS]
        for n, k in SYNTHESISED:
            if named and str(n) not in named:
                continue
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
