"""Progress of a fit on stderr: a line that is rewritten in terminals and notebooks, a line per stage in log files."""

from __future__ import annotations

import sys
import time


class Progress:
    """Called by Rust a few times a second with the stage and how far it is."""

    def __init__(self, method: str) -> None:
        self._method = method
        self._started = time.monotonic()
        self._stage = ""
        self._width = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        line = f"{self._method}: {stage}"
        if _rewrites():
            share = f" {min(100, 100 * done // total)} %" if total > 0 else ""
            self._rewrite(f"{line}{share}, {time.monotonic() - self._started:.1f} s")
        elif stage != self._stage:
            print(line, file=sys.stderr, flush=True)
        self._stage = stage

    def finish(self, words: str) -> None:
        """Puts `words` in the place of the progress; nothing when there are none."""
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


def _rewrites() -> bool:
    """Whether a carriage return starts the line again: in terminals and in notebooks."""
    notebook = type(sys.stderr).__module__.startswith("ipykernel")
    return notebook or bool(getattr(sys.stderr, "isatty", bool)())
