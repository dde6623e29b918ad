"""A plan's address, both ways: the words after the question mark <-> a layout. Defaults left out, one order.

    on=gb200:64x4&pp=4x4&ep=64&job=train&batch=4096

Words that are the page's own (m, pin, pick, t, sort) are handed through as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple
from urllib.parse import quote, unquote_plus

from cutaway.gallery.planning.layout import Layout, LayoutError
from cutaway.gallery.planning.layout_from_args import layout_from_args, usual_batch, usual_mtp

PAGE = ("m", "pin", "pick", "t", "sort")  # words that say nothing of a layout
DEFAULTS = {one.name: one.default for one in fields(Layout)}
MOST_LETTERS = 4_000  # of an address


def parse_integer(text: str) -> int:
    if not re.fullmatch(r"\d{1,13}", text):
        raise ValueError("a whole number")
    return int(text)


def factor(text: str) -> float:
    if not re.fullmatch(r"\d{1,4}(\.\d{1,6})?", text):
        raise ValueError("a number such as 1.3")
    return float(text)


class Word(NamedTuple):
    """One word of an address."""

    word: str
    field: str  # as asked.laid_out takes it
    read: Callable[[str], Any] = str


WORDS = (
    Word("on", "on"),
    Word("job", "job"),
    Word("tp", "tp", parse_integer),
    Word("pp", "pp"),  # stages, or stages x chunks
    Word("sched", "schedule"),
    Word("split", "split"),
    Word("mtp", "mtp", parse_integer),
    Word("cp", "cp"),  # ranks, or ranks:kind
    Word("ep", "ep", parse_integer),
    Word("etp", "etp", parse_integer),
    Word("zero", "zero", parse_integer),
    Word("shard", "dp_shard", parse_integer),
    Word("order", "order"),
    Word("dcp", "dcp", parse_integer),
    Word("seq", "sequence", parse_integer),
    Word("batch", "batch", parse_integer),  # train: of a step; prefill: prompts at once
    Word("mb", "micro_batch", parse_integer),
    Word("ctx", "context", parse_integer),
    Word("n", "batch", parse_integer),  # decode: sequences at once
    Word("re", "recompute"),
    Word("lora", "lora_rank", parse_integer),
    Word("off", "offload"),  # a number of layers, or "experts"
    Word("busy", "imbalance", factor),
    Word("red", "redundant", parse_integer),
    Word("w", "weights_dtype"),
    Word("g", "gradient_dtype"),
    Word("o", "optimizer_bytes", parse_integer),
    Word("x", "compute_dtype"),
    Word("d", "dispatch_dtype"),
    Word("kv", "cache_dtype"),
    Word("fw", "framework_bytes", parse_integer),
    Word("used", "used", factor),
)


def parse(text: str) -> tuple[Layout, dict[str, str]]:
    """(the layout, the page's own words); LayoutError with a sentence for what cannot be read."""
    if len(text) > MOST_LETTERS:
        raise LayoutError(f"An address has at most {MOST_LETTERS:,} letters.")
    known = {one.word: one for one in WORDS}
    asked: dict[str, Any] = {}
    page: dict[str, str] = {}
    for pair in filter(None, text.removeprefix("?").split("&")):
        word, _, value = (unquote_plus(part) for part in pair.partition("="))
        if word in PAGE:
            page[word] = value
        elif word not in known:
            raise LayoutError(
                f"The address has an unknown key, {word[:40]!r}. Known keys: {', '.join((*PAGE, *known))}."
            )
        else:
            asked |= parse_word(known[word], value)
    if "on" not in asked:
        raise LayoutError("An address names devices: on=h200_sxm:1x8.")
    return layout_from_args(asked), page


def parse_word(word: Word, value: str) -> dict[str, Any]:
    """The fields that one word sets."""
    if word.word == "cp":
        number, _, kind = value.partition(":")
        return {
            **parse_word(word._replace(word="cp ranks", read=parse_integer), number),
            **({"cp_kind": kind} if kind else {}),
        }
    try:
        return {word.field: word.read(value)}
    except ValueError as wanted:
        raise LayoutError(f"{word.word} takes {wanted}, not {value[:40]!r}.") from None


def word_values(layout: Layout) -> dict[str, str]:
    """Every word's value, as it would be written."""
    made = {word.word: str(getattr(layout, word.field, "")) for word in WORDS}
    made["on"] = f"{layout.device.name}:{layout.nodes}x{layout.per_node}"
    made["pp"] = f"{layout.pp}x{layout.chunks}" if layout.chunks > 1 else str(layout.pp)
    made["cp"] = str(layout.cp) + (f":{layout.cp_kind}" if layout.cp_kind != DEFAULTS["cp_kind"] else "")
    made["g"] = "" if layout.gradient_bytes == DEFAULTS["gradient_bytes"] else "bfloat16"
    for name in ("busy", "used"):
        made[name] = f"{getattr(layout, 'imbalance' if name == 'busy' else 'used'):g}"
    made["n" if layout.job != "decode" else "batch"] = ""
    return made


def default_values(layout: Layout) -> dict[str, str]:
    """The value of every word that need not be written."""
    usual = {word.word: str(DEFAULTS.get(word.field, "")) for word in WORDS}
    usual |= {"on": "", "fw": "None", "pp": "1", "cp": "1", "g": "", "busy": "1", "used": f"{DEFAULTS['used']:g}"}
    usual["etp"], usual["mtp"] = str(layout.usual_etp), str(usual_mtp(layout))
    usual["batch"] = usual["n"] = str(usual_batch(layout))
    return usual


def address(layout: Layout, page: dict[str, str] | None = None) -> str:
    """The words of a layout; parse() gives it back."""
    page, usual = page or {}, default_values(layout)
    words = [(word, value) for word, value in word_values(layout).items() if value and value != usual[word]]
    first = [("m", page["m"])] if page.get("m") else []
    last = [(word, page[word]) for word in PAGE[1:] if page.get(word)]
    return "&".join(f"{word}={quote(value, safe='/:,!*()')}" for word, value in (*first, *words, *last))
