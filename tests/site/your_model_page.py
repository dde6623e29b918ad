"""The page /your-model/ alone, served, and what its worker is asked in tests of two browsers."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path

from cutaway.app.design import answer as designs
from cutaway.app.model_page.page import model_page
from cutaway.app.model_page.search_index import search_index
from cutaway.app.site import Site, assets
from cutaway.app.site.pages import Page
from cutaway.app.your_model import answer, small_run
from cutaway.app.your_model import page as own
from cutaway.gallery import catalog

UNSEEN = sorted((Path(__file__).parent.parent / "oracle" / "forward").glob("*.json"))
TINY = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 99}
TINY |= {"intermediate_size": 128, "architectures": ["LlamaForCausalLM"]}
HOSTILE = TINY | {
    "<img src=x onerror=alert(1)>": 1,
    "model_type": "<script>alert(1)</script>",
    "architectures": ["<b>"],
}
# MLA, gated delta, windows with sinks, experts, Mamba-2 beside attention, a parallel block, RWKV.
SMALL = ("deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "openai/gpt-oss-20b",
         "mistralai/Mixtral-8x7B-v0.1", "nvidia/Nemotron-H-56B-Base-8K", "CohereLabs/c4ai-command-r-v01",
         "fla-hub/rwkv7-2.9B-world")  # fmt: skip
SHOWN = "Qwen/Qwen3-Next-80B-A3B-Instruct"  # has its own page here
DRAW = """async (requests) => {
  const { worker, folder } = document.getElementById("yours").dataset;
  const own = new Worker(worker, { type: "module" });
  const answers = new Map();
  const all = new Promise((resolve, reject) => {
    own.onmessage = ({ data }) => {
      if (data.failed) reject(data.failed);
      if (data.answer) answers.set(data.id, data.answer);
      if (data.ready) for (const request of requests) own.postMessage(request);
      if (answers.size === requests.length) resolve();
    };
  });
  const told = JSON.parse(document.getElementById("pack").textContent);
  own.postMessage({ folder: new URL(folder, location.href).href, ...told });
  await all;
  own.terminate();
  return requests.map(({ id }) => answers.get(id));
}"""


def write_page(folder: Path) -> None:
    """The page with its assets, and of the site nothing else but one model's page."""
    site = Site()
    index = Page("/data/search.json", partial(search_index, site))
    model = Page(f"/models/{SHOWN}/", partial(model_page, site, site.view(SHOWN)))
    for page in (*own.pages(site), *assets.pages(site), index, model):
        path = folder / (page.path.lstrip("/") + ("index.html" if page.path.endswith("/") else ""))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.content())


def give(page, text: str) -> None:
    """Write a config into the form, and have it drawn."""
    page.fill("#text", text)
    page.get_by_role("button", name="Draw this", exact=True).click()


def asked() -> list[dict]:
    """Requests for the worker: configs that are in no catalogue, a large one, a hostile one, faults, pairs, designs."""
    texts = [json.dumps(json.loads(path.read_text("utf-8"))["config"]) for path in UNSEEN[::5][:60]]
    texts += [json.dumps(one) for one in (TINY, HOSTILE, catalog.load("deepseek-ai/DeepSeek-V3"))]
    texts += ["[1, 2]", "{", json.dumps({"hidden_size": 64}), "[" * 20_000]
    rows = [{"text": text, "title": "<i>", "source": "S & T.", "edits": ""} for text in texts]
    rows += [{**rows[60], "edits": "layers:3"}, {**rows[60], "layouts": "narrow"}]
    rows += [{**row, "beside": ""} for row in (*rows[::10], rows[61], rows[63])]
    rows += [{**rows[60], "beside": "deepseek-ai/DeepSeek-V3"}, {**rows[60], "beside": "no/such", "edits": "layers:3"}]
    designed = ("", "layers:3,heads:8,kv:<b>,mix:1w1f")
    designs_too = [{**rows[n], "edits": edits, "context": 4096} for n in (0, 60, 61) for edits in designed]
    drawn = [{**row, **more} for row in rows if "beside" not in row for more in ({}, {"rest": True})]
    rows = [*drawn, *(row for row in rows if "beside" in row), *designs_too]
    return [{"id": n, **row} for n, row in enumerate(rows, 1)]


def answered_here(request: dict) -> str:
    """What CPython answers."""
    text, title, edits = request["text"], request["title"], request["edits"]
    if "context" in request:
        return designs.design(text, title, edits, request["context"])
    if "beside" in request:
        return answer.compare(text, title, edits, request["beside"])
    said = answer.rest if "rest" in request else answer.answer
    return said(text, title, request["source"], edits, request.get("layouts", ""))


def wrong(requests: list[dict], found: list[str]) -> list[str]:
    """The beginnings of those configs that a browser answers otherwise."""
    pairs = zip(requests, found, strict=True)
    return [one["text"][:200] for one, said in pairs if said != answered_here(one)]


# ---------------------------------------------------------------- small copies


def run_requests() -> list[dict]:
    """Small copies for the worker: as they are, without the first norm of each, some tensors of both; a hostile one."""
    rows: list[dict] = []
    for slug in SMALL:
        model = {"text": "", "title": "", "edits": "", "slug": slug}
        told = json.loads(small_run.run("", "", slug=slug))
        layer = f"layer{told['layers'][0]}"
        names = [f"{layer}:{name}" for name in told["values"][layer]]
        looks = [{"text": "", "title": "", "edits": "", "look": name} for name in names[::4]]
        cut = [[told["layers"][0], told["norms"][layer][0]]]
        rows += [{**model, "cuts": "[]"}, *looks, {**model, "cuts": json.dumps(cut)}, *looks]
    for config in (HOSTILE, TINY | {"hidden_size": 1 << 40}, TINY | {"num_hidden_layers": 10**9}):
        rows.append({"text": json.dumps(config), "title": "", "edits": "", "slug": "", "cuts": "[]"})
    rows.append({"text": json.dumps(TINY), "title": "", "edits": "", "slug": "", "cuts": '[[0, "<img src=x>"]]'})
    return [{"id": n, **row} for n, row in enumerate(rows, 1)]


def run_here(request: dict) -> str:
    """What CPython answers, with numpy."""
    if "look" in request:
        return small_run.tensor(request["look"])
    return small_run.run(request["text"], "", slug=request["slug"], cuts=request["cuts"])


def farthest(here: object, there: object) -> float:
    """The largest relative difference of two answers' numbers; infinite where anything else differs."""
    if isinstance(here, dict) and isinstance(there, dict) and here.keys() == there.keys():
        # what is rounded for a picture may be rounded otherwise
        return max((farthest(one, there[key]) for key, one in here.items() if key != "rows"), default=0.0)
    if isinstance(here, list) and isinstance(there, list) and len(here) == len(there):
        return max(map(farthest, here, there), default=0.0)
    if isinstance(here, float) and isinstance(there, float | int):
        return abs(here - there) / max(abs(here), 1e-6)
    return 0.0 if here == there else math.inf
