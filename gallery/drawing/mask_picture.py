"""The small picture of an attention mask in a panel: who sees whom with a window, with chunks, with cache entries."""

from __future__ import annotations

from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wide

N, CELL = 10, 4


class Band:
    """A causal square with a band, with chunks, or with a band and a few entries behind it."""

    def __init__(self, role: str, kind: str, words: str) -> None:
        self.role, self.kind, self.words = role, kind, words
        self.w, self.h = N * CELL + 8 + wide(words, "small"), N * CELL

    @classmethod
    def of(cls, m, role: str) -> Band | None:
        """The picture of a mixer that does not see everything, else None."""
        window, chunk = m.sliding_window, getattr(m, "attention_chunk_size", 0)
        if getattr(m, "compress_ratio", 0):
            return cls(role, "entries", f"{window:,} + entries")
        if window:
            return cls(role, "window", f"last {window:,}")
        return cls(role, "chunk", f"chunks of {chunk:,}") if chunk else None

    def sees(self, i: int, j: int) -> bool:
        """Whether token i of the picture sees token j."""
        if j > i:
            return False
        if self.kind == "chunk":
            return i // 5 == j // 5
        return i - j < 3 or (self.kind == "entries" and j % 4 == 3)

    def cells(self, seen: bool) -> str:
        """The cells that a token sees, or those that it does not, as relative moves from the corner."""
        out, at = [], (0, 0)
        for i in range(N):
            for j in range(i + 1):
                if self.sees(i, j) is seen:
                    out.append(f"m{(j - at[1]) * CELL} {(i - at[0]) * CELL}h3v3h-3z")
                    at = (i, j)
        return "".join(out)

    def put(self, m: Marks, right: float, y: float) -> None:
        """Right-aligned at `right`, words to the left of the square."""
        x = right - N * CELL
        m.open(f"rows are tokens, columns what they see: {self.words}")
        m.path("soft " + self.role, f"M{x:g} {y:g}{self.cells(False)}")
        m.path("solid " + self.role, f"M{x:g} {y:g}{self.cells(True)}")
        m.close()
        m.text("small end", x - 8, y + 24, self.words)

    def lines(self) -> list[str]:
        return [f"sees {self.words}"]
