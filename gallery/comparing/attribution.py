"""Two specs -> the steps that turn one into the other, in the order of the table, and what each costs.

Every step changes one field (or one kind of layer) of a spec between the two; after each, everything is counted again
with gallery.counting, so that the steps sum to the whole. A step that cannot stand alone is counted with the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from gallery import spec as s
from gallery.comparing import wording
from gallery.comparing.fields import Field, got, rows_for, text
from gallery.comparing.kinds import counted, label, matched, sames
from gallery.comparing.words import amount
from gallery.counting.cache import Kept, rules_for
from gallery.counting.memory import kept_per_layer
from gallery.counting.parameters import parameters

PARTS = ("mixer", "mlp", "norms", "position", "sizes", "beside")
HALVES = ("mixer", "mlp")


class Numbers(NamedTuple):
    """What a row can cost."""

    parameters: int = 0
    active: int = 0
    apart: int = 0  # of MTP layers
    cache: Fraction = Fraction(0)  # bytes per token, BF16
    fixed: Fraction = Fraction(0)  # bytes of states and full windows, BF16

    def less(self, other: Numbers) -> Numbers:
        """The difference."""
        return Numbers(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))  # type: ignore[arg-type]


def numbers(spec: s.ModelSpec) -> Numbers:
    """A spec, counted."""
    counts = parameters(spec)
    slope, fixed = Fraction(0), 0
    for kept, times in kept_counted(spec):
        slope += times * sum((one.slope_bits for one in kept), Fraction(0))
        fixed += times * sum(one.fixed_bits for one in kept)
    return Numbers(counts.total, counts.active, counts.mtp, slope * spec.loops / 8, Fraction(fixed * spec.loops, 8))


def kept_counted(spec: s.ModelSpec) -> list[tuple[tuple[Kept, ...], int]]:
    """What layers keep, with how many layers do."""
    kept = kept_per_layer(spec, rules_for(spec))
    times = Counter(map(id, kept))
    return [(one, times[id(one)]) for one in {id(one): one for one in kept}.values()]


def kept_at(spec: s.ModelSpec, context: int) -> int:
    """Bytes kept of one sequence of so many tokens."""
    bits = sum(n * sum(one.bits_at(context) for one in kept) for kept, n in kept_counted(spec))
    return -(-bits * spec.loops // 8)


class Step(NamedTuple):
    """One change."""

    part: str
    what: str
    key: str
    a: str
    b: str
    apply: Callable[[], None]
    row: Field | None = None
    counts: bool = True
    disc: bool = True
    place: str = ""
    values: tuple[Any, Any] = (None, None)


class State:
    """A spec on its way from a to b."""

    def __init__(self, a: s.ModelSpec, b: s.ModelSpec) -> None:
        self.a, self.b, self.spec = a, b, a
        self.layers = list(a.layers)
        self.known: dict[tuple[int, int], bool] = {}  # whether a kind becomes a kind
        self.from_b = source(len(a.layers), b)
        self.kind = {half: sames(a, half) for half in HALVES}
        self.goal = {half: sames(b, half) for half in HALVES}
        self.pairs = {half: matched(counted(self.kind[half]), counted(self.goal[half])) for half in HALVES}

    def built(self) -> s.ModelSpec:
        """The spec as it is now."""
        return replace(self.spec, layers=tuple(self.layers))

    def set(self, **change: Any) -> None:
        """Fields of the model."""
        self.spec = replace(self.spec, **change)

    def target(self, index: int, half: str) -> Any:
        """What b has in place of a's layer."""
        return getattr(self.b.layers[self.from_b[index]], half)

    def stays(self, index: int, half: str) -> bool:
        """Whether a layer keeps its kind, apart from fields."""
        kind, goal = self.kind[half][index], self.goal[half][self.from_b[index]]
        key = (id(kind), id(goal))
        if key not in self.known:
            self.known[key] = kind in self.pairs[half] and self.pairs[half][kind] == goal
        return self.known[key]

    def on_kind(self, half: str, kinds: set[Any], change: Callable[[Any, Any], Any]) -> None:
        """Change a half in every layer of these kinds; equal halves stay one object."""
        made: dict[int, Any] = {}
        ids = {id(one) for one in {id(kind): kind for kind in self.kind[half]}.values() if one in kinds}
        for i, layer in enumerate(self.layers):
            kind = self.kind[half][i] if i < len(self.kind[half]) else None
            if id(kind) in ids:
                now = getattr(layer, half)
                if id(now) not in made:
                    made[id(now)] = change(now, self.pairs[half][kind])
                self.layers[i] = replace(layer, **{half: made[id(now)]})


def source(depth: int, b: s.ModelSpec) -> list[int]:
    """For each of so many layers, the layer of b that stands in its place; past b's end its last pattern repeats."""
    own = len(b.layers)
    if depth <= own:
        return list(range(depth))
    looks = list(zip(sames(b, "mixer"), sames(b, "mlp"), strict=True))
    period = next((p for p in range(1, own // 2 + 1) if looks[own - p :] == looks[own - 2 * p : own - p]), own)
    return [*range(own), *(own - period + i % period for i in range(depth - own))]


# ---------------------------------------------------------------- fields of matched kinds


class Found(NamedTuple):
    """A row in which two matched kinds differ."""

    row: Field
    half: str
    at: int  # which part of a combined half; -1 = it is one
    kind: Any
    values: tuple[Any, Any]
    texts: tuple[str, str]
    order: int


def halves_of(half: Any) -> list[tuple[int, Any]]:
    """The parts of a half with their places."""
    if isinstance(half, s.Combined):
        return list(enumerate(half.parts))
    return [] if half is None else [(-1, half)]


def differing(state: State) -> list[Found]:
    """Every row in which matched kinds differ."""
    out = []
    for half in HALVES:
        for kind, other in state.pairs[half].items():
            if kind == other:
                continue
            for (at, one), (_, two) in zip(halves_of(kind), halves_of(other), strict=True):
                for order, row in enumerate(rows_for(type(one), half)):
                    values = tuple(tuple(taken(part, name) for name in row.names) for part in (one, two))
                    if values[0] != values[1] and whole(row, one, two):
                        texts = (wording.said(row, one), wording.said(row, two))
                        out.append(Found(row, half, at, kind, values, texts, order))  # type: ignore[arg-type]
    return out


def taken(record: Any, name: str) -> Any:
    """A field's value; of an indexer, whether there is one."""
    value = got(record, name)
    return value is not None if name == "indexer" else value


def whole(row: Field, one: Any, two: Any) -> bool:
    """Fields of an indexer or a rotation say something only where both have one."""
    head = row.names[0].split(".")[0]
    return "." not in row.names[0] or (getattr(one, head) is not None and getattr(two, head) is not None)


def field_steps(state: State, part: str, found: list[Found]) -> Iterator[Step]:
    """One step per row and pair of values, whatever kinds it is about."""
    rows = sorted((one for one in found if one.row.part == part), key=lambda one: (HALVES.index(one.half), one.order))
    groups: dict[tuple, list[Found]] = {}
    for one in rows:
        groups.setdefault((one.half, one.row.what, one.texts), []).append(one)
    names: Counter[tuple[str, str]] = Counter((half, what) for half, what, _ in groups)
    for (half, what, texts), members in groups.items():
        row = members[0].row
        several = names[half, what] > 1
        says = f"{what}, {label(members[0].kind)}" if several else what
        yield Step(
            part, says, row.key, *texts, setting(state, members), row, row.counts, row.disc and texts[0] != texts[1],
            half, members[0].values,
        )  # fmt: skip


def setting(state: State, members: list[Found]) -> Callable[[], None]:
    """Sets the fields of a row in all layers of its kinds."""

    def apply() -> None:
        for one in members:
            state.on_kind(one.half, {one.kind}, lambda now, goal, one=one: moved(now, goal, one.at, one.row.names))

    return apply


def moved(now: Any, goal: Any, at: int, names: tuple[str, ...]) -> Any:
    """A half with some fields as the other has them."""
    if at >= 0:
        parts = list(now.parts)
        parts[at] = moved(parts[at], goal.parts[at], -1, names)
        return replace(now, parts=tuple(parts))
    change: dict[str, Any] = {}
    for name in names:
        head, _, inner = name.partition(".")
        if inner and head == "indexer":
            change[head] = replace(change.get(head, now.indexer), **{inner: getattr(goal.indexer, inner)})
        else:
            change[head] = getattr(goal, head)
    if "q_lora_rank" in change and getattr(now, "indexer", None) and getattr(goal, "indexer", None):
        change["indexer"] = replace(now.indexer, q_rank=goal.indexer.q_rank)
    return replace(now, **change)


# ---------------------------------------------------------------- kinds of layers


def kind_steps(state: State, half: str) -> Iterator[Step]:
    """One step per pair of kinds, one in place of the other."""
    groups: dict[tuple[str, str], list[int]] = {}
    for i, kind in enumerate(state.kind[half]):
        if not state.stays(i, half):
            groups.setdefault((label(kind), label(state.target(i, half))), []).append(i)
    for (was, becomes), at in sorted(groups.items(), key=lambda group: -len(group[1])):
        what, key, a, b = wording.replaced(state.a, state.b, half, was, becomes, at)
        yield Step(half, what, key, a, b, placing(state, half, at), place=half, values=(was, becomes))


def placing(state: State, half: str, at: list[int]) -> Callable[[], None]:
    """Puts b's halves into these layers."""

    def apply() -> None:
        for i in at:
            state.layers[i] = replace(state.layers[i], **{half: state.target(i, half)})
            state.kind[half][i] = object()  # of no kind of a any more

    return apply


# ---------------------------------------------------------------- the rest


def norm_steps(state: State) -> Iterator[Step]:
    """The norms of a layer, and the last one."""
    a, b = wording.norms(state.a), wording.norms(state.b)

    def apply() -> None:
        pairs = zip(state.from_b, state.layers, strict=True)
        state.layers = [replace(layer, norms=state.b.layers[i].norms) for i, layer in pairs]
        state.set(final_norm=state.b.final_norm)

    if a != b:
        yield Step("norms", "norms of a layer", "norms", a, b, apply, place="norm")
    elif [layer.norms for layer in state.a.layers[:1]] != [layer.norms for layer in state.b.layers[:1]]:
        eps = wording.epsilon(state.a), wording.epsilon(state.b)
        what, key = ("epsilon of the norms", "rms_norm_eps") if eps[0] != eps[1] else ("weights of the norms", "norms")
        texts = eps if eps[0] != eps[1] else (wording.weights(state.a), wording.weights(state.b))
        yield Step("norms", what, key, *texts, apply, disc=False)
    else:
        apply()
    if (state.a.final_norm is None) != (state.b.final_norm is None):
        yield Step("norms", "last norm", "norms", *(text(bool(x.final_norm)) for x in (state.a, state.b)), apply)


def depth_step(state: State) -> Iterator[Step]:
    """As many layers as b has; halves and norms are b's own from here on."""
    a, b = len(state.a.layers), len(state.b.layers)

    def apply() -> None:
        now = state.layers
        state.layers = [
            replace(now[min(i, a - 1)], index=i, mixer=one.mixer, mlp=one.mlp, norms=one.norms)
            for i, one in enumerate(state.b.layers)
        ]
        state.set(num_hidden_layers=b)

    if a != b:
        yield Step("sizes", "layers", "num_hidden_layers", f"{a:,}", f"{b:,}", apply, place="tower", values=(a, b))
    else:
        yield Step("sizes", "", "", "", "", apply, disc=False)  # borrowed weights and the like: no row of its own


def model_steps(state: State, part: str) -> Iterator[Step]:
    """Fields of the model."""
    for names, what, key, says, place, counts in wording.MODEL[part]:
        a, b = state.a, state.b
        if all(getattr(a, name) == getattr(b, name) for name in names):
            if names[0] == "hidden_size":
                yield from depth_step(state)
            continue
        values = tuple(getattr(x, names[0]) for x in (a, b))
        change = {name: getattr(b, name) for name in names}
        texts = (says(a), says(b))
        if texts[0] == texts[1] and names[0] == "mtp":
            what, texts = "inside the MTP layers", tuple(amount(parameters(x).mtp) for x in (a, b))
        if names[0] == "residual":
            yield stream_step(state, texts)
            continue
        yield Step(part, what, key, *texts, lambda change=change: state.set(**change), None, counts,  # type: ignore[misc]
                   bool(place), place, values)  # fmt: skip
        if names[0] == "hidden_size":
            yield from depth_step(state)


def layer_steps(state: State) -> Iterator[Step]:
    """What else b's layers have."""

    def side() -> None:
        state.layers = [
            replace(now, parallel=one.parallel) for now, one in zip(state.layers, state.b.layers, strict=True)
        ]

    told = [wording.parallel(x) for x in (state.a, state.b)]
    yield Step("beside", "halves side by side" if told[0] != told[1] else "", "parallel_attn", *told, side,
               place="stream" if told[0] != told[1] else "", disc=told[0] != told[1])  # fmt: skip
    told = [wording.extras(x) for x in (state.a, state.b)]
    if state.a.residual == state.b.residual:
        yield Step("beside", "beside mixer and MLP" if told[0] != told[1] else "", "", *told,
                   lambda: give_extras(state), disc=told[0] != told[1])  # fmt: skip


def give_extras(state: State) -> None:
    """What b's layers have beside mixer and MLP."""
    pairs = zip(state.layers, state.b.layers, strict=True)
    state.layers = [replace(now, extras=one.extras) for now, one in pairs]


def stream_step(state: State, texts: tuple[str, ...]) -> Step:
    """Another residual scheme, with what its layers need for it."""

    def apply() -> None:
        give_extras(state)
        state.set(residual=state.b.residual)

    values = (state.a.residual, state.b.residual)
    return Step("beside", "residual streams", "hc_mult", *texts, apply, place="stream", values=values)  # type: ignore[misc]


def steps(state: State) -> Iterator[Step]:
    """All changes, in the order of the table."""
    found = differing(state)
    for half in HALVES:
        yield from field_steps(state, half, found)
        yield from kind_steps(state, half)
    yield from field_steps(state, "norms", found)
    yield from norm_steps(state)
    yield from field_steps(state, "position", found)
    for part in PARTS[3:5]:
        yield from model_steps(state, part)
    yield from layer_steps(state)
    yield from model_steps(state, "beside")


def costed(a: s.ModelSpec, b: s.ModelSpec) -> Iterator[tuple[Step, Numbers]]:
    """Each step with what it costs; the last one, without words, is what no step accounted for."""
    state = State(a, b)
    last, nothing = numbers(a), Numbers()
    for step in steps(state):
        step.apply()
        cost = nothing
        if step.counts:
            try:
                now = numbers(state.built())
            except (ValueError, TypeError, LookupError, AttributeError, ZeroDivisionError):
                now = last  # it cannot stand alone
            cost, last = now.less(last), now
        yield step, cost
    end = numbers(b).less(last)
    if end != nothing:
        yield Step("beside", "", "", "", "", lambda: None), end
