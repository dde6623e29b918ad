"""MiMo-V2: windowed layers with heads, sizes and sinks of their own; unequal K and V, values scaled."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.layer_words import mixer_words
from cutaway.gallery.reading.mlp_words import mlp_words
from cutaway.gallery.spec import Attention


def sliding(r: Reading, index: int) -> Attention:
    """What the file says; the class of transformers has a rule of its own for windows and for their KV heads."""
    mixer, heads = attention(r, index, "sliding"), 2 * r.facts.need("num_key_value_heads")
    tokens = r.facts.text.get("sliding_window_size")
    if isinstance(tokens, int):
        window = tokens + 1
        r.contradict(
            "sliding_window",
            f"sliding_window_size counts the {tokens} tokens before the query in transformers' class, which lets the "
            f"query "
            f"see {window}; the drawing has {mixer.sliding_window}.",
        )
        mixer = replace(mixer, sliding_window=window) if r.as_class else mixer
    if not r.facts.has("swa_num_key_value_heads"):
        return replace(mixer, num_key_value_heads=heads)
    if heads != mixer.num_key_value_heads:
        r.contradict(
            "swa_num_key_value_heads",
            f"transformers' class gives windowed layers twice the KV heads of full ones, {heads}; "
            f"the drawing has {mixer.num_key_value_heads}.",
        )
        mixer = replace(mixer, num_key_value_heads=heads) if r.as_class else mixer
    return mixer


def words(facts: Facts, depth: int) -> list[str]:
    """The first layer and every sixth see everything."""
    return ["sliding" if index and (index + 1) % 6 else "full" for index in range(depth)]


OWN = {"rope_theta": 5_000_000.0, "local_rope_theta": 10_000.0}  # of MiMoV2FlashConfig, where no dict has them


OF_FULL = {"swa_num_attention_heads": "num_attention_heads", "swa_head_dim": "head_dim", "swa_v_head_dim": "v_head_dim"}
SINKS = {"add_swa_attention_sink_bias": True, "add_full_attention_sink_bias": False}


def follow_sizes(r: Reading) -> None:
    """In transformers' class, windowed layers have the sizes of full ones; they alone have sinks."""
    for own, full in OF_FULL.items():
        if r.facts.has(own):
            r.follow_class(own, r.facts.need(full))
    for name, has in SINKS.items():
        if r.facts.flag(name, has) != has:
            word = f"{name} = {str(not has).lower()}"
            r.contradict(name, f"{word} is not read by transformers' class: windowed layers alone have sinks there.")
            if r.as_class:
                r.facts.overrule(name, has)


def follow_lists(r: Reading) -> None:
    """transformers' class reads layer_types and mlp_layer_types, and neither of the 0/1 lists of the files."""
    facts, dense = r.facts, ["dense", *["moe"] * (r.depth - 1)]
    lists = (
        ("hybrid_layer_pattern", "layer_types", mixer_words, "words", words(facts, r.depth), "every sixth layer full"),
        ("moe_layer_freq", "mlp_layer_types", mlp_words, "mlp_words", dense, "only the first layer dense"),
    )
    for name, newer, read, field, has, rule in lists:
        if facts.has(name) and not facts.has(newer) and read(facts, r.depth) != has:
            r.contradict(name, f"{name} is not read by transformers' class, which makes {rule}; the list is drawn.")
            if r.as_class:
                setattr(r, field, has)


def prepare(r: Reading) -> None:
    """The first layer is dense where no key says otherwise; the class has constants of its own."""
    follow_sizes(r)
    follow_lists(r)
    r.follow_class("partial_rotary_factor", 0.334)
    if not r.facts.text.get("rope_parameters") and not r.facts.text.get("rope_scaling"):
        for name, base in OWN.items():
            r.follow_class(name, base)
    if r.facts.word_for("norm_eps") == "layernorm_epsilon":
        r.follow_class("norm_eps", 1e-5)
    if not r.facts.has("moe_layer_freq") and not r.facts.has("mlp_layer_types"):
        r.facts.defaults["first_k_dense_replace"] = 1


FAMILY = Family(
    source="transformers 5.23.0, models/mimo_v2_flash",
    windowed=True,
    defaults={
        "add_swa_attention_sink_bias": True,
        "swa_num_key_value_heads": 8,
        "partial_rotary_factor": 0.334,
        "norm_topk_prob": True,
    },
    run_as={"scoring_func": "sigmoid", "topk_method": "noaux_tc"},
    o_bias=False,
    words=words,
    prepare=prepare,
    mixers={"sliding": sliding},
    scoring="sigmoid",
    group_score="top2",
    norm_topk_eps=1e-20,
    router_buffer="mlp.gate.e_score_correction_bias",
    names=(("self_attn.sinks", "self_attn.attention_sink_bias"),),
    state_names=(("self_attn.attention_sink_bias", "self_attn.sinks"),),
)
