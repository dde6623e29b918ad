"""All layers of a model -> one slab each, bottom to top: the left half is the mixer, the right half the MLP."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from cutaway.gallery.cached import cached_for_spec
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.pictures import role_of, short_of
from cutaway.gallery.drawing.words import runs
from cutaway.gallery.graph import Graph
from cutaway.gallery.spec import ModelSpec
from cutaway.gallery.wiring import closing_graph, opening_graph

MOST = 150  # slabs; a deeper model shows several layers per slab
HALF, MIDDLE = 34, 3
WIDTH = 2 * HALF + MIDDLE
EAVES = 5  # by which embedding and head are wider, so that their words have room


@dataclass(slots=True)
class Slabs:
    """What the tower shows: (mixer role, MLP role) per slab from the bottom, "" where the layer lacks the half."""

    roles: list[tuple[str, str]]
    per_slab: int
    layers: int


@cached_for_spec
def slabs_of(spec: ModelSpec) -> Slabs:
    """Roles per layer; layers that share their parts are looked at once."""
    seen: dict[tuple[int, int], tuple[str, str]] = {}
    roles = []
    for layer in spec.layers:
        key = (id(layer.mixer), id(layer.mlp))
        found = seen.get(key)
        if found is None:
            found = seen[key] = (role_of(layer.mixer), role_of(layer.mlp))
        roles.append(found)
    step = -(-len(roles) // MOST)
    return Slabs(roles[::step], step, len(roles))


def draw_slabs(
    m: Marks, slabs: Slabs, x: float, top: float, height: float, half: float = HALF, thin: bool = False
) -> None:
    """The slabs in `height`: one path per role and side."""
    n = len(slabs.roles)
    pitch = height / n
    space = min(2.4, pitch * (0.34 if thin else 0.24))
    tall = round(pitch - space, 2)
    box = f"h{half:g}v{tall:g}h-{half:g}z"
    bottom = top + height + space / 2
    levels = [round(bottom - i * pitch, 1) for i in range(1, n + 1)]
    for side, left in ((0, x), (1, x + half + (1.5 if thin else MIDDLE))):
        rows: dict[str, list[float]] = {roles[side]: [] for roles in dict.fromkeys(slabs.roles)}
        for roles, y in zip(slabs.roles, levels, strict=True):
            rows[roles[side]].append(y)
        for role, found in rows.items():
            if role or not thin:
                steps = (f"m0 {y - before:.1f}" for before, y in pairwise(found))  # relative, which packs well
                d = f"M{left:g} {found[0]:.1f}{box}" + "".join(step + box for step in steps)
                m.path("solid " + role if role else "empty", d)


def mtp_words(spec: ModelSpec) -> str:
    """Nemotron 3 splits a module into layers of one half each, as it splits its stack."""
    count = len(spec.mtp)
    if has_half_layers(spec):
        modules = len(spec.mtp_extras)
        return f"{modules} MTP module{'s' * (modules > 1)} of {count // modules} single-mixer layers"
    return f"{count} MTP layer{'s' * (count > 1)}"


def has_half_layers(spec: ModelSpec) -> bool:
    """Whether what predicts further tokens comes in half layers."""
    return len(spec.mtp) > 1 and all(layer.mixer is None or layer.mlp is None for layer in spec.mtp)


def changes(spec: ModelSpec) -> list[int]:
    """Layer numbers worth printing: both ends, and where long runs of one kind begin."""
    starts = [0]
    for a, b in zip(spec.layers, spec.layers[1:], strict=False):
        if (a.mixer is not b.mixer or a.mlp is not b.mlp) and (a.mixer, a.mlp) != (b.mixer, b.mlp):
            starts.append(b.index)
    return sorted({*(starts if len(starts) <= 6 else [0]), len(spec.layers) - 1})


class Tower:
    """The tower with its embedding and head; `place` needs a height of at least `least`."""

    LEFT = 36  # "MTP" and layer numbers stand there

    def __init__(self, spec: ModelSpec) -> None:
        self.spec, self.slabs = spec, slabs_of(spec)
        self.ghosts = min(len(spec.mtp), 4)
        n = len(self.slabs.roles)
        self.fixed = 26 + 24 + (20 if spec.final_norm else 0) + self.ghosts * 12 + 4 + 28 + 24
        self.least = self.fixed + max(int(n * 3.2), 40)
        self.most = self.fixed + n * 30
        self.w = self.LEFT + WIDTH
        self.left = 0.0
        self.levels: dict[str, float] = {}  # head, mtp, embed -> the middle of what was drawn of it
        self.boxes: dict[str, tuple[float, float, float, float]] = {}

    def put(self, m: Marks, x: float, y: float, height: float) -> None:
        """Draw at most `height` tall, from the top."""
        spec, left = self.spec, x + self.LEFT
        self.left = left
        height = min(height, self.most)
        m.part("tower", (x, y - 8, x + self.w + EAVES + 24, y + height))
        axis = left + WIDTH / 2
        entry, leaving = opening_graph(spec), closing_graph(spec)
        m.scope("model", [*entry.edges(), *leaving.edges(), (leaving.out, "out")])
        at = self._way_out(m, left, axis, y, leaving)
        at = self._further(m, left, at)
        self.slab_top, self.slab_height = at, y + height - 52 - at
        draw_slabs(m, self.slabs, left, at, self.slab_height)
        self._numbers(m, left)
        self._way_in(m, left, axis, y + height, [node.name for node in entry.nodes])
        m.leave()
        m.close()

    def _way_out(self, m: Marks, left: float, axis: float, y: float, leaving: Graph) -> float:
        """Final norm and head in one box; says where the layers may begin."""
        spec, own = self.spec, {node.name for node in leaving.nodes}
        m.open("", [node.name for node in leaving.nodes])
        m.open("", sorted({name for node in leaving.nodes for name in node.inputs} - own), refer=True)
        m.close()
        if spec.has_head:
            m.middle("small", axis, y + 5, f"logits {spec.vocab_size:,}")
            m.edge(axis, y + 24, axis, y + 13, tip="up", names=m.names((leaving.out,), ("out",)))
            self._box(
                m,
                left,
                y + 25,
                "head",
                "LM head",
                f"head: {spec.hidden_size:,} → {spec.vocab_size:,}" + self._tied_words(),
            )
        else:
            m.middle("small", axis, y + 25, "no LM head")
            self.levels["head"] = y + 25
            m.edge(axis, y + 46, axis, y + 33, tip="up", names=m.names((leaving.out,), ("out",)))
        at = y + 51
        if spec.final_norm:
            m.rect("pill", left + 4, at, WIDTH - 8, 15, 4)
            m.middle("small", axis, at + 7.5, spec.final_norm.kind)
            at += 20
        m.close()
        return at

    def _further(self, m: Marks, left: float, at: float) -> float:
        """Layers of multi-token prediction, as ghosts of the halves that they have, the last on top."""
        half = "half " if has_half_layers(self.spec) else ""
        for i, layer in enumerate(reversed(self.spec.mtp[: self.ghosts])):
            m.open(f"multi-token prediction: a further {half}layer, not counted among the layers")
            if layer.mixer is not None:
                m.rect("ghost embed", left, at + i * 12, HALF, 8, 2)
            if layer.mlp is not None:
                m.rect("ghost embed", left + HALF + MIDDLE, at + i * 12, HALF, 8, 2)
            m.close()
        self.levels["mtp"] = at + 4
        if self.ghosts:
            m.text("small end", left - 5, at + 8, "MTP")
        return at + self.ghosts * 12 + 4

    def _way_in(self, m: Marks, left: float, axis: float, bottom: float, names: list[str]) -> None:
        """Tokens and the embedding."""
        spec = self.spec
        m.open("", names)
        rows = f"embedding: {spec.vocab_size:,} × {spec.embedding_size or spec.hidden_size:,}"
        self._box(m, left, bottom - 50, "embed", "Embedding", rows)
        m.close()
        m.edge(axis, bottom - 13, axis, bottom - 26, tip="up", names=m.names(("tokens",), names))
        m.middle("small", axis, bottom - 5, "tokens")

    def _tied_words(self) -> str:
        return ", the embedding used again" if self.spec.tie_word_embeddings else ""

    def _box(self, m: Marks, x: float, y: float, name: str, words: str, title: str) -> None:
        self.levels[name] = y + 11.5
        self.boxes[name] = (x - EAVES, y, x + WIDTH + EAVES, y + 23)
        m.open(title)
        m.rect("box embed", x - EAVES, y, WIDTH + 2 * EAVES, 23, 4)
        m.middle("smallx embed", x + WIDTH / 2, y + 11.5, words)
        m.close()

    def layer_y(self, index: int) -> tuple[float, float]:
        """(top, bottom) of a layer's slab."""
        pitch = self.slab_height / len(self.slabs.roles)
        slab = index // self.slabs.per_slab
        bottom = self.slab_top + self.slab_height - slab * pitch
        return bottom - pitch, bottom

    def _numbers(self, m: Marks, left: float) -> None:
        """Layer numbers at the ends and at changes of kind, wherever they do not touch."""
        numbers = changes(self.spec)
        said: list[float] = []
        for index in dict.fromkeys([numbers[-1], numbers[0], *numbers]):
            top, bottom = self.layer_y(index)
            y = round((top + bottom) / 2 + 4, 1)
            if all(abs(y - other) >= 13 for other in said):
                said.append(y)
                m.text("small end", left - 5, y, str(index))

    def lines(self) -> list[str]:
        """The outline: head, layers in runs from the top, embedding."""
        spec = self.spec
        out = [f"logits {spec.vocab_size:,}", "LM head" + self._tied_words()] if spec.has_head else ["no LM head"]
        out += [spec.final_norm.kind] if spec.final_norm else []
        out += [f"{mtp_words(spec)}, apart"] if spec.mtp else []
        return [
            *out,
            *self._runs(),
            f"Embedding {spec.vocab_size:,} × {spec.embedding_size or spec.hidden_size:,}",
            "tokens",
        ]

    def _runs(self) -> list[str]:
        words: dict[str, list[int]] = {}
        for layer in self.spec.layers:
            key = f"{short_of(layer.mixer) or 'no mixer'} | {short_of(layer.mlp) or 'no MLP'}"
            words.setdefault(key, []).append(layer.index)
        spans = [(first, last, key) for key, found in words.items() for first, last in runs(found)]
        out = []
        for first, last, key in sorted(spans, reverse=True):
            out.append(f"layer {first}: {key}" if first == last else f"layers {first}–{last}: {key}")
        return out
