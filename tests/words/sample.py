"""Sentences of the built site, drawn by a seed, for a reader to judge against the guide to words.

    python tests/words/sample.py --seed 3              100 sentences: half from /learn/, half from all other pages
    python tests/words/sample.py --under learn --count 50

Numbers are written as #, and a sentence that differs by its numbers alone is drawn once.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from cutaway.explainers import languages

ROOT = Path(__file__).resolve().parents[2]
CODES = [f"{one.code}/" for one in languages.LANGUAGES]  # pages in other languages have other readers
UNSEEN = ("script", "style", "svg", "template", "math", "code", "pre", "textarea", "option", "nav", "iframe")
BLOCKS = [*("h1", "h2", "h3", "h4", "p", "li", "dt", "dd", "td", "th"), "caption", "figcaption", "summary", "label"]
BLOCKS += ["button", "legend"]
NUMBER = re.compile(r"(?<![A-Za-z\d.])[-+−]?\d[\d,]*(?:\.\d+)?")  # the 4 of E4M3 and the 3 of Qwen3 are names


def pages(site: Path, under: str = "", word: re.Pattern[str] | None = None) -> Iterator[tuple[str, Tag]]:
    """(path, <main>) of every page below a folder, or of those that hold a word; embeds say what their pages say."""
    for path in sorted((site / under).rglob("index.html")):
        name, html = path.parent.relative_to(site).as_posix(), path.read_text("utf-8")
        if not name.startswith(("embed", *CODES)) and (
            word is None or word.search(" ".join(re.sub(r"<[^>]*>", "", html).split()))
        ):
            yield f"/{name}/", visible(html)


def visible(html: str) -> Tag:
    """The part of a page that a reader reads."""
    soup = BeautifulSoup(html, "html.parser")
    for one in soup(UNSEEN):
        one.decompose()
    for one in soup.select("[hidden], .away"):
        one.decompose()
    return soup.main or soup


def blocks(main: Tag) -> Iterator[str]:
    """The texts of the innermost blocks."""
    for one in main(BLOCKS):
        if not one.find(BLOCKS):
            text = " ".join(one.get_text("", strip=False).split())
            if text:
                yield text


def sentences(main: Tag) -> Iterator[str]:
    """Three words or more, with numbers as #."""
    for text in blocks(main):
        for one in re.split(r"(?<=[.?!])\s+(?=[A-Z“\"])", text):
            said = NUMBER.sub("#", one).strip()
            if len(re.findall(r"[A-Za-z]{2,}", said)) >= 3:
                yield said


def drawn(site: Path, under: str, count: int, seed: int, left_out: str = "") -> list[tuple[str, str]]:
    """(sentence, the first page it is on), `count` of them."""
    found: dict[str, str] = {}
    for path, main in pages(site, under):
        if not left_out or not path.startswith(f"/{left_out}/"):
            for one in sentences(main):
                found.setdefault(one, path)
    rows = sorted(found.items())
    return random.Random(seed).sample(rows, min(count, len(rows)))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--count", type=int, default=100)
    asked.add_argument("--under", default="", metavar="FOLDER", help="of the site alone: learn, models, plan, ...")
    asked.add_argument("--site", type=Path, default=ROOT / "_site")
    given = asked.parse_args()
    if not given.site.is_dir():
        raise SystemExit(f"{given.site} is no built site: run `make site` first, or name one with --site.")
    half = given.count // 2
    rows = (
        drawn(given.site, given.under, given.count, given.seed)
        if given.under
        else [
            *drawn(given.site, "learn", half, given.seed),
            *drawn(given.site, "", given.count - half, given.seed, left_out="learn"),
        ]
    )
    for number, (sentence, path) in enumerate(rows, 1):
        print(f"{number:3} {path}\n    {sentence}")


if __name__ == "__main__":
    main()
