"""The table of docs/paper-notes.md: the paper's iteration on the digits, through the release binary.

    cargo build --release && python3 scripts/score_variants.py

Needs numpy (for the digits as a file). Prints ACC / NMI for fou, fac; fac, fou; and fou, fac with 20 % of the entries
replaced.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROWS = [("printed", {"max_iterations": passes}) for passes in (1, 10, 30, 60, 100, 200)] + [
    ("printed", {"start": "anchors", "max_iterations": 30}), ("derived", {}), ("derived", {"start": "anchors"}),
    ("derived", {"robust": "never"}), ("derived", {"lambda2": 0}), ("derived", {"beta": 0}), ("derived", {"beta": 2}),
    ("derived", {"mu0": 1e-4}), ("derived", {"mu0": 1e-2}),
]
COLUMNS = [("fou,fac", []), ("fac,fou", []), ("fou,fac", ["--corrupt", "0.2"])]


def score(file, variant, settings, views, more):
    command = [ROOT / "target/release/consilience", "cluster", file, "-k", 10, "--json", "--scale", "zscore", "--views", views]
    command += ["--method", "slrmf", "--set", f"variant={variant}", *more]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    scores = json.loads(done.stdout)["scores"]
    return f"{100 * scores['acc']:.1f} / {100 * scores['nmi']:.1f}"


with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "digits.npz"
    subprocess.run([sys.executable, ROOT / "scripts/unpack_digits.py", file], check=True)
    print("| | fou, fac | fac, fou | fou, fac noisy |\n|---|---|---|---|")
    for variant, settings in ROWS:
        cells = [score(file, variant, settings, views, more) for views, more in COLUMNS]
        name = ", ".join([f"`{variant}`", *(f"{key} = {value}" for key, value in settings.items())])
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
