"""MiniMax-M2: QK-norm over the whole projection, a sigmoid router; MTP modules are declared but not in the files."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.families.mixtral import MIXTRAL_NAMES, STATE_NAMES
from cutaway.gallery.reading.family import Family


def prepare(r: Reading) -> None:
    """The published total matches without any MTP module (SHAPES.md), so none is counted."""
    for name in ("num_nextn_predict_layers", "mtp_transformer_layers", "use_mtp", "use_routing_bias"):
        r.facts.settle(name)
    if r.facts.word_for("num_nextn_predict_layers") == "num_mtp_modules" and r.mtp_layers:
        held = r.facts.raw("dense_intermediate_size")  # MiniMax-M3, of whose files nothing is known
        why = (
            ""
            if held
            else ", but the published files hold no weights of these modules (MiniMax-AI/MiniMax-M2.7, issue 16)"
        )
        r.notes.append(f"num_mtp_modules = {r.mtp_layers}{why}: these modules are neither drawn nor counted.")


FAMILY = Family(
    source="transformers 5.23.0, models/minimax_m2",
    qk_norm="full",
    unread={
        "use_routing_bias": True,
        "use_qk_norm": True,
        "qk_norm_type": "per_layer",
        "shared_expert_intermediate_size": 0,
    },
    run_as={"scoring_func": "sigmoid"},
    prepare=prepare,
    names=MIXTRAL_NAMES,
    state_names=(("block_sparse_moe.e_score_correction_bias", "mlp.e_score_correction_bias"), *STATE_NAMES),
    router_buffer="block_sparse_moe.e_score_correction_bias",
    scoring="sigmoid",
    norm_topk=True,
)
