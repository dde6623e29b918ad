"""ModelSpec -> the sheet: all that the planner needs of a model, as plain JSON, layers folded by kind.

What follows from a sheet and a layout (holdings, fits, talks, work, seconds) is arithmetic on whole numbers below 2^53
and on floats in a stated order, so that the same lines in JavaScript give the same numbers.

    model_type, hidden_size, vocab_size, loops    as in the spec
    streams        how many stand side by side between layers
    tied           head and embedding are one table: with more than one stage the last holds it once more
    has_head       whether there are logits
    longest        max_position_embeddings, or null
    dtype_bits     of one number that is not quantized
    element        format of the quantized weights ("" = none)
    products       fastest format, of a device's peaks, that an engine runs such weights in; products_says: why
    rules          [rule, ...]: how a thing is dealt over ranks (sharding/arithmetic.py); rows name them by their place
    before, after  [piece, ...] in front of the layers and behind them
    layers         [kind of each layer, ...]: places in kinds
    kinds          [kind, ...]
      pieces       [piece, ...]
      keeps        [keep, ...] what decoding keeps of one sequence in one pass
      work         terms: FLOPs of one token in one pass
      meets        [where experts are cut over tp alone, else]: how often tensor ranks meet, going forth once
      experts      [{num_experts, num_experts_per_tok, moe_intermediate_size, width, n_group, used, picks}, ...];
                   width: of what travels to an expert; used, picks: in how many groups a token's choice lies, and how
                   many experts with weights of a group it is, as reach.py counts them
      context      [{kv_heads, heads, width, query, value}, ...] of attention, for what travels between cp and dcp
                   ranks (kv_heads 0: a latent stands for all heads, which training unpacks): `width` of a key and a
                   value, and so of a query and what it gives; `query` and `value` of these while decoding
      saves        numbers of one token that training keeps for the way back, as counting/activations.py sorts them:
                   [others, matrices, both, normed, unpacked, arriving, first, last]
      joins        1 where it predicts a further token: two norms and a matrix join two streams in front of it
    ends           terms of what is in front of the layers and behind them
    mtp            [kind, ...] of the layers that predict further tokens, behind the others in kinds, once for each time
                   that training goes through them
    mtp_stored     how many of those have weights of their own; the rest are the same layers again (REPEATED)
    further        how many further tokens they predict, each with the head once more
    cuts           [[what, how many], ...] that tp divides equally; 1: not cut by this planner
    shared         [[what, how many], ...] that several heads share: tp divides each, or each divides tp
    kv_heads       [K, ...] of all attention
    crossings      [[word, layer, of], ...] what a layer uses of another: "weights_of" or "kv_source"
    towers         [name, ...] of other networks, which are left out
    caveats        {"read_from_keys": whether model_type is unknown here, "not_understood": [sentence, ...],
                   "contradictions": [sentence, ...], "unread": [key, ...]} as in the spec

    piece          [name, shape, part, numbers, bytes as stored, rule, 1 where it is a matrix that formats change]
    keep           [kind, numbers in the cache's format, bits in another, {packed layout: bits}, every, cap, fixed,
                   rule, most]: one entry for every `every` tokens, at most `cap` (null: no end), or one where fixed
                   is 1; a step reads at most `most` of them (null: all), where an indexer chooses
    terms          {"token": FLOPs whatever the context, "experts": of these, routed experts',
                   "reads": [[FLOPs an entry, every, cap or null, when], ...]}; when: "" | "decode" | "prefill"
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.counting import blocks, cache_growth
from cutaway.gallery.counting.activations import count_activations
from cutaway.gallery.counting.products import fastest_way
from cutaway.gallery.counting.stored_bytes import list_stored
from cutaway.gallery.formats.bits import stored_bits
from cutaway.gallery.graph import Graph
from cutaway.gallery.planning.reach import expert_reach
from cutaway.gallery.planning.sharding.arithmetic import Rule
from cutaway.gallery.planning.sharding.rules import MIXERS, MLPS, TP, cache_rule, heads_of, parts_of, rule_of
from cutaway.gallery.planning.sharding.weights import Piece, first_alike, list_pieces, mtp_pieces
from cutaway.gallery.planning.terms import mtp_terms, terms
from cutaway.gallery.residuals.shortcut import Shortcut
from cutaway.gallery.wiring import closing_graph, layer_graph, opening_graph

PlannerModel = dict[str, Any]
# model_type -> how many further tokens training predicts with each stored layer, one after the other: recipes of
# Nemotron 3 set mtp_num_layers = 2 and mtp_use_repeated_layer (NVIDIA-NeMo/Megatron-Bridge, recipes/nemotronh)
REPEATED = {"nemotron_h": 2}


class Rules:
    """The rules that were met, each once, in the order in which they were met."""

    def __init__(self) -> None:
        self.rows: list[Rule] = []
        self.known: dict[tuple[Any, ...], int] = {}

    def place(self, rule: Rule) -> int:
        if rule not in self.rows:
            self.rows.append(list(rule))
        return self.rows.index(rule)

    def of(self, piece: Piece) -> int:
        """The place of a piece's rule; of one that another layer with the same mixer has, it is known."""
        key = (piece.name, piece.shape, piece.part, id(piece.layer and piece.layer.mixer))
        if key not in self.known:
            self.known[key] = self.place(rule_of(piece.name, piece.shape, piece.part, piece.layer))
        return self.known[key]


def make_planner_model(spec: s.ModelSpec) -> PlannerModel:
    """All that the planner needs of a model."""
    rules = Rules()
    ends, kinds, places = kinds_of(spec, rules)
    ahead = [further_kind(spec, place, own, rules) for place, own in enumerate(mtp_pieces(spec))]
    kinds += [kind for place, kind in enumerate(ahead) if kind not in ahead[:place]]
    times = REPEATED.get(spec.model_type, 1)
    way = fastest_way(spec.quantization, (one.row for one in list_stored(spec)) if spec.quantization else ())
    return {
        "model_type": spec.model_type, "hidden_size": spec.hidden_size, "vocab_size": spec.vocab_size,
        "loops": spec.loops, "streams": streams(spec),
        "tied": spec.tie_word_embeddings and spec.has_head, "has_head": spec.has_head,
        "longest": spec.max_position_embeddings, "dtype_bits": stored_bits(spec.dtype),
        "element": spec.quantization.element if spec.quantization else "",
        "products": way.fastest, "products_says": way.says, "rules": rules.rows,
        "before": ends[0], "after": ends[1], "layers": places, "kinds": kinds,
        "ends": terms(Graph((*opening_graph(spec).nodes, *closing_graph(spec).nodes), "")),
        "mtp": [kinds.index(kind) for kind in ahead] * times, "mtp_stored": len(ahead),
        "further": (len(spec.mtp_extras) or len(spec.mtp)) * times,
        "cuts": [list(one) for one in dict.fromkeys(list_divisible(spec))],
        "shared": [list(one) for one in dict.fromkeys(list_shared_heads(spec))], "kv_heads": kv_heads(spec),
        "crossings": list_stream_crossings(spec), "towers": [tower.name for tower in spec.towers],
        "caveats": {
            "read_from_keys": spec.read_from_keys, "not_understood": list(spec.not_understood),
            "contradictions": list(spec.contradictions), "unread": list(spec.unread),
        },
    }  # fmt: skip


def kinds_of(spec: s.ModelSpec, rules: Rules) -> tuple[tuple[list, list], list[dict[str, Any]], list[int]]:
    """(pieces before and after the layers, each kind of layer, the kind of every layer)."""
    by_layer: dict[int | None, list[list[Any]]] = {}
    ends: tuple[list[list[Any]], list[list[Any]]] = ([], [])
    firsts = first_alike(spec)
    for piece in list_pieces(spec, set(firsts)):
        into = by_layer.setdefault(piece.layer.index, []) if piece.layer else ends[piece.last]
        into.append(piece_row(piece, rules))
    kept = keep_rows(spec, rules)
    kinds: list[dict[str, Any]] = []
    places: list[int] = []
    facts: dict[tuple[int, ...], dict[str, Any]] = {}  # layers that share their halves are worked out once
    for layer, first in zip(spec.layers, firsts, strict=True):
        if first != layer.index:
            places.append(places[first])
            continue
        key = layer.made_of
        if key not in facts:
            facts[key] = kind_facts(spec, layer)
        kind = {"pieces": by_layer.get(layer.index, []), "keeps": kept[layer.index], **facts[key]}
        if kind not in kinds:
            kinds.append(kind)
        places.append(kinds.index(kind))
    return ends, kinds, places


def streams(spec: s.ModelSpec) -> int:
    """How many stand side by side between layers."""
    return getattr(spec.residual, "streams", 1)


def piece_row(piece: Piece, rules: Rules) -> list[Any]:
    return [piece.name, list(piece.shape), piece.part, piece.size, piece.bytes, rules.of(piece), int(piece.matrix)]


def further_kind(spec: s.ModelSpec, place: int, own: list[Piece], rules: Rules) -> dict[str, Any]:
    """A layer that predicts a further token, as a kind; the matrix that joins two streams is cut by what it gives."""
    rows = [piece_row(piece, rules) for piece in own]
    for row in rows:
        if row[2] == "other" and len(row[1]) == 2 and row[1][0] == spec.hidden_size:
            row[5] = rules.place(TP)
    work = {"work": mtp_terms(spec, place), "joins": 1}
    return {"pieces": rows, "keeps": [], **kind_facts(spec, spec.mtp[place]), **work}


def keep_rows(spec: s.ModelSpec, rules: Rules) -> list[list[list[Any]]]:
    """What each layer keeps, with the rule by which it is dealt over ranks."""
    out = []
    seen: dict[tuple[int, ...], list[list[Any]]] = {}  # with how much of it a step reads, by what a layer is made of
    for layer, found in zip(spec.layers, cache_growth.growth_rows(spec), strict=True):
        if layer.made_of not in seen:
            seen[layer.made_of] = blocks.cache_entries(found, list(layer_graph(spec, layer).nodes))
        kept = []
        for (kind, numbers, bits, every, cap, fixed, packed), (_, most) in zip(found, seen[layer.made_of], strict=True):
            rule = rules.place(cache_rule(layer.mixer, kind))
            kept.append([kind, numbers, bits, packed, every, cap, fixed, rule, most])
        out.append(kept)
    return out


def kind_facts(spec: s.ModelSpec, layer: s.Layer) -> dict[str, Any]:
    """What a layer does: FLOPs, meetings, experts, what travels between context ranks."""
    graph = layer_graph(spec, layer)
    return {
        "work": terms(graph),
        "meets": [count_layer_reduces(spec, layer, own) for own in (True, False)],
        "experts": [expert_row(moe, spec.hidden_size) for moe in parts_of(layer.mlp) if isinstance(moe, s.MoE)],
        "context": [row for mixer in parts_of(layer.mixer) if (row := context_row(mixer))],
        "saves": list(count_activations(graph, spec.hidden_size, streams(spec))),
    }


def expert_row(moe: s.MoE, hidden: int) -> dict[str, Any]:
    """Sizes of a mixture, what travels to its experts, and how its router's rule spreads them."""
    names = ("num_experts", "num_experts_per_tok", "moe_intermediate_size", "n_group")
    scoring = "" if moe.topk_first else moe.scoring
    reach = expert_reach(
        moe.num_experts, moe.num_experts_per_tok, moe.n_group, moe.topk_group, moe.group_score == "top2", scoring,
        moe.zero_expert_num,
    )  # fmt: skip
    return {**{name: getattr(moe, name) for name in names}, "width": moe.latent_size or hidden, **reach}


def context_row(mixer: object) -> dict[str, int]:
    """Keys and values of few heads; training unpacks them from a latent, decoding reads the latent itself."""
    if isinstance(mixer, s.Attention):
        d, dv = mixer.head_dim, mixer.v_head_dim
        more = {"width": d + dv, "query": d, "value": dv}
        return {"kv_heads": mixer.num_key_value_heads, "heads": mixer.num_attention_heads, **more}
    if isinstance(mixer, s.LatentAttention):
        latent, rope = mixer.kv_lora_rank, mixer.qk_rope_head_dim
        width = mixer.qk_nope_head_dim + rope + mixer.v_head_dim
        more = {"width": width, "query": latent + rope, "value": latent}
        return {"kv_heads": 0, "heads": mixer.num_attention_heads, **more}
    return {}


def count_layer_reduces(spec: s.ModelSpec, layer: s.Layer, own: bool) -> int:
    """How often tensor ranks meet for one layer; once where mixer and MLP run side by side."""
    halves = (
        count_sublayer_reduces(layer.mixer, own),
        count_sublayer_reduces(layer.mlp, own, isinstance(spec.residual, Shortcut)),
    )
    return max(halves) if layer.parallel else sum(halves)


def count_sublayer_reduces(half: object, own: bool, turns: bool = False) -> int:
    """How often tensor ranks meet for one half of a layer: for each of its parts, once where they are beside.

    `own`: experts are cut over the tensor ranks; if not, only the shared ones are. `turns`: they take turns with the
    mixers (LongCat), whatever the half says.
    """
    counts = [
        int(own or bool(part.shared_expert_intermediate_size)) if isinstance(part, s.MoE) else 1
        for part in parts_of(half)
    ]
    beside = isinstance(half, s.Combined) and half.how == "parallel" and not turns
    return max(counts, default=0) if beside else sum(counts)


def list_divisible(spec: s.ModelSpec) -> list[tuple[str, int]]:
    """(what it is, how many) of everything that tensor parallelism cuts into equal parts."""
    found: list[tuple[str, int]] = []
    for layer in spec.layers:
        for mixer in parts_of(layer.mixer):
            known = isinstance(mixer, MIXERS)
            heads = heads_of(mixer) if known else 1
            found.append((f"{heads} heads" if known else type(mixer).__name__, heads))
        for mlp in parts_of(layer.mlp):
            width = getattr(mlp, "intermediate_size", 0) or getattr(mlp, "shared_expert_intermediate_size", 0)
            if width or not isinstance(mlp, MLPS):
                found.append((f"an MLP of width {width}" if width else type(mlp).__name__, width or 1))
    return found


def list_shared_heads(spec: s.ModelSpec) -> Iterator[tuple[str, int]]:
    """(what it is, how many) of everything that several heads share: key/value heads, key heads, groups."""
    for mixer in (mixer for layer in spec.layers for mixer in parts_of(layer.mixer)):
        if isinstance(mixer, s.Attention):
            yield f"{mixer.num_key_value_heads} key/value heads", mixer.num_key_value_heads
        elif isinstance(mixer, s.GatedDeltaNet):
            yield f"{mixer.linear_num_key_heads} key heads", mixer.linear_num_key_heads
        elif isinstance(mixer, s.Mamba2):
            yield f"{mixer.n_groups} groups of heads", mixer.n_groups


def kv_heads(spec: s.ModelSpec) -> list[int]:
    """The counts of key/value heads, in the order of the layers."""
    mixers = (mixer for layer in spec.layers for mixer in parts_of(layer.mixer))
    return list(dict.fromkeys(mixer.num_key_value_heads for mixer in mixers if isinstance(mixer, s.Attention)))


def list_stream_crossings(spec: s.ModelSpec) -> list[list[Any]]:
    """What layers use of another: its weights, its keys and values."""
    return [
        [name, layer.index, of]
        for layer in spec.layers
        for part in (*parts_of(layer.mixer), *parts_of(layer.mlp))
        for name in ("weights_of", "kv_source")
        if (of := getattr(part, name, None)) is not None
    ]
