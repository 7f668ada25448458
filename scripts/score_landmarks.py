"""What landmarks cost: NMI with every sample clustered in full, and with some of them, on sets of 2,000 samples and more.

    python3 scripts/score_landmarks.py [METHOD] > experiments/facts/landmarks.csv
        needs numpy and scikit-learn, target/release/consilience (or $CONSILIENCE), ../shared/data (or $CONSILIENCE_DATA)

The sets are in alphabetical order, and the two halves are every other one.
"""
import os
import subprocess
import sys

import numpy as np
from sklearn.metrics import normalized_mutual_info_score as nmi

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("CONSILIENCE", os.path.join(ROOT, "target/release/consilience"))
DATA = os.environ.get("CONSILIENCE_DATA", os.path.join(ROOT, "../shared/data"))
SHARES = (0.2, 0.5, 0.8)


def score(file, truth, method, landmarks):
    k = len(np.unique(truth))
    arguments = ["cluster", file, "-k", str(k), "--method", method, "--landmarks", landmarks, "-q"]
    table = subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout
    return 100 * nmi(truth, [line.split(",")[1] for line in table.splitlines()[1:]])


def main():
    method = sys.argv[1] if len(sys.argv) > 1 else "slrmf"
    rows = []
    print("set,n,all samples," + ",".join(f"{share:.0%} of them" for share in SHARES) + ",2000 of them")
    for name in sorted(os.listdir(DATA)):
        if not name.endswith(".npz"):
            continue
        file = os.path.join(DATA, name)
        truth = np.unique(np.load(file)["labels"], return_inverse=True)[1]
        n = len(truth)
        if n < 2000:
            continue
        counts = ["off", *[str(int(share * n)) for share in SHARES], "2000"]
        row = [score(file, truth, method, count) for count in counts]
        rows.append(row)
        print(f"{name[:-4]},{n}," + ",".join(f"{value:.1f}" for value in row), flush=True)
    for what, part in (("mean", rows), ("first half", rows[::2]), ("second half", rows[1::2])):
        print(f"{what},," + ",".join(f"{value:.1f}" for value in np.mean(part, 0)))


if __name__ == "__main__":
    main()
