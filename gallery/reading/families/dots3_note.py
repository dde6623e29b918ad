"""dots 3 Note: DeepSeek-V3.2's layer, latents scaled, rotated keys normed, a gate per head; windows have own sizes."""

from dataclasses import replace

from cutaway.gallery.reading.attention import latent
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.families.deepseek_v3 import FAMILY as V3
from cutaway.gallery.reading.mlps import dense, moe
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.spec import LatentAttention

SIZES = {"num_attention_heads": 64, "q_lora_rank": 1024, "kv_lora_rank": 1024, "qk_nope_head_dim": 192,
         "qk_rope_head_dim": 64, "v_head_dim": 128}  # fmt: skip


def words(facts: Facts, depth: int) -> list[str]:
    """What the class assumes: the first two layers and every fourth from the second are indexed."""
    full = "full" if facts.says("use_dsa") and not facts.flag("use_dsa") else "sparse"
    on = facts.flag("use_sliding_window", True)
    return [full if not on or index < 2 or index % 4 == 1 else "sliding" for index in range(depth)]


def own_sizes(r: Reading, index: int) -> dict[str, int]:
    """Sizes of a windowed layer: keys that begin with swa_, in files without per_layer_config."""
    facts = r.facts
    if facts.has("per_layer_config") or r.words[index] != "sliding":
        return {}
    found = {name: facts.integer("swa_" + name) or usual for name, usual in SIZES.items()}
    if facts.has("swa_head_dim") and not facts.has("swa_qk_rope_head_dim"):
        found["qk_rope_head_dim"] = facts.need("swa_head_dim") - found["qk_nope_head_dim"]
    return found


def mixer(r: Reading, index: int) -> LatentAttention:
    """MLA whose latents are scaled; a window, or an indexer."""
    facts, word = r.facts, r.words[index]
    sizes = {name: facts.need(name) for name in SIZES} | own_sizes(r, index)
    ranks = {part: facts.at_least(f"{part}_lora_rank", sizes[f"{part}_lora_rank"]) for part in ("q", "kv")}
    scale = {f"{part}_scale": (r.hidden_size / rank) ** 0.5 for part, rank in ranks.items()}
    changes: dict = {**sizes, **scale, "rotary_dim": sizes["qk_rope_head_dim"], "gate": "headwise", "key_norm": True}
    if word == "sliding":
        changes["sliding_window"] = facts.integer("sliding_window") or 512
    if word == "full":
        changes["indexer"] = None
    return latent(r, index, word, **changes)


def mlp(r: Reading, index: int, word: str) -> object:
    """Each shared expert has a width of its own."""
    if word == "dense":
        return dense(r, index)
    count = r.facts.per_layer("n_shared_experts", index, 1) or 1
    new = r.facts.integer("shared_experts_intermediate_size", 1536)
    width = r.facts.integer("shared_expert_intermediate_size", new) or 0  # the older key, which wins
    return moe(r, index, n_shared_experts=count, shared_expert_intermediate_size=count * width)


def prepare(r: Reading) -> None:
    """Files that say full_attention mean the indexed layers, unless use_dsa is off or per_layer_config is there."""
    from cutaway.gallery.reading.layer_words import mixer_words

    facts = r.facts
    r.words = mixer_words(facts, r.depth) or words(facts, r.depth)
    indexed = facts.flag("use_dsa", not facts.has("per_layer_config"))
    if indexed:
        r.words = ["sparse" if word == "full" else word for word in r.words]


FAMILY = replace(
    V3,
    source="transformers 5.23.0, models/dots3_note",
    windowed=True,
    unread={},  # its configuration reads moe_layer_freq
    defaults={"first_k_dense_replace": 1, "local_rope_theta": 50_000.0, "rope_theta": 80_000_000.0, "norm_eps": 1e-5},
    scale=None,
    latent_norm_eps=0.0,
    index_interleaved=True,
    prepare=prepare,
    mixers={"sparse": mixer, "sliding": mixer, "full": mixer},
    mlp=mlp,
    mtp=None,
    nested="model.language_model",
    zoo="",
)
