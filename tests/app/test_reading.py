"""What each drawn part says: every drawn node has its row, its tensors are the checkpoint's, its numbers hold."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from math import prod

import pytest

from cutaway import explainers
from cutaway.app.model import figures
from cutaway.app.model_page import part_links, reading
from cutaway.gallery import catalog
from cutaway.gallery.comparing.mechanisms import BY_KEY
from cutaway.gallery.drawing import formulas
from cutaway.gallery.drawing.formula_terms import number
from cutaway.gallery.operations import OPERATIONS
from cutaway.gallery.wiring import layer_graph
from tests.one_site import SITE
from tests.tally import Tally

SLUGS = [row.slug for row in catalog.drawable_rows()]
SOME = SLUGS[::9]


@cache
def sheet(slug: str) -> dict:
    return reading.sheet(SITE.view(slug))


@cache
def drawn_nodes(slug: str) -> set[tuple[str, str]]:
    """(graph of the sheet, node) of everything that the page's drawing names in data-n."""
    found, graph = set(), []
    for tag, what, names in re.findall(r"<(/?)g(?: data-([gn])=\"([^\"]*)\")?", figures.inline(SITE.view(slug))):
        if tag:
            graph.pop()
            continue
        graph.append(names if what == "g" else graph[-1] if graph else "")
        if what == "n":
            layer, _, half = graph[-1].partition(".")
            found |= {(layer, f"{half}.{name}" if half else name) for name in names.split()}
    return found


def faults(slug: str) -> list[str]:
    """Drawn nodes without a row."""
    graphs = sheet(slug)["graphs"]
    return [f"{slug} {graph} {name}" for graph, name in drawn_nodes(slug) if name.rpartition(".")[2] != "out"
            and name not in graphs.get(graph, {})]  # fmt: skip


@pytest.mark.parametrize("slug", SOME)
def test_every_drawn_node_says_something(slug):
    """No part of a drawing is dumb, and nothing that is said is empty."""
    assert faults(slug) == []
    assert all(row["is"] for rows in sheet(slug)["graphs"].values() for row in rows.values())


@pytest.mark.whole
def test_every_drawn_node_of_the_catalogue_says_something(verified):
    """The same of every drawn model."""
    tally = Tally()
    for slug in SLUGS:
        tally.add(len(drawn_nodes(slug)), faults(slug))
    verified("drawn parts that have a description", tally, against="the drawings")


@pytest.mark.whole
def test_tensors_are_those_of_the_checkpoint(verified):
    """Each name is one of the weights table's, with its shape; a matrix's formula has the numbers of that shape."""
    checked, wrong = 0, []
    for slug in SLUGS:
        told, weights = sheet(slug), {one.name: one for one in SITE.view(slug).weights}
        for rows in told["graphs"].values():
            for name, row in rows.items():
                own = row.get("tensors", ())
                checked += len(own)
                wrong += [f"{slug} {name} {one}" for one in own if one not in weights]
                if row["is"].startswith("y = W x") and len(own) == 1 and " in " not in row["is"]:
                    size = weights[own[0]].size
                    numbers = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) → ([\d,]+)", row["is"])[0]]
                    wrong += [f"{slug} {name} {row['is']}"] * (prod(numbers) > size)  # fused matrices are larger
        wrong += [name for name, (shape, _, size) in told["tensors"].items()
                  if prod(int(n.replace(",", "")) for n in shape.split(" × ")) != size]  # fmt: skip
    assert wrong[:5] == []
    verified("tensors named in drawn parts", checked, len(wrong), "the tables of weights")


@pytest.mark.parametrize("slug", SOME)
def test_a_sheet_holds_the_tensors_that_its_parts_name_and_no_other(slug):
    """With shape, rounded and whole size: what a part names can be shown, and what none names is not sent."""
    told = sheet(slug)
    named = {one for rows in told["graphs"].values() for row in rows.values() for one in row.get("tensors", ())}
    assert named == told["tensors"].keys()


def test_what_makes_keeps_or_reads_a_latent_leads_to_its_page_first():
    """DeepSeek-V3: both halves of the latent's way, the kept key beside it; an FP8 matrix leads to blocks last.

    The keys of V3.2's indexer are kept too, and are no latent."""
    rows = sheet("deepseek-ai/DeepSeek-V3")["graphs"]["layer3"]
    latent = [name for name, row in rows.items() if row.get("learn", [""])[0] == "mla-numbers"]
    assert {"mixer.q_a_proj", "mixer.kv_a_proj_with_mqa", "mixer.kv_b_proj", "mixer.k_rotated"} <= set(latent)
    assert all(name.startswith("mixer.") for name in latent)
    rows = sheet("deepseek-ai/DeepSeek-V3.2")["graphs"]["layer3"]
    assert [rows[f"mixer.{name}"]["learn"][0] for name in ("latent", "key")] == ["mla-numbers"] * 2
    assert "mla-numbers" not in rows["mixer.indexer.keys"]["learn"]
    assert any(row.get("learn", [""])[-1] == "blocks" for row in rows.values())
    assert not any(
        "mla-numbers" in row.get("learn", ()) for row in sheet("openai/gpt-oss-20b")["graphs"]["layer0"].values()
    )


def test_a_layer_says_what_it_is():
    """Pointing at a slab of the tower finds its kind: every layer's is the one that lists it."""
    for slug in SOME:
        told, view = sheet(slug), SITE.view(slug)
        assert [told["kinds"][at][3] for at in told["layers"]] == [
            next(kind for kind in view.kinds if layer.index in kind.indices).indices[0] for layer in view.spec.layers
        ]


@pytest.mark.whole
def test_links_lead_to_explainers_that_take_the_model():
    """A part leads only to explainers that exist, under the address that their own page would write."""
    names = set(explainers.names())
    for slug in SLUGS:
        told = sheet(slug)
        assert {name for name in told["learn"] if not name.startswith("glossary/")} <= names
        assert {
            name for rows in told["graphs"].values() for row in rows.values() for name in row.get("learn", ())
        } <= set(told["learn"])
        for name, (_, _, target) in told["learn"].items():
            idea = name.removeprefix("glossary/")
            assert (
                target.startswith(f"/learn/{name}/")
                if idea == name
                else target == f"/glossary/#{idea}" and idea in BY_KEY
            )


def test_every_operation_of_the_catalogue_has_a_formula():
    """A row for each operation that a catalogued model runs; others say their operation's words."""
    run = {
        node.op for slug in SLUGS for layer in {id(one.mixer): one for one in catalog.spec(slug).layers}.values()
        for node in layer_graph(catalog.spec(slug), layer).nodes
    }  # fmt: skip
    plain = {"flatten", "delay", "group_mean", "pick", "match", "add_to", "previous", "parameter", "stack"}  # fmt: skip
    assert run - set(formulas.FORMULAS) <= plain
    assert set(formulas.FORMULAS) <= set(OPERATIONS)


SAID = {
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "layer3", "mixer.q_proj"): "y = W x, 2,048 → 8,192 = 16 × 512",
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "layer3", "mixer.gate"): "numbers 256 to 511 of each 512 numbers of q_proj",
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "layer3", "mixer.attend"): "softmax(q·k / √256) · v, 16 heads of 256",
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "layer3", "mixer.q_rope"): (
        "the first 64 numbers in pairs, turned by position · 10,000,000^(−2i / 64)"
    ),
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "layer0", "mixer.delta"): (
        "S ← α S + β k ⊗ (v − k·αS); o = q·S; 32 states of 128 × 128"
    ),
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "layer0", "mlp.experts"): (
        "Σ weight · down(SiLU(gate) × up) over 10 of 512 experts"
    ),
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "layer0", "mixer_in_norm"): (
        "x / √(mean(x²) + 0.000001) · (1 + w), over 2,048 numbers"
    ),
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "layer3", "mixer.keys"): "keeps k 2 × 256 for every token",
    ("deepseek-ai/DeepSeek-V3", "layer3", "mlp.choose"): "the 8 largest of score + bias, in the 4 best of 8 groups",
    ("deepseek-ai/DeepSeek-V3", "layer3", "mlp.weigh"): "the chosen scores / their sum × 2.5",
    ("openai/gpt-oss-20b", "layer0", "mixer.attend"): (
        "softmax(q·k / √64) · v, 64 heads of 64, the last 128 tokens, one logit a head joins the sum and gives nothing"
    ),
    ("openai/gpt-oss-20b", "layer0", "mixer.q_proj"): "y = W x + b, 2,880 → 4,096 = 64 × 64",
    ("google/gemma-2-2b", "layer0", "mixer.attend"): (
        "softmax(q·k / √256) · v, scores soft-capped at ± 50, 8 heads of 256, the last 4,096 tokens"
    ),
    ("openai-community/gpt2-xl", "layer0", "mixer_in_norm"): (
        "(x − mean) / √(var(x) + 0.00001) · w + b, over 1,600 numbers"
    ),
    ("deepseek-ai/DeepSeek-V4-Flash", "layer3", "mixer.compressor.entries"): "keeps entry 512 for every 128 tokens",
    ("deepseek-ai/DeepSeek-V4-Flash", "layer3", "attn_hc_mix"): (
        "a 4 × 4 matrix, rows and columns divided by their sums 20 times"
    ),
    ("meta-llama/Llama-4-Scout-17B-16E", "layer3", "mixer.q_temperature"): (
        "q × (1 + 0.1 · ln(1 + ⌊(position + 1) / 8,192⌋))"
    ),
    ("deepseek-ai/DeepSeek-V4-Flash", "layer3", "mixer.attend"): (
        "softmax(q·kv / √512) · kv, 64 heads of 512, over the last 128 tokens and one entry for every 128 tokens, "
        "one logit a head joins the sum and gives nothing"
    ),
    ("google/gemma-4-31B-it", "layer5", "mixer.q_rope"): (
        "64 of 256 pairs turned by position · 1,000,000^(−2i / 512), i below 64; the others stand still"
    ),
    ("ai21labs/Jamba-v0.1", "layer0", "mixer.scan"): (
        "h ← exp(Δ A) h + Δ B x; y = C·h + D x; 8,192 channels, 16 numbers each"
    ),
    (
        "thinkingmachines/Inkling",
        "layer0",
        "mixer.attend",
    ): "softmax(q·k / 128 + bias) · v, 64 heads of 128, the last 512 tokens",
    ("meituan-longcat/LongCat-Flash-Lite", "layer0", "mlp_add.1"): "mixer_add.1 + down_proj",
    ("tiiuae/Falcon-H1-7B-Instruct", "layer0", "mixer.sum"): "0.out_scaled + 1.out_scaled",
    ("RWKV/rwkv-4-14b-pile", "layer0", "mixer.wkv"): (
        "Σ weight · v / Σ weight: exp(k + time_first) for the token itself, exp(k − n · e^time_decay) for one with n "
        "tokens between; 5,120 channels, 3 numbers each"
    ),
    ("google/recurrentgemma-2b", "layer0", "mixer.rg_lru"): (
        "h ← a h + √(1 − a²) (i × x); a = exp(−8 r softplus(λ)); the first token h = i × x; "
        "2,560 channels, one number each"
    ),
    ("google/recurrentgemma-2b", "layer0", "mixer.input_gate"): (
        "y = W x + b, 256 → 256, a matrix for each of 10 heads"
    ),
    ("Zyphra/Zamba-7B-v1", "layer0", "mixer.x_proj"): "y = W x, 3,712 → 264, a matrix for each of 2 heads",
    ("mistralai/Mistral-Large-4-1T-A52B", "layer0", "mixer.q_temperature"): (
        "q × (scale · ln(position + 1) + bias), two numbers for each of 64 heads"
    ),
    ("meta-models/Muse-Spark-Open-816B-A42B", "layer0", "mixer_add"): (
        "√(1 − β²) · stream + β · mixer_out_norm, β = σ(gate / 0.3), 1 − β² at least 0.001"
    ),
}


@pytest.mark.parametrize(("slug", "graph", "node"), SAID)
def test_a_formula_has_the_models_numbers(slug, graph, node):
    """Scales, heads, widths, bases and limits as the config has them."""
    assert sheet(slug)["graphs"][graph][node]["is"] == SAID[slug, graph, node]


def test_a_window_leads_to_windows_and_a_stored_block_to_blocks():
    """gpt-oss: the first layer's attention opens windows too, the second's heads and tiles; experts are in MXFP4."""
    graphs = sheet("openai/gpt-oss-20b")["graphs"]
    assert graphs["layer0"]["mixer.attend"]["learn"] == ["masks", "heads", "flash"]
    assert graphs["layer1"]["mixer.attend"]["learn"] == ["heads", "flash"]
    assert "blocks" in graphs["layer0"]["mlp.experts"]["learn"]
    assert graphs["layer0"]["mlp_in_norm"]["learn"] == ["norms"]


def test_a_sum_names_what_it_adds():
    """No term of a sum, product or activation is a bare number or the same twice, in any model's layers."""
    kinds = {(slug, id(layer.mixer)): layer for slug in SLUGS for layer in catalog.spec(slug).layers}
    terms = Counter()
    for (slug, _), layer in kinds.items():
        for node in layer_graph(catalog.spec(slug), layer).nodes:
            if node.op in ("add", "multiply", "concat", "act"):
                names = re.split(r"[^\w.]+", formulas.formula(node).removesuffix(" …").strip("[] "))
                twice = len(set(node.inputs)) == len(node.inputs) and len(set(names)) < len(names)
                assert not twice and not any(name.isdigit() for name in names), (slug, node.name, names)
                terms[node.op] += 1
    assert min(terms.values()) > 20


def test_numbers_are_written_as_readers_write_them():
    """Small ones without an exponent, whole ones with commas."""
    written = [number(value) for value in (1e-6, 1e-5, 10_000.0, 500_000, 0.07, 2.5, 0.25, 1e-12, -1.0)]
    assert written == ["0.000001", "0.00001", "10,000", "500,000", "0.07", "2.5", "0.25", "1e-12", "-1"]


# ---------------------------------------------------------------- no dead ends


def wanted(node) -> set[str]:
    """Pages that a node asks for and that are not there yet."""
    return {*reading.LEARN.get(node.op, ()), *part_links.PAGES.get(node.op, ())} - set(explainers.names())


def dead_ends(slug: str, count: dict[str, int]) -> list[str]:
    """Drawn nodes that lead nowhere, though all pages they ask for are there; of the others, how many lead where."""
    found, told = [], sheet(slug)["graphs"]
    for name, prefix, graph, _ in reading.drawn(SITE.view(slug).spec):
        rows = [(node, told[name][prefix + node.name].get("learn", [""])[0]) for node in graph.nodes]
        waiting = {node.name for node, led in rows if not led and wanted(node)}
        for node, led in rows:
            where = led.partition("/")[0] if led.startswith("glossary/") else "page" if led else ""
            passing = node.op in part_links.CARRIES | part_links.ACTIVATIONS
            readers = {other.name for other in graph.nodes if node.name in other.inputs}
            if not where and (node.name in waiting or (passing and waiting & {*node.inputs, *readers})):
                where = "waiting"
                waiting.add(node.name)
            count[where] += 1
            found += [] if where else [f"{slug} {name} {prefix}{node.name}: {node.op}"]
    return found


@pytest.mark.whole
def test_every_drawn_part_leads_to_a_page_that_explains_it(verified):
    """Of every drawn model: to an explainer opened with its numbers; activations and tables to their own sentence."""
    count: Counter[str] = Counter()
    dead = [one for slug in SLUGS for one in dead_ends(slug, count)]
    assert count["page"] > 12_000
    assert count["glossary"] < 1_000
    assert bool(count["waiting"]) == any(not set(pages) <= set(explainers.names()) for _, pages in part_links.ROWS)
    tally = Tally()
    tally.add(sum(count.values()), dead)
    verified(
        "drawn parts that link to an explainer with the model's numbers, or to the glossary",
        tally,
        against="the drawings",
    )


# Mechanisms that no explainer teaches, by what would: rows leave as pages come, none may join.
UNTAUGHT = {
    "long-context": "csa hca dsa shared-indexer block-indexer pooled-indexer k-is-v lora-shared",
    "norms": "softcap output-gate headwise-gate mla-gate temperature clip v-norm value-scale "
    "layernorm rmsnorm post-norm no-pre-norm stream-norm qk-norm qk-norm-full qk-norm-bare sub-norm "
    "state-norms gated-norm parallel convolved-halves scaled-stream normed-stream residual-scale logit-softcap",
    "loops": "shared-kv both-mixers double-layer lone-halves hyper-connections gated-streams ngrams altup laurel "
    "per-layer depth-attention shared-block loops two-speeds mtp",
    "states": "mamba1 mlstm rg-lru rwkv4 rwkv7 short-conv one-matrix",
    "mlps": "swiglu geglu gelu relu2 xielu situ swigluoai sparse-gate channel-mix mlp-bias",
    "rare attention": "cca relative expert-heads differential dynamic-mask cross grouped-output query-latent qkv-bias "
    "o-bias bidirectional",
    "position": "proportional-rope alibi learned-position",
    "images": "deepstack",
}


def test_no_further_mechanism_goes_untaught():
    """Every mechanism of the catalogue has an explainer, or is known to wait for one."""
    known = {key for keys in UNTAUGHT.values() for key in keys.split()}
    assert {key for key, row in BY_KEY.items() if not row.learn} - known == set()
