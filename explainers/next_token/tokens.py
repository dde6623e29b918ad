"""A text <-> its tokens: byte-pair encoding of merges.txt, written out; page and reference encode alike.

A text is cut into words (a letter run, a digit run, other signs, each with the space before it), a word into the bytes
of UTF-8, and in each word the pair that was merged first in training is joined, until no pair is left that ever was.
Tokens 0 to 255 are bytes, 256 stands before every text, then a token for each merge. Letters are those of ASCII: so no
version of Unicode decides anything, and é is two bytes among the other signs.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

FIRST = 256  # <s>, before every text
NEWLINE = 10
WORDS = r" ?[A-Za-z]+| ?[0-9]+| ?[^A-Za-z0-9 \n\r\t]+|[ \n\r\t]+(?![^ \n\r\t])|[ \n\r\t]"
WORD = re.compile(WORDS)


def printable() -> dict[str, int]:
    """The sign that stands for each byte in merges.txt, as in GPT-2's files: itself, or one from 256 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + at): byte for at, byte in enumerate(rest)}


@cache
def read_merges() -> list[tuple[bytes, bytes]]:
    """The pairs of merges.txt in their order."""
    signs = printable()
    lines = Path(__file__).with_name("merges.txt").read_text("utf-8").splitlines()
    halves = ((bytes(signs[sign] for sign in half) for half in line.split(" ")) for line in lines)
    return [(a, b) for a, b in halves]


@cache
def vocabulary() -> list[bytes]:
    """The bytes of each token."""
    return [bytes([byte]) for byte in range(256)] + [b""] + [a + b for a, b in read_merges()]


@cache
def pairs() -> dict[tuple[int, int], int]:
    """(token, token) -> the token that they merge into; the smaller, the earlier it is merged."""
    of = {piece: token for token, piece in enumerate(vocabulary()) if piece}
    return {(of[a], of[b]): 257 + at for at, (a, b) in enumerate(read_merges())}


@cache
def halves() -> dict[int, tuple[int, int]]:
    """A token -> the two that merge into it."""
    return {token: pair for pair, token in pairs().items()}


def merges_of(token: int) -> list[dict[str, Any]]:
    """The merges that make one token of its bytes, in their order: each joins bytes `start` to `middle` and to `end`.

    `number` is the merge's place in merges.txt, from 1.
    """
    return sorted(_joined(token, 0), key=lambda row: (row["number"], row["start"]))


def _joined(token: int, start: int) -> list[dict[str, Any]]:
    if token not in halves():
        return []
    left, right = halves()[token]
    middle = start + len(vocabulary()[left])
    row = {"number": token - FIRST, "name": name_of(token), "left": name_of(left), "right": name_of(right)}
    place = {"start": start, "middle": middle, "end": start + len(vocabulary()[token])}
    return [*_joined(left, start), *_joined(right, middle), row | place]


def merge_word(word: bytes) -> list[int]:
    """The tokens of one word."""
    made, merged = list(word), pairs()
    while len(made) > 1:
        best = min((merged.get(pair, 1 << 30) for pair in pairwise(made)), default=1 << 30)
        if best == 1 << 30:
            break
        joined: list[int] = []
        for token in made:
            if joined and merged.get((joined[-1], token)) == best:
                joined[-1] = best
            else:
                joined.append(token)
        made = joined
    return made


@cache
def encode_word(word: str) -> tuple[int, ...]:
    """The tokens of one word, kept: a text repeats its words. Half a surrogate pair becomes �, as in a browser."""
    return tuple(merge_word(word.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()))


def encode(text: str) -> list[int]:
    """The tokens of a text, without the first one."""
    return [token for word in WORD.findall(text) for token in encode_word(word)]


def decode(ids: list[int]) -> str:
    """The text of some tokens; bytes that are no UTF-8 become �."""
    pieces = vocabulary()
    return b"".join(pieces[token] for token in ids).decode("utf-8", "replace")


def name_of(token: int) -> str:
    """A token as a page prints it: · for a space, ⏎ for a new line, <0xE2> for a byte that is no letter alone."""
    piece = vocabulary()[token]
    if token == FIRST:
        return "<s>"
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        text = "\0"
    if set(text) == {"\n"}:
        return "⏎" * len(text)
    if not any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in text):
        return text.replace(" ", "·")
    return "".join(f"<0x{byte:02X}>" for byte in piece)
