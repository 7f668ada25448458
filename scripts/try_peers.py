"""What each library for clustering several views can do, by trying it.

    python3.13 scripts/try_peers.py FOLDER [--wheel consilience.whl] [--only NAME]

Every library is installed in an environment of its own in FOLDER (kept for the next time), by the Python that runs this: first as
a user would, `pip install NAME`; when that fails, or what is installed cannot cluster, as benches/requirements-peers.txt says, and
the table says so. Every capability is tried in a process of its own, which is killed with all it started when its time is over, on made-up views whose
clusters are known. Writes experiments/facts/peers-can.csv after every library, which docs/peers.md shows; columns of libraries that
are not tried this time stay as they are.
"""

import argparse
import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRIALS = Path(__file__).resolve().parent / "peer_trials.py"
PINNED = ROOT / "benches/requirements-peers.txt"
SECONDS = {"many": 300}
# Generous: what a library compiles when it is used is part of every trial. muon's neighbours (umap, pynndescent, by numba) are
# minutes of that, and more on a machine that does other things too.
USUAL_SECONDS = 1200

# name, what pip is asked for, and whether the pinned versions help
PEERS = {
    "consilience": (["consilience", "pandas"], False),
    "mvlearn": (["mvlearn", "pandas"], True),
    "snfpy": (["snfpy", "pandas"], True),
    "imml": (["imml", "pandas"], False),
    "muon": (["muon", "leidenalg", "igraph"], False),
    "scikit-learn": (["scikit-learn", "pandas"], False),
}

# what is asked, as the table says it
CAPABILITIES = {
    "install": "`pip install` on Python {python}",
    "two": "clusters two dense views",
    "third": "uses a third view",
    "frames": "DataFrames whose rows are in different orders",
    "shuffled": "warns of views whose rows do not belong together",
    "sparse": "SciPy sparse views",
    "lost": "views that lack samples (rows of NaN)",
    "affinity": "a precomputed graph as one of the views",
    "number": "chooses the number of clusters",
    "weights_found": "weights of the views that it found, to be read",
    "weights_given": "weights of the views, to be given",
    "predict": "clusters of new samples",
    "saved": "a fit that is saved and read again",
    "report": "a report of how sure it is",
    "many": "20,000 samples in 300 s and 8 GB",
}


def run(command, seconds):
    """Exit code and the end of what was said; 124 when it took too long."""
    # a session of its own: processes that a library started would hold the pipes open after it is killed
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            said, complained = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return 124, f"not within {seconds} s"
    return process.returncode, (said if process.returncode == 0 else complained).strip()


def environment(folder, name, wheel):
    """The Python of the library's environment, and how it was installed."""
    place, note = folder / name, folder / f"{name}.installed"
    python = place / "bin/python"
    if note.exists():
        return python, note.read_text()
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
    wanted, pinned = PEERS[name]
    wanted = [str(wheel) if wheel and one == "consilience" else one for one in wanted]
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    failed, words = run([*pip, *wanted], 1800)
    answer = "yes" if not failed else "no"
    code, words_of_trial = (1, "") if failed else run([python, TRIALS, name, "two"], USUAL_SECONDS)
    if code:
        answer = "no" if failed else "yes, and then fails" if code != 124 else "yes"
        words = words if failed else words_of_trial
        if pinned:
            run([*pip, "--no-deps", "-r", PINNED], 1800)
    print(name, "installed:", answer, words[-300:] if code else "", flush=True)
    note.write_text(answer)
    return python, answer


def trial(python, name, capability):
    """What became of one trial: "yes", "no" or "wrong in silence", with a word on how."""
    code, words = run([python, TRIALS, name, capability], SECONDS.get(capability, USUAL_SECONDS))
    if code == 0:
        return words.splitlines()[-1]
    last = words.splitlines()[-1] if words else f"exit code {code}"
    print(f"  {name} {capability}: {last[:200]}", flush=True)
    return "no: too slow" if code == 124 else "no: out of memory" if "MemoryError" in last or code < 0 else "no: an error"


def version(python, name):
    code, words = run([python, "-c", f"import importlib.metadata as m; print(m.version({name!r}))"], 60)
    return words if code == 0 else "?"


def read_table(table):
    """The answers of every library that stands in the table."""
    if not table.exists():
        return {}
    with open(table, newline="") as file:
        head, *lines = csv.reader(file)
    answers = {}
    for place, title in enumerate(head[1:], start=1):
        name, version = title.split()
        found = dict(zip(CAPABILITIES, (line[place] for line in lines), strict=True))
        answers[name] = {"version": version, **found}
    return answers


def write_table(table, answers):
    names = [name for name in PEERS if name in answers]
    today = ".".join(map(str, sys.version_info[:2]))
    with open(table, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["", *(f"{name} {answers[name]['version']}" for name in names)])
        for capability, words in CAPABILITIES.items():
            writer.writerow([words.format(python=today), *(answers[name][capability] for name in names)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wheel", type=Path, help="ours, where it is not on PyPI")
    parser.add_argument("--only", choices=PEERS, help="try one library again; the others stay as they were")
    parser.add_argument("--table", type=Path, default=ROOT / "experiments/facts/peers-can.csv")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    answers = read_table(asked.table)
    for name in [asked.only] if asked.only else PEERS:
        python, installed = environment(asked.folder, name, asked.wheel)
        found = {"install": installed}
        for capability in list(CAPABILITIES)[1:]:
            begin = time.monotonic()
            found[capability] = trial(python, name, capability)
            print(f"  {name} {capability}: {found[capability]}, {time.monotonic() - begin:.0f} s", flush=True)
        answers[name] = {"version": version(python, name), **found}
        write_table(asked.table, answers)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore::FutureWarning")
    main()
