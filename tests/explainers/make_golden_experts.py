"""Torch and transformers -> golden_experts.json: what the models' own routers choose and weigh, computed once.

    python tests/explainers/make_golden_experts.py    (needs torch and transformers 5.23; tests themselves do not)

A router whose matrix is the identity is fed logits as hidden states: DeepSeek V3's in groups and without, Qwen3's
softmax of all, GPT-OSS's softmax of the chosen. Beside them torch's rounding to BF16, and Mixtral's auxiliary loss.
"""

import json
from pathlib import Path

import torch
import transformers
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3Config, DeepseekV3TopkRouter
from transformers.models.gpt_oss.modeling_gpt_oss import GptOssConfig, GptOssTopKRouter
from transformers.models.mixtral.modeling_mixtral import load_balancing_loss_func
from transformers.models.qwen3_moe.modeling_qwen3_moe import Qwen3MoeConfig, Qwen3MoeTopKRouter

TOKENS, EXPERTS, K, SCALE = 10, 32, 4, 2.5
torch.manual_seed(11)
logits = (1.3 * torch.randn(TOKENS, EXPERTS)).mul(10_000).round().div(10_000)
bias = (0.15 * torch.randn(EXPERTS)).mul(10_000).round().div(10_000)
SIZES = {"hidden_size": EXPERTS, "num_experts_per_tok": K, "num_local_experts": EXPERTS}


def run(router: torch.nn.Module) -> dict:
    """Choices, sorted by expert, and the weight of each."""
    with torch.no_grad():
        router.weight.copy_(torch.eye(EXPERTS))
        _, weights, chosen = router(logits)
    order = chosen.argsort(-1)
    weights = weights.gather(1, order)
    return {
        "chosen": chosen.gather(1, order).tolist(),
        "weights": [[round(w, 6) for w in row] for row in weights.tolist()],
    }


def deepseek(groups: int, kept: int) -> dict:
    config = DeepseekV3Config(
        **SIZES,
        n_routed_experts=EXPERTS,
        n_group=groups,
        topk_group=kept,
        routed_scaling_factor=SCALE,
        norm_topk_prob=True,
    )
    router = DeepseekV3TopkRouter(config)
    router.e_score_correction_bias.copy_(bias)
    return run(router)


golden = {
    "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
    "k": K,
    "scale": SCALE,
    "logits": [[round(v, 4) for v in row] for row in logits.tolist()],
    "bias": [round(v, 4) for v in bias.tolist()],
    "bf16": logits.bfloat16().double().tolist(),
    "deepseek": deepseek(1, 1),
    "deepseek_groups": deepseek(8, 3),
    "qwen3": run(Qwen3MoeTopKRouter(Qwen3MoeConfig(**SIZES, num_experts=EXPERTS, norm_topk_prob=True))),
    "gpt_oss": run(GptOssTopKRouter(GptOssConfig(**SIZES))),
    "auxiliary": float(load_balancing_loss_func((logits,), EXPERTS, K)),
}
path = Path(__file__).with_name("golden_experts.json")
short = json.loads(json.dumps(golden), parse_float=lambda x: round(float(x), 9))
path.write_text(json.dumps(short, separators=(",", ":")) + "\n", "utf-8")
