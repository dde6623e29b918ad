"""What is typed after an option -> its value, or a complaint that says what would do."""

from __future__ import annotations

import argparse
import re


def contexts(text: str) -> list[int]:
    """ "8k,128k,1M" -> token counts; k and M are powers of 1,024, and 131,072 is one number."""
    found = []
    for piece in [text.replace(",", "")] if re.fullmatch(r"\s*\d{1,3}(,\d{3})+\s*", text) else text.split(","):
        match = re.fullmatch(r"\s*(\d{1,15})\s*([kKmM]?)\s*", piece)
        if not match:
            raise argparse.ArgumentTypeError(
                f"{piece!r} is no number of tokens: give 8192, 8k, 128k or 1M, several with commas between"
            )
        found.append(int(match[1]) * {"": 1, "k": 1024, "m": 1024**2}[match[2].lower()])
    return found


def positive(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def index(text: str) -> int:
    """A place in a list; the command says which there are."""
    if not re.fullmatch(r"-?\d{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def number(text: str) -> int:
    """A whole number of one axis; the planner says in its own words why 0 is too few."""
    if not re.fullmatch(r"\d{1,13}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def tokens(text: str) -> int:
    found = contexts(text)
    if len(found) != 1 or found[0] < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not one number of tokens: give 8192, 8k or 1M")
    return found[0]


def share(text: str) -> float:
    if not re.fullmatch(r"0?\.\d{1,6}|1(\.0*)?", text) or float(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no share: give a number above 0 and at most 1, such as 0.92")
    return float(text)


def factor(text: str) -> float:
    if not re.fullmatch(r"\d{1,4}(\.\d{1,6})?", text) or float(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no factor: give a number of at least 1, such as 1.3")
    return float(text)


def port(text: str) -> int:
    if not re.fullmatch(r"\d{1,5}", text) or not 1 <= int(text) <= 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number from 1 to 65535")
    return int(text)


def scale(text: str) -> float:
    """How many pixels of a PNG one unit of the drawing becomes; pictures.py says how many are too many."""
    if not re.fullmatch(r"\d{1,3}(\.\d{1,6})?|\.\d{1,6}", text) or float(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no scale: give a number above 0, such as 2 or 1.5")
    return float(text)
