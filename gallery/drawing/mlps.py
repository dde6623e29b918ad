"""The insides of MLPs: dense ones as a flow, mixtures of experts as a field of cells with one expert opened."""

from __future__ import annotations

from math import prod

from gallery.drawing.inside import drawn
from gallery.drawing.items import LINE, Matrix
from gallery.drawing.marks import Marks
from gallery.drawing.measure import wide
from gallery.drawing.parts import Inside, Parts, per_layer
from gallery.drawing.steps import act
from gallery.drawing.words import count
from gallery.spec import ChannelMix, Dense, MoE

NAMES = {"SiLU": "SwiGLU", "GELU": "GeGLU"}


def dense(parts: Parts) -> Inside:
    """gate and up side by side, then down; or up and down."""
    m: Dense = parts.m
    f = act(m.hidden_act)
    borrowed = m.weights_of is not None
    size = f"width {m.intermediate_size:,}, {m.intermediate_size / parts.h:.2g} × the residual stream"
    says = f"the weights of layer {m.weights_of}" if borrowed else f"{per_layer(parts)} · {size}"
    title = f"Dense MLP, {NAMES.get(f, f + ' gated')}" if m.gated else f"Dense MLP, {f}"
    title += ", shared weights" if borrowed else ""
    return drawn(parts, "dense", title, says)


def channel_mix(parts: Parts) -> Inside:
    """RWKV: up, relu², down, each token mixed with the one before it."""
    m: ChannelMix = parts.m
    return drawn(parts, "dense", "Channel mix, ReLU²", f"{per_layer(parts)} · width {m.intermediate_size:,}")


def moe(parts: Parts) -> Inside:
    """Router, cells, one expert, what every token visits."""
    m: MoE = parts.m
    each = sum(prod(s) for n, s in parts.own.items() if "{expert}" in n) // max(m.num_experts, 1)
    words = [f"{m.num_experts:,} experts × {count(each)}", f"each token visits {m.num_experts_per_tok}"]
    if m.n_group > 1:
        words[-1] += f", chosen in {m.topk_group} of {m.n_group} groups"
    if m.shared_expert_intermediate_size:
        n = max(m.n_shared_experts, 1)
        words[-1] += f", plus {n} shared" + (" with its own gate" if m.shared_gate else "")
    if m.latent_size:
        words.append(f"in a latent of {m.latent_size:,}")
    if m.zero_expert_num:
        words.append(f"{m.zero_expert_num} more return their input")
    return Inside("moe", "Mixture of experts", " · ".join(words), experts=Experts(parts, each), parameters=parts.total)


def chosen(total: int, take: int, groups: int, from_groups: int) -> set[int]:
    """An example of a token's choice, always the same: spread, and in exactly `from_groups` of the groups."""
    groups = groups if 1 < groups <= total else 1
    size = total // groups
    taken = min(max(from_groups, 1), groups)
    pools = [list(range(g * size, (g + 1) * size)) for g in sorted(i * groups // taken for i in range(taken))]
    out: set[int] = set()
    for i in range(min(take, taken * size)):
        pool = pools[i * 5 % taken if taken % 5 else i % taken]
        out.add(pool.pop((5 + round(i * 0.618 * size) + 7 * i * i) % len(pool)))
    return out


class Experts:
    """The field of expert cells with its router, and the matrices of one expert to scale."""

    GAP = 18  # between the matrices of a group; a narrow panel takes less

    def __init__(self, parts: Parts, each: int) -> None:
        m: MoE = parts.m
        self.m, self.h = m, parts.h
        self.router = parts.matrix("moe", "mlp.gate", label="router")
        self.groups: list[tuple[str, list[Matrix]]] = []
        first = [(n, s) for n, s in parts.own.items() if "{expert}" in n and n.endswith(".weight")]
        self._group(parts, f"one expert · {count(each)}", first, stacked=True)
        shared = [(n, s) for n, s in parts.own.items() if ".shared_experts." in n and n.endswith(".weight")]
        if shared:
            gate = ", behind a gate" if m.shared_gate else ""
            plural = f"{m.n_shared_experts} shared experts as one" if m.n_shared_experts > 1 else "shared expert"
            size = count(sum(prod(s) for _, s in shared))
            self._group(parts, f"{plural}, every token{gate} · {size}", shared)
        latent = [(n, s) for n, s in parts.own.items() if "latent_proj" in n]
        if latent:
            self._group(parts, "into and out of the experts' latent", latent)
        self.chosen = chosen(m.num_experts, m.num_experts_per_tok, m.n_group, m.topk_group)
        self.scores = (
            "hash of the token" if m.table_rows else {"sqrtsoftplus": "√softplus"}.get(m.scoring, m.scoring[:24])
        )

    def _group(self, parts: Parts, heading: str, tensors: list, stacked: bool = False) -> None:
        matrices = []
        for name, shape in tensors:
            parts.left.pop(name, None)
            stored = parts.stored(name)
            short = name.removesuffix(".weight").rpartition(".")[2]
            title = f"{stored} ({shape[0]} of them)" if stacked else stored
            matrices.append(Matrix("moe", short, shape[-1], shape[-2], title))
            matrices[-1].bare = True
        self.groups.append((heading, matrices))

    def matrices(self) -> list[Matrix]:
        return [matrix for _, group in self.groups for matrix in group]

    def lines(self) -> list[str]:
        m = self.m
        grid = f"{m.num_experts} cells, {len(self.chosen)} of them lit as an example"
        if m.zero_expert_num:
            grid += f", {m.zero_expert_num} zero experts"
        out = [self.router.lines()[0] + f", {self.scores}, top {m.num_experts_per_tok}", grid]
        for heading, matrices in self.groups:
            out.append(heading + ": " + "; ".join(matrix.lines()[0] for matrix in matrices))
        return out

    # ---------------------------------------------------------------- the field of cells

    def group_words(self) -> str:
        """Beside the field, where its rows are groups: group 0–7."""
        m, (_, rows, _) = self.m, self.grid(500)
        if m.n_group < 2 or m.num_experts % m.n_group or rows % m.n_group:
            return ""
        each = rows // m.n_group
        return f"group 0–{m.n_group - 1}" if each == 1 else f"{m.n_group} groups of {each} rows"

    def grid(self, most: float) -> tuple[int, int, int]:
        """(columns, rows, step) of the field within `most` px; a group is whole rows."""
        n, groups = self.m.num_experts, self.m.n_group
        columns = max(1, next((c for limit, c in ((16, n), (64, 16), (512, 32)) if n <= limit), 64))
        if groups > 1 and n % groups == 0:
            size = n // groups
            columns = size if size <= 64 else next(c for c in range(64, 0, -1) if size % c == 0)
        rows = max(1, -(-n // columns))
        return columns, rows, max(3, min(15 if columns > 16 else 24, int(most // columns), max(4, 162 // rows)))

    def field_size(self, most: float) -> tuple[int, int]:
        columns, rows, step = self.grid(most)
        zero = 22 if self.m.zero_expert_num else 0
        return columns * step, rows * step + zero

    def put_field(self, m: Marks, x: float, y: float, most: float) -> None:
        """The cells, lit ones strong; identity experts as a dashed bar under them."""
        columns, rows, step = self.grid(most)
        side = step - (1 if step < 6 else 1.6 if step < 11 else 2.4)
        cell, n = f"h{side:g}v{side:g}h-{side:g}z", self.m.num_experts
        parts = []
        for r in range(rows):
            here = min(columns, n - r * columns)
            parts.append(f"M{x:g} {y + r * step:g}" + f"{cell}m{step} 0" * here)
        m.open(f"{n} experts; the lit ones are an example of what one token visits")
        m.path("cell moe", "".join(parts))
        lit = sorted(self.chosen)
        m.path("solid moe", "".join(f"M{x + i % columns * step:g} {y + i // columns * step:g}{cell}" for i in lit))
        m.close()
        if self.m.zero_expert_num:
            width = columns * step - (step - side)
            m.rect("ghost moe", x, y + rows * step + 4, width, 16, 3)
            m.middle("small", x + width / 2, y + rows * step + 12, f"{self.m.zero_expert_num} zero experts: no weights")

    # ---------------------------------------------------------------- router and opened experts

    def router_words(self) -> str:
        return f"router {self.router.shape}"

    def router_says(self) -> str:
        bias = " + bias" if self.m.router_bias else ""
        return f"{self.scores} scores{bias}, top {self.m.num_experts_per_tok}"

    def put_router(self, m: Marks, x: float, y: float, scale: float) -> None:
        """A box with its words and the matrix itself to scale; x is its middle, y its top."""
        w = wide(self.router_words(), "name") + 30
        self.router.fit(scale)
        m.open(self.router.title())
        m.rect("box moe", x - w / 2, y, w, 32, 6)
        m.middle("name", x, y + 16, self.router_words())
        m.close()

    def group_size(self, matrices: list[Matrix]) -> tuple[float, float]:
        w = sum(max(matrix.w, matrix.room) for matrix in matrices) + self.GAP * (len(matrices) - 1)
        return w, 22 + max(matrix.h for matrix in matrices) + 6 + LINE * max(len(matrix.says) for matrix in matrices)

    def put_group(self, m: Marks, x: float, y: float, heading: str, matrices: list[Matrix]) -> None:
        m.text("ink", x, y + 12, heading)
        high = max(matrix.h for matrix in matrices)
        for matrix in matrices:
            slot = max(matrix.w, matrix.room)
            matrix.put(m, x + matrix.w / 2, y + 22 + high - matrix.h)
            for i, (style, words) in enumerate(matrix.says):
                m.text(style, x, y + 22 + high + 6 + 11 + LINE * i, words)
            x += slot + self.GAP
