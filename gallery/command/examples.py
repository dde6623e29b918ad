"""The commands by what they are for, and examples of each: rows that help, docs and tests read."""

from __future__ import annotations

from collections.abc import Iterable

# (group, its commands and what each does)
GROUPS = (
    ("look", {
        "draw": "draw a model: SVG, PNG or PDF",
        "poster": "draw models, or the whole catalogue, on one A2 sheet to scale",
        "facts": "print layers, parameters, memory, and what was not read",
    }),
    ("count", {
        "weights": "list every weight tensor: checkpoint name, shape, part",
        "memory": "print what decoding keeps: KV cache and states, in bytes",
        "flops": "count the FLOPs and bytes of a decoded token, or of a prefill",
    }),
    ("compare", {
        "compare": "say in what two to six models differ, and what each difference costs",
        "lineage": "print the nearest relatives of a model, what it gained and dropped, and what descends from it",
    }),
    ("plan", {"plan": "say what each GPU of a layout holds, and whether it fits"}),
    ("run", {
        "serve": "serve the site and the live app on this machine",
        "build": "write the static site",
        "completion": "print what a shell needs to complete commands, options and models",
    }),
    ("catalogue", {
        "list": "list the catalogue's models, all or those that some words name",
        "snapshot": "write a model's facts for the catalogue",
    }),
)  # fmt: skip
ABOUT = {name: words for _, held in GROUPS for name, words in held.items()}

# command -> (what is typed, what comes of it)
EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "draw": (
        ("cutaway draw deepseek-ai/DeepSeek-V3 -o v3.svg", "the whole model as one SVG"),
        ("cutaway draw Qwen/Qwen3-8B -o qwen.png --scale 2 --dark", "a PNG of 2,800 pixels, dark"),
        ("cutaway draw Qwen/Qwen3-8B -o qwen.pdf", "a PDF, for a paper"),
        ("cutaway draw ./config.json > mine.svg", "a config of your own; nothing is uploaded"),
        ("cutaway draw Qwen/Qwen3-8B -o wide.svg --edit heads=64,layers=40", "what if it had 64 heads and 40 layers"),
    ),
    "poster": (
        ("cutaway poster -o poster.pdf", "all models of the catalogue, for print"),
        (
            "cutaway poster deepseek-ai/DeepSeek-V3 moonshotai/Kimi-K2-Base ./config.json -o three.svg",
            "some, and your own",
        ),
    ),
    "facts": (
        ("cutaway facts openai/gpt-oss-20b", "the fact sheet"),
        ("cutaway facts Qwen/Qwen3-8B --json", "the same for programs"),
        ("cat config.json | cutaway facts -", "from standard input"),
    ),
    "weights": (
        ("cutaway weights Qwen/Qwen3-8B", "every tensor, once for each kind of layer"),
        ("cutaway weights Qwen/Qwen3-8B --layer 0", "every tensor of one layer"),
    ),
    "memory": (
        ("cutaway memory google/gemma-3-27b-it --context 8k,128k", "the cache of one sequence, windows counted"),
        ("cutaway memory Qwen/Qwen3-8B --cache-dtype fp8 --batch 16", "of 16 sequences, in FP8"),
    ),
    "flops": (
        ("cutaway flops openai/gpt-oss-20b --context 8k,128k", "a decoded token at two contexts"),
        ("cutaway flops Qwen/Qwen3-8B --context 4k --prefill", "a prompt of 4,096 tokens"),
    ),
    "compare": (
        ("cutaway compare deepseek-ai/DeepSeek-V3 moonshotai/Kimi-K2-Base", "what differs, and what it costs"),
        ("cutaway compare Qwen/Qwen3-4B Qwen/Qwen3-8B Qwen/Qwen3-32B --json", "both others beside the first"),
        ("cutaway compare openai/gpt-oss-20b Qwen/Qwen3-30B-A3B -o ./pair.svg", "the comparison as one picture"),
    ),
    "lineage": (
        ("cutaway lineage Qwen/Qwen3-Next-80B-A3B-Instruct", "whom it descends from, and what is new in it"),
        ("cutaway lineage ./config.json --json", "the relatives of a config of your own"),
    ),
    "plan": (
        ("cutaway plan deepseek-ai/DeepSeek-V3 --on h200_sxm:1x8 --tp 8 --context 128k", "what fits on one node"),
        ("cutaway plan Qwen/Qwen3-32B --on h100_sxm:2x8 --job train --tp 8 --layouts", "and the ten best layouts"),
    ),
    "serve": (("cutaway serve --port 8000", "the site at http://127.0.0.1:8000/"),),
    "build": (("cutaway build --out public --base https://example.org/cutaway/", "the site for a host"),),
    "completion": (
        ('eval "$(cutaway completion bash)"', "in ~/.bashrc; zsh in ~/.zshrc"),
        ("cutaway completion fish > cutaway.fish", "in ~/.config/fish/completions"),
    ),
    "list": (
        ("cutaway list", "every model of the catalogue, the newest first"),
        ("cutaway list mla moe --sort parameters", "those with latent attention and experts, the largest first"),
        ("cutaway list qwen 2025 --json", "Qwen's of 2025, for programs"),
    ),
    "snapshot": (("cutaway snapshot ./config.json --slug me/mine -o mine.json", "the facts that a drawing needs"),),
}


def example_lines(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Examples as help prints them: what is typed, and below it what comes of it."""
    return [line for typed, says in rows for line in (f"  {typed}", f"      {says}")]


def group_lines() -> list[str]:
    """Every command under its group, with what it does."""
    wide = max(map(len, ABOUT)) + 2
    lines: list[str] = []
    for group, held in GROUPS:
        lines += [f"{group}:", *(f"  {name.ljust(wide)}{words}" for name, words in held.items()), ""]
    return lines
