"""Two specs -> what differs, part by part, and what each difference costs: rows that add up, figures, a verdict.

Attribution: fields are changed one at a time in the order of the table, and everything is counted again after each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from cutaway.gallery.comparing.attribution import PARTS, cost_steps
from cutaway.gallery.comparing.comparison import Comparison, Row
from cutaway.gallery.comparing.counted import Numbers, cache_bytes_at, numbers_of
from cutaway.gallery.comparing.field_steps import Step
from cutaway.gallery.comparing.mechanisms import mechanisms
from cutaway.gallery.comparing.model_fields import fields_of
from cutaway.gallery.comparing.text import cell
from cutaway.gallery.comparing.text.number import say_change, scaled_bytes, scaled_count
from cutaway.gallery.comparing.text.verdict import MOST_WORDS, Clause, choose_clauses
from cutaway.gallery.counting.memory import memory
from cutaway.gallery.counting.stored_bytes import stored_bytes
from cutaway.gallery.joined import join_words
from cutaway.gallery.spec import ModelSpec

LIKE = 0.5  # a share of mechanisms from which one model is said to be the other with changes
QUIET = ("number format",)  # no structure: a row only where it is the cause of a number


@dataclass(frozen=True, slots=True)
class Figure:
    """One of the six a -> b figures."""

    what: str  # "parameters", "active per token", "layers", "context", "cache per token", "weights"
    a: str
    b: str
    change: str  # "+355.38 B", "=" ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """B is A with ...: a sentence in parts."""

    start: str  # "Kimi K2 is DeepSeek V3 with"
    clauses: tuple[Clause, ...]
    end: str  # "53 % more parameters, 13 % fewer active, and the same cache."

    @property
    def text(self) -> str:
        """The whole sentence."""
        middle = f" {join_words([one.words for one in self.clauses])}:" if self.clauses else ""
        return f"{self.start}{middle} {self.end}"


def compare_specs(a: ModelSpec, b: ModelSpec, written: Iterable[str] = ()) -> Comparison:
    """Everything in which two models differ; `written` are keys of their configs, to call each as they do."""
    rows: list[Row] = []
    held = Numbers()
    for step, cost in cost_steps(a, b):
        if not step.what or (step.what in QUIET and not any(cost)):
            held = held.more(cost)
            continue
        rows.append(row(step, cost))
    if any(held):
        rows.append(row(Step("beside", "which layers share what", "", ("", ""), lambda: None), held))
    rows = number_rows([one for one in rows if one.a != one.b or one.costs])
    first, last = numbers_of(a), numbers_of(b)
    return Comparison(
        tuple(spell_row(one, written) for one in rows), equal(a, b, rows), heads(a, b),
        (first.parameters, last.parameters), (first.active, last.active), (as_integer(first.cache),
        as_integer(last.cache)),
        (as_integer(first.fixed), as_integer(last.fixed)), (first.apart, last.apart), (memory(a, 0).full_at,
        memory(b, 0).full_at),
        (full_context_bytes(a),
        full_context_bytes(b)),
        (mechanisms(a), mechanisms(b)),
    )  # fmt: skip


def as_integer(value: Fraction) -> int | float:
    """A whole number where it is one."""
    return int(value) if value.denominator == 1 else float(value)


def row(step: Step, cost: Numbers) -> Row:
    """A step as a row."""
    a, b = step.texts
    only = "b" if not a else "a" if not b else ""
    return Row(
        step.part, step.what, step.key, a, b, cost.parameters, cost.active, as_integer(cost.cache),
        as_integer(cost.fixed),
        cost.apart, 0, step.place if step.disc else "", only, step.row, step.values, step.where,
    )  # fmt: skip


def number_rows(rows: list[Row]) -> list[Row]:
    """Discs for the rows that stand in the drawing."""
    out, number = [], 0
    for one in rows:
        number += bool(one.place)
        out.append(replace(one, number=number if one.place else 0))
    return out


def spell_row(one: Row, written: Iterable[str]) -> Row:
    """A row under the key that the configs themselves use."""
    from cutaway.gallery.reading.keys import KEYS

    held = set(written)
    if not held or not one.key or one.key in held:
        return one
    names = next((key.spellings for key in KEYS if key.name == one.key), ())
    return replace(one, key=next((name for name in names if name in held), one.key))


def heads(a: ModelSpec, b: ModelSpec) -> dict[str, str]:
    """One line per part: what both have, or a's -> b's."""
    says = {
        "mixer": lambda x: cell.census(x, "mixer"),
        "mlp": lambda x: cell.census(x, "mlp"),
        "norms": cell.norms,
        "position": cell.position,
        "sizes": lambda x: f"width {x.hidden_size:,}, {len(x.layers):,} layers",
        "beside": cell.extras_beside,
    }
    pairs = {part: (tell(a), tell(b)) for part, tell in says.items()}
    return {part: one if one == two else f"{one or 'none'} → {two or 'none'}" for part, (one, two) in pairs.items()}


def equal(a: ModelSpec, b: ModelSpec, rows: list[Row]) -> tuple[Row, ...]:
    """The fields that both have, in all their layers alike, for a reader who asks for all."""
    told = {one.what.split(",")[0] for one in rows}
    ours, theirs = texts_of_part(a), texts_of_part(b)
    out = [
        Row(part, what, key, text, text)
        for (part, what), found in ours.items()
        for (key, text) in found[:1]
        if text not in ("", "0") and what.split(",")[0] not in told and {one[1] for one in found} == {
            one[1] for one in theirs.get((part, what), ())}
    ]  # fmt: skip
    return tuple(sorted(out, key=lambda one: PARTS.index(one.part)))


def texts_of_part(spec: ModelSpec) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """(part, what) -> every (key, text) that a model's layers say of it."""
    out: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for part, what, key, text in fields_of(spec):
        out.setdefault((part, what), []).append((key, text))
    return out


# ---------------------------------------------------------------- figures, verdict


def figures(a: ModelSpec, b: ModelSpec) -> tuple[Figure, ...]:
    """Six a -> b figures."""
    first, last = numbers_of(a), numbers_of(b)

    def told(what: str, one: float, two: float, say) -> Figure:
        return Figure(what, say(one), say(two), say_change(two - one, say(abs(two - one))))

    whole = lambda value: f"{value:,}"  # noqa: E731
    return (
        told("parameters", first.parameters, last.parameters, scaled_count),
        told("active per token", first.active, last.active, scaled_count),
        told("layers", len(a.layers), len(b.layers), whole),
        told("context", a.max_position_embeddings or 0, b.max_position_embeddings or 0, whole),
        told("cache per token", as_integer(first.cache), as_integer(last.cache), scaled_bytes),
        told_bytes(stored_bytes(a), stored_bytes(b)),
    )


def told_bytes(one: int | None, two: int | None) -> Figure:
    """The bytes of the weights, or the word for what cannot be counted."""
    first, last = ("unknown" if value is None else scaled_bytes(value) for value in (one, two))
    change = "unknown" if one is None or two is None else say_change(two - one, scaled_bytes(abs(two - one)))
    return Figure("weights", first, last, change)


def full_context_bytes(spec: ModelSpec) -> int:
    """Bytes kept for one sequence of the longest text that a model was made for."""
    return cache_bytes_at(spec, spec.max_position_embeddings) if spec.max_position_embeddings else 0


def verdict(
    a: ModelSpec, b: ModelSpec, names: tuple[str, str] = ("A", "B"), found: Comparison | None = None
) -> Verdict:
    """The difference of two models as a sentence of at most 40 words."""
    found = found or compare_specs(a, b)
    start = f"{names[1]} is {names[0]} with" if found.share >= LIKE else f"Next to {names[0]}, {names[1]} has"
    if is_same_drawing(found):
        start = f"{names[1]} has the same architecture as {names[0]}, with"
    said, end = choose_clauses(a, b, found, MOST_WORDS - len(start.split()))
    if not said and not found.rows:
        return Verdict(f"{names[1]} and {names[0]}:", (), "same architecture and sizes; other weights.")
    return Verdict(start if said else f"Next to {names[0]}, {names[1]} has", said, f"{end}.")


def is_same_drawing(found: Comparison) -> bool:
    """Whether two models differ in nothing but their context, vocabulary and RoPE."""
    light = {"context", "vocabulary", "RoPE base", "RoPE scaling", "softmax scale"}
    return found.mechanisms[0] == found.mechanisms[1] and bool(found.rows) and {row.what for row in found.rows} <= light


def brief(a: ModelSpec, b: ModelSpec, name: str, found: Comparison | None = None, room: int = 14) -> str:
    """One clause per model where more than two are compared: Kimi K2 has half the heads and 384 experts ..."""
    found = found or compare_specs(a, b)
    said, _ = choose_clauses(a, b, found, room, totals=False)
    words = join_words([one.words for one in said]) or "the same architecture and sizes"
    return f"{name} has {words}"
