"""Mechanisms of MLPs with experts: routers, shared experts, what an expert reads."""

from __future__ import annotations

from cutaway.gallery import spec as s
from cutaway.gallery.comparing import finding as f
from cutaway.gallery.comparing.mechanism_rows.questions import side_by_side
from cutaway.gallery.comparing.mechanism_rows.row import EXPERTS, ROUTERS, Mechanism

# fmt: off
ROWS: tuple[Mechanism, ...] = (
    Mechanism("moe", "mlp", "MoE", "experts", f.mlp(s.MoE),
              "A mixture of experts", "{where}: each token is routed to {p.num_experts_per_tok} of {p.num_experts:,} "
              "experts.",
              "arXiv 1701.06538",
              meaning="A router sends each token to a few of many MLPs, so that most weights are not used for that "
                      "token.",
              also=("mixture of experts", "routed experts"), learn=EXPERTS),
    Mechanism("shared-expert", "mlp", "shared expert", "a shared expert",
              f.mlp_field("shared_expert_intermediate_size"),
              "{shared}", "{where}: every token uses {it}.", "arXiv 2401.06066",
              meaning="In addition to the routed experts, there is an expert, or several, that every token uses.",
              also=("shared experts",), learn=EXPERTS, many="{several} shared experts"),
    Mechanism("shared-gate", "mlp", "shared expert's gate", "a gate on the shared expert", f.mlp_field("shared_gate"),
              "A gate on the shared expert",
              "scales the output of that expert; a vector of {s.hidden_size:,} weights computes it.",
              "Qwen2-MoE's shared_expert_gate",
              meaning="A gate, one number per token, scales the shared expert's output.", learn=ROUTERS),
    Mechanism("shared-routed", "mlp", "routed shared expert", "shared experts weighted by the router",
              f.mlp_field("shared_routed"), "Shared experts weighted by the router", "{where}.",
              "Inkling's modelling code",
              meaning="The router also computes the weights of the shared experts, which every token uses.",
              learn=ROUTERS),
    Mechanism("groups", "mlp", "routing groups", "group-limited routing",
              f.mlp(s.MoE, lambda p, spec: p.n_group > 1 and p.topk_group < p.n_group),
              "Group-limited routing", "{where}: the router keeps {p.topk_group} of {p.n_group} groups of experts, "
              "then picks experts from them.",
              "arXiv 2405.04434",
              meaning="Experts are divided into groups, and a token uses only experts from its best groups.",
              also=("routing in groups", "node-limited routing"), learn=EXPERTS),
    Mechanism("sigmoid-router", "mlp", "sigmoid router", "a sigmoid router",
              f.mlp(s.MoE, lambda p, spec: p.scoring == "sigmoid"),
              "A sigmoid router", "{where}: each expert is scored independently, without a softmax.",
              "arXiv 2412.19437",
              meaning="Each expert's score is a sigmoid of its own logit, independent of the others.",
              also=("sigmoid gating",), learn=EXPERTS),
    Mechanism("selection-bias", "mlp", "selection bias", "a selection bias without auxiliary loss",
              f.mlp_field("selection_bias", s.MoE),
              "A bias for choosing experts", "{where}: it balances the load without an auxiliary loss; the weights of "
              "the chosen experts come from the scores without it.", "arXiv 2408.15664",
              meaning="A bias per expert, moved during training instead of an auxiliary loss, decides with the score "
                      "which experts are chosen, but does not weigh their outputs.",
              also=("auxiliary-loss-free load balancing", "aux-loss-free", "e_score_correction_bias",
              "loss-free balancing"), learn=ROUTERS),
    Mechanism("sqrtsoftplus-router", "mlp", "√softplus router", "a √softplus router",
              f.mlp(s.MoE, lambda p, spec: p.scoring == "sqrtsoftplus"),
              "A √softplus router", "{where}: each expert's score is the square root of a softplus.",
              "the DeepSeek-V4 report",
              meaning="Each expert's score is the square root of a softplus of its logit.", also=("sqrtsoftplus",),
              learn=ROUTERS),
    Mechanism("hash-router", "mlp", "hash routing", "experts chosen by a hash of the token", f.mlp_field("table_rows"),
              "Experts chosen by a hash", "of the token {where}, whatever the context.", "the DeepSeek-V4 report",
              meaning="A table maps each token's ID to its experts, whatever the context.", also=("hash layers",),
              learn=ROUTERS),
    Mechanism("router-network", "mlp", "router network", "a router that is a network", f.mlp_field("router_network"),
              "A router that is a small network", "{where}, of width {p.router_network}.", "ZAYA1's modelling code",
              meaning="The router is a small network that also reads the router state of the previous layer.",
              learn=ROUTERS),
    Mechanism("sparsemixer", "mlp", "sparsemixer", "the sparsemixer", f.mlp_field("jitter"),
              "Sparsemixer", "scores the chosen experts one after another.", "arXiv 2310.00811",
              meaning="The chosen experts are weighted one after the other, each against only the experts with similar "
                      "scores.",
              learn=ROUTERS),
    Mechanism("zero-experts", "mlp", "zero experts", "zero-computation experts", f.mlp_field("zero_expert_num"),
              "Zero-computation experts", "{where}: {p.zero_expert_num} experts without weights, in addition to the "
              "others.",
              "arXiv 2509.01322",
              meaning="Some experts have no weights and return their input, so that easy tokens cost less.",
              also=("experts without weights", "identity experts"), learn=ROUTERS),
    Mechanism("latent-experts", "mlp", "latent MoE", "latent MoE", f.mlp_field("latent_size"),
              "Latent MoE", "{where}: experts work at a width of {p.latent_size:,}, not {s.hidden_size:,}.",
              "moe_latent_size in Nemotron 3's config",
              meaning="Tokens are projected down to a shorter vector before the experts and back up after them.",
              also=("latent experts", "experts in a latent"), learn=ROUTERS),
    Mechanism("on-input", "mlp", "weighted input", "experts weighted at their input", f.mlp_field("on_input"),
              "Experts weighted at their input", "{where}: the router's weight multiplies the input of the expert.",
              "Llama 4's modelling code",
              meaning="The router's weight multiplies an expert's input instead of its output.", learn=ROUTERS),
    Mechanism("own-router-input", "mlp", "router's own input", "a router with an input of its own",
              f.mlp_field("router_normal"), "A router with an input of its own",
              "{where}: it has its own norm and scale.",
              "Gemma 4's modelling code",
              meaning="The router reads the residual stream through its own norm and scale.",
              learn=ROUTERS),
    Mechanism("dense-beside", "mlp", "dense + MoE", "a dense MLP in parallel with the experts",
              f.all_hold(f.mlp(s.MoE), f.layers(side_by_side("parallel", "mlp"), "mlp")),
              "A dense MLP in parallel with the experts", "{where}.", "Snowflake Arctic's modelling code",
              meaning="A dense MLP runs in parallel with the experts, and the two outputs are added.",
              also=("dense MoE hybrid", "dense beside MoE"),
              learn=ROUTERS),
    Mechanism("product-keys", "mlp", "product keys", "product-key experts", f.mlp(s.ProductKeys),
              "Product-key experts", "{where}: {p.num_experts:,} experts of one neuron each.", "arXiv 2407.04153",
              meaning="Each expert is a single neuron, and a token finds its experts by scoring two short lists of "
                      "keys.",
              also=("PEER", "product key memory"), learn=ROUTERS),
)
# fmt: on
