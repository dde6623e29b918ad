"""The list below the search box: what stands first for what people type, among models, explainers and their steps, the
glossary, config keys, formats and devices; and every place leads somewhere."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from cutaway import explainers
from cutaway.app.glossary import general
from cutaway.app.glossary.methods import METHODS
from cutaway.app.making.node import find_node
from cutaway.app.model import ideas
from cutaway.app.model_page.search_index import search_index
from cutaway.app.site import places
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.reading.keys import KEYS, SPELLINGS
from tests import bundled
from tests.one_site import SITE

RUN = """
import { finder } from "./find.js";
import { arranged } from "./found.js";
import { placer } from "./places.js";
import { readFileSync } from "node:fs";
const { index, places, texts } = JSON.parse(readFileSync(0, "utf8"));
const find = finder(index), seek = places && await placer(places);
process.stdout.write(JSON.stringify(texts.map((text) => arranged(find(text), seek && seek(text)))));
"""


@cache
def index() -> tuple[dict, list[dict]]:
    """What the built site's two files hold."""
    return json.loads(search_index(SITE)), json.loads(places.as_json(SITE))


@cache
def script() -> str:
    """RUN with what it imports."""
    return bundled.sent({"entries": {"module": {"text": RUN, "dir": "app/site"}}, "options": NODE}, "module.js")


def listed(*texts: str, known: bool = True) -> list[list[dict]]:
    """The rows of the list for each text; without places where these could not be fetched."""
    models, rows = index()
    given = json.dumps({"index": models, "places": rows if known else None, "texts": texts})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mjs"
        path.write_text(script(), "utf-8")
        node = find_node()
        ran = subprocess.run([node, str(path)], input=given, capture_output=True, text=True)
    assert not ran.returncode, ran.stderr
    return json.loads(ran.stdout)


NODE = {"format": "esm", "platform": "node"}
FIRST = {  # typed: what stands first
    # ---- questions and words of the field
    "kv cache mla": "/learn/mla-numbers/ /learn/heads/",
    "what is GQA": "/learn/heads/",
    "what is mla?": "/learn/mla-numbers/",
    "how does rope work": "/learn/position/",
    "ring attention": "/learn/context-parallel/",
    "pipeline bubble": "/learn/pipeline/",
    "speculative decoding": "/learn/speculative/",
    "fp8 e4m3 max value": "/learn/bits/ /learn/bits/?format=float8_e4m3fn",
    "flash attention": "/learn/flash/",
    "kv cache": "/learn/heads/",
    "kv cache size": "/learn/heads/",
    "why attention sinks": "/learn/masks/",
    "zero stage 3": "/learn/data-parallel/",
    "how many gpus do i need": "/plan/",
    "gpu memory calculator": "/plan/",
    "moe load balancing": "/learn/experts/",
    "mixture of experts": "/learn/experts/",
    "expert parallelism": "/learn/expert-parallel/",
    "memory bound or compute bound": "/learn/roofline/",
    "mxfp4 vs nvfp4": "/learn/blocks/",
    "stochastic rounding": "/learn/rounding/",
    "which format": "/formats/",
    "NVFP4 vs MXFP4": "/formats/",
    "delta rule": "/learn/delta-rule/",
    "state space model": "/learn/decoder/ /glossary/#mamba",
    "all-reduce": "/learn/collectives/",
    "guard bit": "/learn/bits/#beat-1",
    "multi-token prediction": "/learn/loops/",
    "smallest MLA": "/models/tencent/Youtu-LLM-2B/",
    # ---- the glossary
    "zero-computation experts": "/glossary/#zero-experts",
    "squared relu": "/glossary/#relu2",
    "differential attention": "/glossary/#differential",
    "weight tying": "/glossary/#tied",
    "cross-layer attention": "/glossary/#shared-kv",
    "relu2": "/glossary/#relu2",
    # ---- by Chinese names
    "滑动窗口": "/glossary/#window",
    "注意力": "/learn/heads/",
    "混合专家": "/glossary/#moe",
    "旋转位置编码": "/learn/position/",
    # ---- config keys, by name, by an older spelling, by meaning
    "rope_theta": "/config/rope_theta/",
    "what is rope_theta": "/config/rope_theta/",
    "rms_norm_eps": "/config/norm_eps/",
    "eps": "/config/norm_eps/ /config/hc_eps/ /config/mlstm_eps/ /config/post_norm_eps/ /config/mixer_rms_eps/",
    "n_layer": "/config/num_hidden_layers/",
    "num_key_value_heads": "/config/num_key_value_heads/",
    "num key value heads": "/config/num_key_value_heads/ /learn/heads/",
    "kv_lora_rank": "/config/kv_lora_rank/",
    "q_lora_rank": "/config/q_lora_rank/",
    "vocab size": "/config/vocab_size/",
    "tokenizer": "/learn/next-token/ /config/vocab_size/",
    "learning rate": "/learn/data-parallel/",
    "adam": "/learn/data-parallel/",
    "d_model": "/config/hidden_size/",
    "torch_dtype": "/config/dtype/",
    "ffn_config.moe_top_k": "/config/num_experts_per_tok/",
    "moe_top_k": "/config/num_experts_per_tok/",
    "first_k_dense_replace": "/config/first_k_dense_replace/",
    "tie_word_embeddings": "/config/tie_word_embeddings/",
    "routed_scaling_factor": "/config/routed_scaling_factor/",
    "sliding_window": "/config/sliding_window/",
    "number of layers": "/config/num_hidden_layers/",
    "rope base": "/config/rope_theta/",
    "max_position_embeddings": "/config/max_position_embeddings/",
    "partial_rotary_factor": "/config/partial_rotary_factor/",
    "layer_types": "/config/layer_types/",
    "config.json": "/your-model/",
    "config keys": "/config/",
    # ---- the documentation
    "documentation": "/docs/",
    "pip install": "/docs/ /docs/#install",
    "python api": "/docs/api/",
    "cutaway.memory": "/docs/api/#memory",
    "cutaway facts": "/docs/commands/#facts /docs/json/#schema-facts",
    "schema": "/docs/json/",
    "command line": "/docs/commands/",
    "jupyter notebook": "/docs/tutorial/",
    # ---- formats and devices
    "float8_e4m3fn": "/learn/bits/?format=float8_e4m3fn",
    "fp8 e5m2": "/learn/bits/?format=float8_e5m2",
    "q4_0": "/learn/blocks/?scheme=q4_0 /learn/blocks/",
    "tf32": "/learn/bits/",
    "H100": "/plan/?on=h100_pcie:1x8 /plan/?on=h100_sxm:1x8",
    "h100_sxm": "/plan/?on=h100_sxm:1x8",
    "h200 memory": "/plan/?on=h200_sxm:1x8",
    "gb200": "/plan/?on=gb200:1x4",
    # ---- models
    "gpt-oss-20b": "/models/openai/gpt-oss-20b/",
    "deepseek v3": "/models/deepseek-ai/DeepSeek-V3/",
    "qwen3 8b": "/models/Qwen/Qwen3-8B/",
    "kimi k2": "/models/moonshotai/Kimi-K2-Base/",
    "https://huggingface.co/openai/gpt-oss-120b": "/models/openai/gpt-oss-120b/",
}


def test_what_people_type_stands_first(verified):
    """At least 60 queries, those of the issue among them: one of the places that each may mean stands first."""
    wrong = [
        (text, paths, [row["path"] for row in rows[:3]])
        for (text, paths), rows in zip(FIRST.items(), listed(*FIRST), strict=True)
        if not rows or rows[0]["path"] not in paths.split()
    ]
    assert wrong == []
    assert len(FIRST) >= 60
    verified("searches that find their page first", len(FIRST), len(wrong), "a list written by hand")


def test_the_list_degrades_to_models_explainers_and_ideas():
    """Without /data/places.json what was found before stands in the same order, each row with its kind."""
    rope, oss, key = listed("rope", "gpt-oss-20b", "rope_theta", known=False)
    assert [row["kind"] for row in rope[:3]] == ["Explainer", "Glossary", "Model"]
    assert oss[0] == {"kind": "Model", "name": "GPT-OSS 20B", "about": "OpenAI", "path": "/models/openai/gpt-oss-20b/"}
    assert key[0]["path"] == "/learn/position/" and "Config key" not in {row["kind"] for row in key}


@pytest.mark.whole
def test_every_spelling_of_a_key_leads_to_its_page(verified):
    """Typed as a config has it, each of the spellings finds the page of its key among the first three rows."""
    words = sorted(SPELLINGS)
    wrong = [
        word
        for word, rows in zip(words, listed(*words), strict=True)
        if f"/config/{SPELLINGS[word][0]}/" not in [row["path"] for row in rows[:3]]
    ]
    assert wrong == []
    verified("spellings of config keys that the search finds", len(words), len(wrong), "the table of keys")


def test_rows_have_kinds_and_stand_once():
    """Explainer, Glossary, Config key, Format, Device, Documentation, Model or Page; none twice, at most a screen."""
    kinds = set()
    for rows in listed("rope", "fp8", "h100", "moe", "kimi", "config", "sliding window", "experts per token"):
        assert len({row["path"] for row in rows}) == len(rows) <= 24
        kinds |= {row["kind"] for row in rows}
    assert kinds == {"Explainer", "Glossary", "Config key", "Format", "Device", "Documentation", "Model", "Page"}


def test_explainers_stand_before_models_and_models_of_the_word_itself_before_newer_ones():
    """Of equal words what explains comes first; GLM-5 is GLM-5 before it is GLM-5.3; of an idea its first models."""
    rows = {text: [row["path"] for row in one] for text, one in zip(ORDER, listed(*ORDER), strict=True)}
    for text, paths in ORDER.items():
        places_of = [rows[text].index(path) for path in paths]
        assert places_of == sorted(places_of), text
    assert not any(path.startswith("/models/deepseek") for path in rows["eps"])
    assert not any("Qwen3." in path for path in rows["qwen3"])


ORDER = {
    "moe": ("/learn/experts/", "/models/Qwen/Qwen1.5-MoE-A2.7B/", "/models/mistralai/Mixtral-8x7B-v0.1/"),
    "sinks": ("/glossary/#sinks", "/models/openai/gpt-oss-20b/"),
    "MLA": ("/models/deepseek-ai/DeepSeek-V2/", "/models/deepseek-ai/DeepSeek-V3/"),
    "mistral 2024": ("/models/mistralai/Mixtral-8x22B-v0.1/",),
    "mit licence": ("/models/zai-org/GLM-5.2/",),
    "glm-5": ("/models/zai-org/GLM-5/", "/models/zai-org/GLM-5.3/"),
    "qwen3": ("/models/Qwen/Qwen3-Next-80B-A3B-Instruct/",),
    "eps": ("/config/norm_eps/",),
}


def test_every_place_leads_to_what_it_says(site_dir, verified):
    """Its page is one of the site's; a part of a page stands there under its name; a device and a format are chosen."""
    html: dict[Path, str] = {}
    wrong = []
    for row in index()[1]:
        parts = urlsplit(row["path"])
        file = site_dir / parts.path[1:] / ("index.html" if parts.path.endswith("/") else "")
        if not file.is_file():
            wrong.append(row["path"])
        elif parts.fragment:
            text = html[file] = html.get(file) or file.read_text("utf-8")
            wrong += [] if re.search(rf"""\sid=["']?{re.escape(parts.fragment)}["' >]""", text) else [row["path"]]
    assert wrong == []
    verified("places that the search finds", len(index()[1]), len(wrong), "the pages of the site")


def test_places_are_each_there_once_and_none_is_missing():
    """Keys, devices, steps and entries: one row each."""
    rows = index()[1]
    assert len({row["path"] for row in rows}) == len(rows)
    count = {kind: sum(row["kind"] == kind for row in rows) for kind in {row["kind"] for row in rows}}
    assert (count["Config key"], count["Device"]) == (len(KEYS), len(DEVICES))
    assert count["Glossary"] == len(ideas.IDEAS) + len(METHODS) + len(general.TERMS)
    assert count["Explainer"] == sum(1 + len(explainers.load(name).beats) for name in explainers.names())
    assert all(re.fullmatch(r"[A-Z][a-z]+( [a-z]+)?", kind) for kind in count)


STRANGE = [
    "<img src=x onerror=alert(1)>",
    "__proto__",
    "constructor",
    "a" * 5000,
    "_",
    "...",
    "\u0000",
    "\U0001f600",
    "%s _._",
]


def test_strange_texts_are_answered():
    """Nothing throws, whatever is typed."""
    assert [list] * len(STRANGE) == [type(rows) for rows in listed(*STRANGE)]
