"""Progress of a fit on stderr: one bar that only moves forward in notebooks, one line that is rewritten in terminals, a line
per stage in log files."""

from __future__ import annotations

import sys
import time
from typing import Any

# the part of the whole that is done when a stage begins, and when it ends, by rule of thumb
_STAGES = {
    "scaling": (0.0, 0.05),
    "choosing k": (0.05, 0.5),
    "neighbours": (0.05, 0.5),
    "solving": (0.5, 0.95),
    "assigning": (0.95, 1.0),
    # comes after a fit that is made again
    "examining": (0.0, 1.0),
}


class Progress:
    """Called by Rust a few times a second with the stage and how far it is."""

    def __init__(self, method: str) -> None:
        self._method = method
        self._started = time.monotonic()
        self._stage = ""
        self._told: set[str] = set()
        self._share = 0.0
        self._width = 0
        self._bar = _notebook_bar(method)

    def __call__(self, stage: str, done: int, total: int) -> None:
        begin, end = _STAGES.get(stage, (self._share, self._share))
        if stage == "examining" and self._stage != stage:
            self._share = 0.0
        # methods come back to earlier stages, and a bar that goes back tells nothing
        self._share = max(self._share, begin + (end - begin) * min(1.0, done / total if total > 0 else 0.0))
        if self._bar is not None:
            self._bar.set_description(f"{self._method}: {stage}", refresh=False)
            self._bar.n = round(100 * self._share)
            self._bar.refresh()
        elif _is_terminal():
            self._rewrite(f"{self._method}: {stage}, {100 * self._share:.0f} %, {time.monotonic() - self._started:.1f} s")
        elif stage not in self._told:
            self._told.add(stage)
            print(f"{self._method}: {stage}", file=sys.stderr, flush=True)
        self._stage = stage

    def finish(self, words: str) -> None:
        """Puts `words` in the place of the progress; nothing when there are none."""
        if self._bar is not None:
            self._bar.n = 100 if words else self._bar.n
            self._bar.refresh()
            self._bar.close()
        if self._width:
            self._rewrite(words)
            sys.stderr.write("\n" if words else "\r")
            sys.stderr.flush()
        elif words:
            print(words, file=sys.stderr, flush=True)

    def _rewrite(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = max(self._width, len(line))


def _is_terminal() -> bool:
    return bool(getattr(sys.stderr, "isatty", bool)())


def _notebook_bar(method: str) -> Any:
    """A bar of tqdm's in a notebook, which shows every rewritten line as an output of its own; None elsewhere, or without
    tqdm: then there is a line per stage."""
    if not type(sys.stderr).__module__.startswith("ipykernel"):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=100, desc=method, bar_format="{desc} {bar} {percentage:.0f} %, {elapsed}")
