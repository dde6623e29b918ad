"""A config -> what became of it: drawn or refused, what it cost, and what is wrong with that.

One case runs everything that a page runs over a config: reading, weights, drawing, stored bytes, memory. It may cost
a second of processor time, 200 MB and 2 MB of SVG; a case that never ends is stopped, one that eats memory too.
"""

from __future__ import annotations

import gc
import re
import resource
import signal
import time
import xml.etree.ElementTree as ET
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from cutaway.gallery import ConfigError, draw, memory, read, weights
from cutaway.gallery.reading.quantization import list_stored

SECONDS = 1.0  # of processor time: other work on the machine does not count
PATIENT = 5.0  # the same inside a suite of tests, on a machine nobody knows
STOP = 8.0  # a case that takes so many is given up
MEGABYTES = 200
SVG_BYTES = 2_000_000
TAGS = {
    *("svg", "g", "path", "rect", "text", "tspan", "title", "desc", "style", "defs", "use", "line", "circle"),
    *("ellipse", "polyline", "polygon", "marker", "clipPath"),
}
ATTRIBUTES = re.compile(r"on|.*href$|.*script", re.IGNORECASE)


class Verdict(NamedTuple):
    """What became of one config."""

    kind: str  # "drawn" | "refused" | "crash"
    text: str  # the drawing, the sentence, or the exception
    seconds: float
    megabytes: float
    injected: list[str]  # elements and attributes that no drawing of ours has

    def fault(self, megabytes: float = MEGABYTES, seconds: float = PATIENT) -> str | None:
        """What is wrong with it, or None."""
        if self.kind == "crash":
            return f"crash: {self.text}"
        if self.seconds > seconds:
            return f"slow: {self.seconds:.2f} s"
        if self.megabytes > megabytes:
            return f"memory: {self.megabytes:.0f} MB"
        if self.injected:
            return f"injected: {self.injected}"
        if self.kind == "drawn":
            return f"svg: {len(self.text):,} bytes" if len(self.text) > SVG_BYTES else None
        return None if tidy(self.text) else f"no clear sentence: {self.text[:300]!r}"


class TooSlow(BaseException):
    """Raised into a case that takes many times what it may."""


def outcome(config) -> tuple[str, str]:
    """("drawn", svg) or ("refused", sentence); any other exception is a fault."""
    try:
        spec = read(config)
        weights(spec)
        svg = draw(spec)
        list_stored(spec)
        memory(spec, 131_072)
    except ConfigError as refusal:
        return "refused", str(refusal)
    return "drawn", svg


def tidy(sentence: str) -> bool:
    """Whether a refusal is one clear line."""
    return 20 <= len(sentence) <= 600 and sentence.isprintable() and sentence.rstrip().endswith((".", "?", ")"))


def intruders(svg: str) -> list[str]:
    """Elements and attributes that no drawing of ours has."""
    svg.encode("utf-8")
    found = []
    for element in ET.fromstring(svg).iter():
        tag = element.tag.rpartition("}")[2]
        found += [tag] if tag not in TAGS else []
        found += [name for name in element.attrib if ATTRIBUTES.match(name.rpartition("}")[2])]
        found += [value for value in element.attrib.values() if "javascript:" in value]
    return found


# ---------------------------------------------------------------- what it costs


def forget_peak() -> None:
    """Linux counts the peak of memory anew from here."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_bytes() -> int:
    """The most memory that this process held: since `forget_peak` on Linux, since its start elsewhere."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) * 1024
    except (OSError, TypeError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def now_bytes() -> int:
    """The memory that this process holds."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return peak_bytes()


def fence(gigabytes: float = 3) -> None:
    """From here on a case of this process that eats memory gets a MemoryError."""
    resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30), resource.getrlimit(resource.RLIMIT_AS)[1]))


def stop(*_: object) -> None:
    """What a case hears that takes many times what it may."""
    raise TooSlow(f"not done after {STOP} s")


def judge(config) -> Verdict:
    """The verdict over one config; what the process held before is not searched for garbage meanwhile."""
    gc.freeze()
    forget_peak()
    before, start = now_bytes(), time.process_time()
    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, STOP)
    try:
        kind, text = outcome(config)
    except (Exception, TooSlow) as error:
        kind, text = "crash", f"{type(error).__name__}: {str(error)[:200]}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.unfreeze()
    spent = time.process_time() - start
    megabytes = (peak_bytes() - before) / 1e6
    return Verdict(kind, text, spent, megabytes, intruders(text) if kind == "drawn" and len(text) < 10**7 else [])
