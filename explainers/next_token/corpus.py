"""Debian's package r-cran-janeaustenr, unpacked -> one text: the six novels of Jane Austen, a paragraph a line.

    apt-get download r-cran-janeaustenr && dpkg -x r-cran-janeaustenr_*.deb unpacked
    python explainers/next_token/corpus.py unpacked novels.txt    # the extra `train` has rdata

The novels (1811 to 1818) are in the public domain; the package takes them from Project Gutenberg. Left out: the title
pages, the headings of volumes and chapters, and the underscores that stand for italics.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import sys
import zlib
from pathlib import Path

SHA256 = "0df2c8b456c18a97c804ba6ad64c6162389c77e17f160dff29c21930079af360"  # of version 1.0.0-1
HEADING = re.compile(r"(VOLUME|CHAPTER|Chapter|FINIS|THE END|End of|by$|By Jane|\(1)|[^a-z]*$")


def read_lines(folder: Path) -> dict[str, list[str]]:
    """The lines of each novel: R keeps them zlib-compressed in Rdata.rdb, at the offsets that Rdata.rdx lists."""
    import rdata

    data = next(folder.rglob("janeaustenr/data"))
    parse = lambda packed: rdata.conversion.convert(rdata.parser.parse_data(packed))  # noqa: E731
    packed, listed = (data / "Rdata.rdb").read_bytes(), parse(gzip.decompress((data / "Rdata.rdx").read_bytes()))
    novels = {}
    for name, (start, count) in listed["variables"].items():
        novels[str(name)] = [str(line) for line in parse(zlib.decompress(packed[start + 4 : start + count]))]
    return novels


def join_paragraphs(lines: list[str]) -> list[str]:
    """The paragraphs of a novel, each one line."""
    joined = (" ".join(part.split()) for part in "\n".join(lines).split("\n\n"))
    plain = (part.replace("_", "").replace("--", "—") for part in joined)
    return [part for part in plain if not HEADING.match(part)]


def main(folder: str, target: str) -> None:
    """Write the text, and say its hash."""
    novels = [join_paragraphs(lines) for _, lines in sorted(read_lines(Path(folder)).items())]
    text = "\n\n".join("\n".join(novel) + "\n" for novel in novels).encode()
    Path(target).write_bytes(text)
    found = hashlib.sha256(text).hexdigest()
    print(f"{len(text):,} bytes, sha256 {found}", "" if found == SHA256 else f"(recorded: {SHA256})")


if __name__ == "__main__":
    main(*sys.argv[1:])
