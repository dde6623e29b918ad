"""Two models -> one step for each kind of layer in place of another, and for each field of the model as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from cutaway.gallery.comparing.field_steps import Step
from cutaway.gallery.comparing.fields import text
from cutaway.gallery.comparing.kinds import label
from cutaway.gallery.comparing.model_fields import MODEL
from cutaway.gallery.comparing.state import State, with_parts
from cutaway.gallery.comparing.text import cell
from cutaway.gallery.comparing.text.number import scaled_count
from cutaway.gallery.counting.parameters import parameters


def kind_steps(state: State, half: str) -> Iterator[Step]:
    """One step per pair of kinds, one in place of the other."""
    groups: dict[tuple[str, str], list[int]] = {}
    for i, kind in enumerate(state.kind[half]):
        if not state.stays(i, half):
            groups.setdefault((label(kind), label(state.target(i, half))), []).append(i)
    for (was, becomes), at in sorted(groups.items(), key=lambda group: -len(group[1])):
        what, key, *texts = cell.replaced_kind(state.a, state.b, half, was, becomes, at)
        yield Step(
            half, what, key, (texts[0], texts[1]), place_sublayers(state, half, at), place=half, values=(was, becomes)
        )


def place_sublayers(state: State, half: str, at: list[int]) -> Callable[[], None]:
    """Puts b's halves into these layers."""

    def apply() -> None:
        for i in at:
            state.layers[i] = with_parts(state.layers[i], **{half: state.target(i, half)})
            state.kind[half][i] = object()  # of no kind of a any more

    return apply


def norm_steps(state: State) -> Iterator[Step]:
    """The norms of a layer, and the last one."""
    a, b = cell.norms(state.a), cell.norms(state.b)

    def apply() -> None:
        pairs = zip(state.from_b, state.layers, strict=True)
        state.layers = [with_parts(layer, norms=state.b.layers[i].norms) for i, layer in pairs]
        state.change(final_norm=state.b.final_norm)

    if a != b:
        yield Step("norms", "norms of a layer", "norms", (a, b), apply, place="norm")
    elif [layer.norms for layer in state.a.layers[:1]] != [layer.norms for layer in state.b.layers[:1]]:
        eps = cell.epsilon(state.a), cell.epsilon(state.b)
        what, key = ("epsilon of the norms", "rms_norm_eps") if eps[0] != eps[1] else ("weights of the norms", "norms")
        texts = eps if eps[0] != eps[1] else (cell.weights(state.a), cell.weights(state.b))
        yield Step("norms", what, key, texts, apply, disc=False)
    else:
        apply()
    if (state.a.final_norm is None) != (state.b.final_norm is None):
        texts = (text(bool(state.a.final_norm)), text(bool(state.b.final_norm)))
        yield Step("norms", "last norm", "norms", texts, apply)


def depth_step(state: State) -> Iterator[Step]:
    """As many layers as b has; halves and norms are b's own from here on."""
    a, b = len(state.a.layers), len(state.b.layers)

    def apply() -> None:
        now = state.layers
        state.layers = [
            with_parts(now[min(i, a - 1)], index=i, mixer=one.mixer, mlp=one.mlp, norms=one.norms)
            for i, one in enumerate(state.b.layers)
        ]
        state.change(num_hidden_layers=b)

    if a != b:
        yield Step("sizes", "layers", "num_hidden_layers", (f"{a:,}", f"{b:,}"), apply, place="tower", values=(a, b))
    else:
        yield Step("sizes", "", "", ("", ""), apply, disc=False)  # borrowed weights and the like: no row of its own


def model_steps(state: State, part: str) -> Iterator[Step]:
    """Fields of the model."""
    for names, what, key, says, place, counts in MODEL[part]:
        a, b = state.a, state.b
        if all(getattr(a, name) == getattr(b, name) for name in names):
            if names[0] == "hidden_size":
                yield from depth_step(state)
            continue
        values = tuple(getattr(x, names[0]) for x in (a, b))
        texts = (says(a), says(b))
        if texts[0] == texts[1] and names[0] == "mtp":
            what, texts = "inside the MTP layers", (scaled_count(parameters(a).mtp), scaled_count(parameters(b).mtp))
        if names[0] == "residual":
            yield stream_step(state, texts)
            continue
        apply = partial(state.change, **{name: getattr(b, name) for name in names})
        yield Step(part, what, key, texts, apply, None, counts, bool(place), place, values)
        if names[0] == "hidden_size":
            yield from depth_step(state)


def layer_steps(state: State) -> Iterator[Step]:
    """What else b's layers have."""

    def side() -> None:
        state.layers = [
            with_parts(now, parallel=one.parallel) for now, one in zip(state.layers, state.b.layers, strict=True)
        ]

    told = (cell.parallel(state.a), cell.parallel(state.b))
    what, place = ("attention and MLP in parallel", "stream") if told[0] != told[1] else ("", "")
    yield Step("beside", what, "parallel_attn", told, side, disc=bool(place), place=place)
    told = (cell.extras(state.a), cell.extras(state.b))
    if state.a.residual == state.b.residual:
        what = "besides mixer and MLP" if told[0] != told[1] else ""
        yield Step("beside", what, "", told, partial(give_extras, state), disc=bool(what))


def give_extras(state: State) -> None:
    """What b's layers have beside mixer and MLP."""
    pairs = zip(state.layers, state.b.layers, strict=True)
    state.layers = [with_parts(now, extras=one.extras) for now, one in pairs]


def stream_step(state: State, texts: tuple[str, str]) -> Step:
    """Another residual scheme, with what its layers need for it."""

    def apply() -> None:
        give_extras(state)
        state.change(residual=state.b.residual)

    values = (state.a.residual, state.b.residual)
    return Step("beside", "residual streams", "hc_mult", texts, apply, place="stream", values=values)
