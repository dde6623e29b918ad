"""A model's view -> its facts, wiring and parts as rows of its page, and its numbers for programs; no markup."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.app.model.cache_rows import cache
from cutaway.app.model.view import SpecView
from cutaway.app.words.storage import format_words
from cutaway.explainers import fmt
from cutaway.gallery.drawing import wiring_words
from cutaway.gallery.drawing.tower import mtp_words
from cutaway.gallery.spec import ModelSpec

# What each part of the ledger is called, and the colour token of its bar.
PART_WORDS = {
    "embedding": ("Token embedding", "embed"),
    "head": ("Output head", "embed"),
    "attention": ("Attention", "full"),
    "indexer": ("Indexer", "sparse"),
    "linear": ("Linear attention", "linear"),
    "ssm": ("State space", "ssm"),
    "conv": ("Convolutions", "linear"),
    "dense": ("Dense MLP", "dense"),
    "experts": ("Routed experts", "moe"),
    "shared": ("Shared expert", "moe"),
    "router": ("Router", "moe"),
    "norm": ("Normalisation", "dense"),
    "residual": ("Residual scheme", "dense"),
    "other": ("Other", "dense"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """One row of the parameter ledger."""

    words: str
    role: str
    count: int
    share: float


def parts(view: SpecView) -> list[Part]:
    """Parameters by part, largest first."""
    total = view.parameters.total
    found = []
    for key, count in sorted(view.parameters.by_part.items(), key=lambda pair: -pair[1]):
        words, role = PART_WORDS.get(key, (key, "dense"))
        if key == "attention":
            role = attention_role(view)
        found.append(Part(words, role, count, count / total if total else 0))
    return found


def attention_role(view: SpecView) -> str:
    """Attention weights wear the colour of the attention most layers use."""
    from cutaway.gallery.spec import CompressedAttention, LatentAttention

    latent = sum(isinstance(layer.mixer, LatentAttention | CompressedAttention) for layer in view.spec.layers)
    return "latent" if latent * 2 > len(view.spec.layers) else "full"


def head_words(spec: ModelSpec) -> tuple[str, str]:
    """(what stands below and above the layers, the key that says so)."""
    if not spec.has_head:
        return "only an embedding, no output head", "architectures"
    return "tied: one table" if spec.tie_word_embeddings else "untied: two tables", "tie_word_embeddings"


def written_in(view: SpecView) -> tuple[str, str]:
    """(the format of what nothing else describes, the key that says so)."""
    said = format_words(view.spec.dtype)
    return (said, "dtype") if view.dtype_named else (f"{said} assumed, because our copy of the config has no dtype", "")


UNKNOWN = "unknown"


def bytes_words(total: int | None) -> str:
    """What the weights take, or the word for what cannot be counted."""
    return UNKNOWN if total is None else fmt.in_bytes(total)


def all_bytes_words(view: SpecView) -> str:
    """What the weights take, and with the MTP layers in the files what these hold."""
    own, ahead = view.stored_bytes, view.stored_mtp_bytes
    if not ahead or own is None:
        return bytes_words(own)
    both = fmt.in_bytes(own + ahead)
    return f"{fmt.in_bytes(own)}; the files take {both}, including the MTP layers ({fmt.in_bytes(ahead)})"


def facts(view: SpecView) -> list[tuple[str, str, str]]:
    """(what, value, the config key it came from): what a reader looks up first."""
    spec, context = view.spec, view.spec.max_position_embeddings
    again = ", with the final norm after every run" if spec.loop_norm else ""
    loops = f", run {spec.loops} times{again}" if spec.loops > 1 else ""
    rows = [
        ("Family", spec.model_type, "model_type"),
        ("Architecture", spec.architecture, "architectures"),
        ("Layers", f"{spec.num_hidden_layers:,}{loops}", "num_hidden_layers"),
        ("Width of the residual stream", f"{spec.hidden_size:,}", "hidden_size"),
        ("Vocabulary", f"{spec.vocab_size:,}", "vocab_size"),
        ("Context", f"{context:,} tokens" if context else "", "max_position_embeddings"),
        ("Embedding and head", *head_words(spec)),
        (
            "Attention mask",
            "bidirectional: every token attends to every other, no KV cache" if spec.bidirectional else "",
            "",
        ),
        ("Data type", *written_in(view)),
        ("Weights as stored", all_bytes_words(view), ""),
    ]
    if spec.mtp:
        rows.append(("Multi-token prediction", f"{mtp_words(spec)}, {fmt.count(view.parameters.mtp)}", ""))
    for tower in spec.towers:
        known = fmt.count(tower.parameters) if tower.parameters else "size not in the config"
        which = f": {tower.name.removesuffix('_config')}" if len(spec.towers) > 1 else ""
        what = f"Encoder{which}"
        rows.append((what, f"{tower.model_type or tower.name}, {known}", tower.name))
    return [row for row in rows if row[1]]


def wiring(view: SpecView) -> list[tuple[str, str]]:
    """(what, words): how the model is wired, as its graphs say, and whether that was proved."""
    return [*wiring_words.rows(view.spec), ("Wiring", view.proof.words.removeprefix("wiring "))]


def numbers(view: SpecView) -> dict:
    """What /data/<slug>.json says besides the catalog's row."""
    kept = {str(row.context): {"total_bytes": row.total, **row.by_kind} for row in cache(view).rows}
    return {
        "model_type": view.spec.model_type,
        "parameters": {
            "total": view.parameters.total,
            "active": view.parameters.active,
            "looked_up": view.parameters.looked_up,
            "mtp": view.parameters.mtp,
            "by_part": view.parameters.by_part,
        },
        "layers": [{"kind": kind.words, "indices": kind.indices, "parameters_each": kind.each} for kind in view.kinds],
        "stored_bytes": view.stored_bytes,
        "stored_mtp_bytes": view.stored_mtp_bytes,
        "cache": {
            "per_token_bytes": view.per_token_bytes,
            "fixed_bytes": view.fixed_bytes,
            "filling_per_token_bytes": view.memory(0).filling_bytes,
            "windows_full_at_tokens": view.memory(0).full_at,
            "at_context": kept,
        },
        "unread_keys": list(view.spec.unread),
        "not_understood": list(view.spec.not_understood),
        "contradictions": list(view.spec.contradictions),
        "notes": [*view.notes],
    }
