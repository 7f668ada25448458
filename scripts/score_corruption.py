"""How far off is the share of replaced entries that is said? On real sets of which a known share was replaced.

    scripts/score_corruption.py CONSILIENCE DATA > experiments/facts/corruption.csv

CONSILIENCE is the program, DATA a folder with the sets. `said` is what `run.json` has as the view's share, `low` and `high` its
range; views that the program did not call corrupted are left out and counted on stderr. Standard library only.
"""

import json
import subprocess
import sys
from pathlib import Path

SETS = {"100leaves": 100, "breast_tcga150": 4, "msrcv1_6view": 7, "aloi10": 10, "mfeat": 10}
SHARES = (0.1, 0.2, 0.4)


def found(program, file, k, share):
    line = [program, "cluster", file, "-k", str(k), "--corrupt", str(share), "--json", "--quiet"]
    return json.loads(subprocess.run(line, check=True, capture_output=True).stdout)["findings"]["corruption"]


def main():
    program, data = sys.argv[1], Path(sys.argv[2])
    rows, silent = [], 0
    for name, k in SETS.items():
        for share in SHARES:
            for view in found(program, data / f"{name}.npz", k, share):
                if "range" in view:
                    rows.append((name, view["view"], share, view["share"], *view["range"]))
                else:
                    silent += 1
    print("set,view,true,said,low,high")
    for name, view, true, *numbers in rows:
        print(",".join([name, view, f"{true}", *(f"{number:.3f}" for number in numbers)]), flush=True)
    errors = sorted(said - true for _, _, true, said, _, _ in rows)
    within = sum(low <= true <= high for _, _, true, _, low, high in rows)
    print(f"mean error,,,{sum(errors) / len(errors):.3f},,")
    print(f"median error,,,{errors[len(errors) // 2]:.3f},,")
    print(f"within the range,,,{within / len(rows):.3f},,")
    print(f"{len(rows)} views were called corrupted, {silent} were not", file=sys.stderr)


if __name__ == "__main__":
    main()
