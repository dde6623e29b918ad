"""Small parts of a model's page and of what leads to it: relatives, doors, cards, searches, plots, addresses."""

from __future__ import annotations

import json
import re
import struct
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from cutaway import explainers
from cutaway.app.compare import model_file, request
from cutaway.app.data import dataset
from cutaway.app.glossary import terms
from cutaway.app.model import figures, ideas
from cutaway.app.model.view import SpecView
from cutaway.app.model_page import explainer_links, novelty, part_links, precision
from cutaway.app.model_page import page as models
from cutaway.app.render import job, worker
from cutaway.app.render.job import Refusal
from cutaway.app.site import Site, assets, cards
from cutaway.app.verify import page as verify
from cutaway.app.workbench import plot, url
from cutaway.gallery import catalog, comparing, memory, read
from cutaway.gallery.comparing.mechanisms import BY_KEY
from cutaway.gallery.graph import Graph, Node
from cutaway.gallery.spec import ConfigError

SITE = Site()
V3, NEXT, OSS = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "openai/gpt-oss-20b"


# ---------------------------------------------------------------- relatives


def links(slug: str):
    return novelty.of(SITE.view(slug)).nearest


def test_a_relative_says_its_distance_its_house_and_its_month():
    """The first that differs says what its number counts; only a relative of the same house is said to be of it."""
    made = novelty.kins(links(NEXT))
    assert [one.words for one in made] == [
        "5 mechanisms apart · Jul 2025",
        "5 apart · Jun 2025",
        "6 apart, same house · Jul 2025",
    ]
    same = next(one for one in links(NEXT) if one.same_company)
    assert novelty.kin(replace(same, gained=(), lost=())).words.count("same house") == 0
    assert all(one.path == f"/models/{link.slug}/" for one, link in zip(made, links(NEXT), strict=True))


def test_a_pointer_is_told_what_a_relative_has_more_and_less():
    """Both signs, each once; equal ones have the same mechanisms; nobody tells where it was not asked for."""
    one = links(NEXT)[0]
    words = {key: BY_KEY[key].label if hasattr(BY_KEY[key], "label") else "" for key in (*one.gained, *one.lost)}
    assert one.gained and one.lost and words
    said = novelty.apart(one)
    more, less = said.split("; ")
    assert more.startswith("+ ") and less.startswith("− ")
    assert (len(more.split(", ")), len(less.split(", "))) == (len(one.gained), len(one.lost))
    assert novelty.apart(replace(one, lost=())) == more and novelty.apart(replace(one, gained=())) == less
    assert novelty.apart(replace(one, gained=(), lost=())) == "the same mechanisms"
    assert novelty.kin(one).about == said and novelty.kin(one, told=False).about == ""


def test_who_had_it_first_is_the_earliest_of_those_who_had():
    """Multi-token prediction of Qwen3-Next: DeepSeek-V3 before all others; what is first here has nobody before it."""
    found = novelty.of(SITE.view(NEXT))
    for item in found.items:
        first, dates = novelty.first(item), comparing.catalogue_lineage().entries
        assert (first is None) is (not item.earlier)
        if first:
            slug = first.path.removeprefix("/models/").rstrip("/")
            assert dates[slug].date == min(dates[other].date for other in item.earlier)
            assert first.title == catalog.BY_SLUG[slug].title
    assert any(novelty.first(item) for item in found.items) and not all(novelty.first(item) for item in found.items)


def test_the_top_of_a_page_is_found_where_it_is_not_given():
    """Asked with a view alone, it says the same as with what was found of it; without a drawing there is none."""
    view = SITE.view(NEXT)
    assert novelty.top(view) == novelty.top(view, novelty.of(view)) != None  # noqa: E711
    assert novelty.top(SimpleNamespace(spec=None)) is None
    assert novelty.top(view).before == sum(
        one.head.date < view.row.date for one in comparing.catalogue_lineage().structures
    )


def test_a_cache_stands_beside_the_nearest_of_its_house_and_of_another():
    """Two bars: the nearest relative that the same company made, and the nearest that it did not."""
    found = novelty.of(SITE.view(NEXT))
    own = [one.slug for one in found.nearest if one.same_company]
    others = [one.slug for one in found.nearest if not one.same_company]
    assert novelty.beside(found) == (own[0], others[0]) and novelty.beside(None) == ()
    assert len(novelty.beside(replace(found, nearest=found.nearest[:1]))) == 1


def test_a_step_of_descent_names_three_and_counts_more():
    """Four names are all said, five are three "and 2 more"; the model itself is no link, the oldest is plain."""
    view = SITE.view(NEXT)
    steps = novelty.of(view).descent
    some = next(one for one in steps if one.slug != view.slug and comparing.catalogue_lineage().of[one.slug].parent)
    keys = list(BY_KEY)[:5]
    said = {n: novelty.step(replace(some, added=tuple(keys[:n])), view.slug, view).words for n in (0, 3, 4, 5)}
    assert said[0] == "other sizes" and said[3].count(", ") == 2 and said[4].count(", ") == 3
    assert said[5] == f"{said[3]} and 2 more"
    assert novelty.step(some, some.slug, view).path == "" != novelty.step(some, view.slug, view).path
    assert novelty.step(steps[0], view.slug, view).words == "the plain baseline"


# ---------------------------------------------------------------- files


def test_a_file_names_the_three_nearest_and_rounds_its_weights():
    """What /compare/ offers: earlier ones, its relative of the lineage first; weights have six decimals at most."""
    made = model_file.Compared.listed(SITE.view(NEXT)).file()
    known = comparing.catalogue_lineage()
    assert len(set(made["near"])) == 3 and made["near"][0] == known.of[NEXT].parent.slug
    assert all(known.entries[slug].date < SITE.view(NEXT).row.date for slug in made["near"])
    assert all(len(repr(weight).partition(".")[2]) <= 6 for _, weight in made["mechanisms"])
    assert made["figures"]["context"] == 262_144 and made["figures"]["layers"] == 48
    assert made["ends"] == [151_936, 1]


def test_a_file_of_a_model_without_a_limit_has_a_context_of_nought():
    """RWKV states none."""
    view = next(view for view in SITE.views if view.spec and not view.spec.max_position_embeddings)
    assert model_file.Compared.listed(view).figures["context"] == 0


def test_parts_of_a_file_stand_in_the_order_of_the_page():
    """Sizes first; each field once."""
    fields = model_file.Compared.listed(SITE.view(V3)).fields
    order = [part for part, *_ in fields]
    assert order == sorted(order, key=model_file.PARTS.index)
    assert len({(part, what) for part, what, *_ in fields}) == len(fields)


def asks(*rows: dict) -> request.Asked:
    return request.asked(json.dumps({"models": rows}).encode())


@pytest.mark.parametrize("rows", [(), ({"slug": V3},) * 3, ({},), ({"slug": V3, "config": "{}"},)])
def test_one_or_two_models_can_be_asked_for(rows):
    """None, three, an empty one or one that is both a page's and pasted are refused with the form of a request."""
    with pytest.raises(ConfigError, match="Ask as"):
        asks(*rows)


def test_a_pasted_text_may_have_five_million_characters():
    """One more is refused, and the sentence counts them."""
    text = "x" * request.MOST_PASTED
    assert asks({"config": text}).models[0].config == text and len(asks({"slug": V3}, {"slug": OSS}).models) == 2
    with pytest.raises(ConfigError, match="5,000,001 characters"):
        asks({"config": text + "x"})
    with pytest.raises(ConfigError, match="No drawn model here is called"):
        asks({"slug": "nobody/nothing"})


def test_the_index_of_the_search_is_newest_first_and_has_packings_last():
    """Each model once."""
    rows = json.loads(models.search_index(SITE))["models"]
    assert {one["slug"] for one in rows} == {row.slug for row in catalog.MODELS}
    known = [catalog.BY_SLUG[one["slug"]] for one in rows]
    twins = [bool(row.variant_of) for row in known]
    assert twins == sorted(twins)
    for kind in (False, True):
        dates = [row.date or "" for row in known if bool(row.variant_of) is kind]
        assert dates == sorted(dates, reverse=True)


def test_what_is_not_known_is_empty_in_a_table():
    """Nothing for null, lower case for a boolean, words apart by spaces."""
    assert [dataset.cell(value) for value in (None, True, False, ["a", "b"], 0)] == ["", "true", "false", "a b", 0]


# ---------------------------------------------------------------- doors


def mixture(experts: int, per_token: int, **more):
    """A stand-in of a model with one mixture of experts."""
    spec = catalog.spec(V3)
    moe = replace(spec.layers[-1].mlp, num_experts=experts, num_experts_per_tok=per_token, **more)
    row = SimpleNamespace(variant_of=None, config_of=None)
    kinds = [SimpleNamespace(layer=SimpleNamespace(mlp=moe, mixer=spec.layers[0].mixer))]
    return SimpleNamespace(kinds=kinds, slug="no/body", row=row)


@pytest.mark.parametrize(
    ("experts", "per_token", "runs"),
    [(8, 2, True), (7, 2, False), (12, 2, False), (512, 10, True), (520, 10, False), (256, 24, True), (256, 25, False)],
)
def test_a_router_can_be_run_with_what_its_sliders_reach(experts, per_token, runs):
    """Experts in eights from 8 to 512, up to 24 at work: what the page's own check of a state accepts."""
    state = explainer_links.router(mixture(experts, per_token, n_group=8, topk_group=4))
    assert bool(state) is runs
    if state:
        assert (state["experts"], state["k"], state["kept"]) == (experts, per_token, 4)
        checked = explainers.checker("experts")({**explainers.reference("experts").STATE, **state})
        assert not checked


def test_a_router_without_eight_groups_keeps_all():
    """Groups of the page are eight; where a model has none every group stays in."""
    assert explainer_links.router(mixture(128, 8, n_group=1, topk_group=1))["kept"] == 8
    assert explainer_links.router(mixture(128, 8, table_rows=5)) is None


@pytest.mark.parametrize(("experts", "nodes"), [(64, 8), (32, 4), (16, 2), (8, 1), (40, 1), (160, 4), (12, None)])
def test_experts_are_dealt_to_as_many_nodes_as_divide_them(experts, nodes):
    """Eight GPUs a node: 160 experts over 32 GPUs are five each, over 64 they are no whole number."""
    state = explainer_links.experts(mixture(experts, 2))
    assert (state or {}).get("nodes") == nodes


@pytest.mark.parametrize(
    ("slug", "name", "query"),
    [
        (V3, "mla-numbers", "?model=deepseek-ai/DeepSeek-V3"),
        (NEXT, "delta-rule", "?rule=gated"),
        ("moonshotai/Kimi-Linear-48B-A3B-Instruct", "delta-rule", "?rule=kda"),
        (OSS, "blocks", "?scheme=mxfp4"),
        (OSS, "masks", "?model=openai/gpt-oss-20b"),
        ("meta-llama/Meta-Llama-3-8B", "bits", "?format=bfloat16"),
        (V3, "bits", "?format=float8_e4m3fn"),
    ],
)
def test_a_door_opens_with_the_models_own_numbers(slug, name, query):
    """The state that an explainer is opened with is a model's rule, scheme or format, or what the page starts with."""
    doors = {one["name"]: one["target"] for one in explainer_links.of(SITE.view(slug))}
    start = explainers.reference(name).STATE
    word, _, value = query[1:].partition("=")
    assert doors[name] == f"/learn/{name}/{'' if start.get(word) == value else query}"


def test_a_model_has_no_door_to_what_it_lacks():
    """A dense model without windows, recurrence or blocks has none to pages about these."""
    doors = {one["name"] for one in explainer_links.of(SITE.view("meta-llama/Meta-Llama-3-8B"))}
    assert not doors & {"masks", "delta-rule", "mla-numbers", "decoder", "blocks", "experts", "expert-parallel"}
    assert {"heads", "flash", "position", "around-the-block", "tensor-parallel"} <= doors


# ---------------------------------------------------------------- what a checkpoint holds


def scaled(dynamic: bool) -> list[str]:
    """Tensors of a small Llama in FP8 by compressed-tensors, activations scaled as they come or beforehand."""
    numbers = {"num_bits": 8, "type": "float", "strategy": "tensor", "symmetric": True}
    group = {"targets": ["Linear"], "weights": numbers, "input_activations": {**numbers, "dynamic": dynamic}}
    quant = {
        "quant_method": "compressed-tensors",
        "format": "float-quantized",
        "config_groups": {"g": group},
        "ignore": ["lm_head"],
    }
    config = {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1,
              "num_attention_heads": 2, "vocab_size": 32, "torch_dtype": "bfloat16", "hidden_act": "silu",
              "architectures": ["LlamaForCausalLM"], "rms_norm_eps": 1e-6, "quantization_config": quant}  # fmt: skip
    (one,) = precision.checkpoint(SpecView(read(config), "x", config))
    return [name for name, *_ in one.rows]


def test_a_checkpoint_has_input_scales_where_they_do_not_come_with_the_input():
    """compressed-tensors keeps `input_scale` for static activations alone."""
    assert any(name.endswith("input_scale") for name in scaled(dynamic=False))
    assert not any(name.endswith("input_scale") for name in scaled(dynamic=True))


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ({"quantization_config": {"a": 1}}, {"a": 1}),
        ({"compression_config": {"b": 1}}, {"b": 1}),
        ({"text_config": {"quantization_config": {"c": 1}}, "quantization_config": {"a": 1}}, {"c": 1}),
        ({"text_config": "x", "quantization_config": {"a": 1}}, {"a": 1}),
        ({}, None),
    ],
)
def test_the_language_models_own_quantization_comes_first(config, found):
    """Of a config, of its text_config, or under the older name."""
    assert precision.config_of(SimpleNamespace(config=config)) == found


# ---------------------------------------------------------------- pictures and files


def test_a_drawing_has_three_widths_that_follow_each_other():
    """Each from where the one before ends to grow, and none wider than it is drawn."""
    sizes = figures.sizes(SITE.view(V3))
    assert [(start, widest) for start, widest, _, _ in sizes] == [(288, 460), (560, 860), (1100, 1600)]
    assert all(wide > 0 and high > 0 for _, _, wide, high in sizes)
    assert [wide for _, _, wide, _ in sizes] == sorted(wide for _, _, wide, _ in sizes)


def test_a_page_is_shown_with_its_own_picture_or_the_common_one():
    """Links to a model that has a card are shown with it, all others with the site's."""
    site = Site("https://a.example/")
    site.cards["/models/x/"] = SimpleNamespace(path="/cards/x.png")
    assert site.card("/models/x/") == "https://a.example/cards/x.png"
    assert site.card("/models/") == "https://a.example/assets/card.png"


def test_files_that_no_page_uses_are_not_sent():
    """What only the workbench needs is there in the live app alone; each file has the type that its name says."""
    static, live = ({page.path: page for page in assets.pages(Site(live=kind))} for kind in (False, True))
    assert {f"/assets/{name}" for name in assets.LIVE} <= live.keys() - static.keys()
    assert not {f"/assets/{name}" for name in assets.UNUSED} & live.keys()
    assert live.keys() - static.keys() == {f"/assets/{name}" for name in assets.LIVE}
    kinds = {page.path.rpartition(".")[2]: page.type for page in static.values()}
    assert kinds["css"] == "text/css" and kinds["woff2"] == "font/woff2" and kinds["png"] == "image/png"


def test_an_entry_of_the_glossary_has_all_its_other_names():
    """Whoever looks for one of them finds it."""
    made = {one.key: one for _, members in terms.entries(SITE) for one in members}
    for idea in ideas.IDEAS:
        if idea.key in made:
            assert (made[idea.key].word, *made[idea.key].names) == idea.words
    assert any(one.names for one in made.values())


# ---------------------------------------------------------------- the workbench


def test_a_plot_draws_what_is_kept_at_each_context():
    """Fourteen powers of two from 256 to 2,097,152 tokens, each with the bytes that gallery counts."""
    made, view = plot.CachePlot(), SITE.view("meta-llama/Llama-3.1-70B")
    made.show([view], 8192)
    data = made.sources[0].data
    assert data["x"] == [2**power for power in range(8, 22)] and data["x"][0] == 256
    assert data["y"] == [tokens * 320 * 1024 for tokens in data["x"]]
    assert data["y"] == [memory(view.spec, tokens).total_bytes for tokens in data["x"]]
    assert data["kept"][5] == "2.7 GB" and data["tokens"][5] == "8,192 tokens"
    assert [item.label.value for item in made.legend.items] == [view.title] and made.mark.location == 8192
    assert not made.sources[1].data["x"] and not made.sources[2].data["title"]


def test_a_tick_is_called_by_its_size():
    """Every fourth power of two, in units of 1,024; bytes in powers of ten."""
    assert plot.TICKS == {
        256: "256",
        1024: "1k",
        4096: "4k",
        16_384: "16k",
        65_536: "64k",
        262_144: "256k",
        2**20: "1M",
    }
    assert plot.BYTES[10**9] == "1 GB" and plot.BYTES[10**4] == "10 KB" and len(plot.BYTES) == 10


def test_what_keeps_nothing_has_no_line():
    """A logarithmic axis has no nought; the model is in the table."""
    made = plot.CachePlot()
    made.show([SimpleNamespace(title="x", memory=lambda tokens: SimpleNamespace(total_bytes=0))], 256)
    assert made.legend.items == [] and made.sources[0].data["y"] == []


@pytest.mark.parametrize(
    ("asked", "tokens"),
    [
        ("1", 1),
        ("8192", 8192),
        (str(2**30), 2**30),
        (str(2**30 + 1), 131_072),
        ("0", 131_072),
        ("x", 131_072),
        ("", 131_072),
    ],
)
def test_an_address_names_a_context_up_to_a_thousand_million_tokens(asked, tokens):
    """What cannot be counted with is 128k."""
    assert url.context(f"?context={asked}") == tokens


def test_two_stand_beside_in_their_places():
    """Names that nobody has leave their place empty; a third is left out, "none" is neither."""
    assert url.beside(f"?vs={V3},{OSS},{NEXT}") == [V3, OSS]
    assert url.beside(f"?vs=x,{OSS}") == ["", OSS] and url.beside(f"?vs={V3}") == [V3, ""]
    assert url.beside("?vs=none") == ["", ""] and url.beside("") == list(url.BESIDE)
    assert url.value("?a=1&a=2&b= x ", "a") == "1" and url.value("?a=1&b= x ", "b") == "x"


# ---------------------------------------------------------------- pictures and processes


def test_icons_are_painted_at_the_sizes_that_they_declare(tmp_path, monkeypatch):
    """An .ico by its own format: a head, one entry with 32 x 32, the length and the place of a PNG behind 22 bytes."""

    @contextmanager
    def painter():
        yield lambda text, width, height: b"\x89PNG" + struct.pack(">12sII", b"", width, height) + bytes(200)

    monkeypatch.setattr(cards, "painter", painter)
    monkeypatch.setattr(cards, "STATIC", tmp_path)
    (tmp_path / "icon.svg").write_text("<svg/>")
    (tmp_path / "fonts").mkdir()
    (tmp_path / "fonts" / "Inter.woff2").write_bytes(b"")
    monkeypatch.setattr(cards, "site_card", lambda site: "")
    cards.icons()
    painted = {
        name: struct.unpack(">II", (tmp_path / name).read_bytes()[16:24]) for name in ("card.png", "touch-icon.png")
    }
    assert painted == {"card.png": (1200, 630), "touch-icon.png": (180, 180)}
    icon = (tmp_path / "favicon.ico").read_bytes()
    zero, kind, many, wide, high, *_, length, start = struct.unpack("<HHHBBBBHHII", icon[:22])
    assert (zero, kind, many, wide, high) == (0, 1, 1, 32, 32)
    assert start == 22 and length == len(icon) - 22
    assert struct.unpack(">II", icon[start + 16 : start + 24]) == (32, 32)


class Served(Exception):
    """Enough has been answered."""


def test_a_worker_outlives_its_servers_patience_and_then_ends(monkeypatch):
    """The system's alarm is set a few seconds behind the server's own limit, and taken off when the answer is there."""
    alarms: list[int] = []
    sent: list = []
    requests = SimpleNamespace(get=lambda: (10.0, "a config"))

    def tell(_, what):
        sent.append(what)
        if len(sent) == 4:
            raise Served

    monkeypatch.setattr(worker, "tell", tell)
    monkeypatch.setattr(worker, "alarm", alarms.append)
    monkeypatch.setattr(worker, "own_output", lambda: None)
    monkeypatch.setattr(worker, "limit_memory", lambda: None)
    monkeypatch.setattr(worker, "listen", lambda requests: None)
    monkeypatch.setattr(worker.signal, "signal", lambda *_: None)
    monkeypatch.setattr(worker.queue, "SimpleQueue", lambda: requests)
    with pytest.raises(Served):
        worker.main(lambda request: f"drawn: {request}")
    assert sent == ["ready", "begun", ("drawn: a config", False), "begun"]
    assert alarms[1] == 0 and alarms[0] > 10.0


def test_a_worker_ends_after_a_thousand_answers_or_when_it_says_so(monkeypatch):
    """What its caches hold stays small: the thousandth answer is its last, and so is one that is called last."""
    monkeypatch.setattr(worker, "alarm", lambda seconds: None)
    monkeypatch.setattr(worker, "own_output", lambda: None)
    monkeypatch.setattr(worker, "limit_memory", lambda: None)
    monkeypatch.setattr(worker, "listen", lambda requests: None)
    monkeypatch.setattr(worker.signal, "signal", lambda *_: None)
    monkeypatch.setattr(worker.queue, "SimpleQueue", lambda: SimpleNamespace(get=lambda: (1, None)))
    sent: list = []
    monkeypatch.setattr(worker, "tell", lambda _, what: sent.append(what))
    worker.main(lambda request: "x")
    assert sent.count("begun") == 1000 == sum(what == ("x", False) for what in sent) + 1 and sent[-1] == ("x", True)
    sent.clear()
    worker.main(lambda request: Refusal("why", last=True))
    assert sent[1:] == ["begun", (Refusal("why", last=True), True)]


@pytest.mark.parametrize(("characters", "shown"), [(job.MOST_CHARACTERS, True), (job.MOST_CHARACTERS + 1, False)])
def test_a_page_is_sent_up_to_four_million_characters(monkeypatch, characters, shown):
    """One more is a sentence that counts both numbers."""
    monkeypatch.setitem(job.WORK, job.Request, lambda request: "x" * characters)
    made = job.answer(job.Request({}, "", ""))
    assert (made == "x" * characters) is shown
    assert shown or "4,000,001 characters; a page shows 4,000,000" in made.sentence


def test_an_edited_model_says_what_was_edited():
    """The title, the source and the numbers are of the edited one; as it was, it leads to its own sheet of the plan."""
    contexts = (8192, 131_072)
    config = catalog.load("Qwen/Qwen3-8B")
    plain = job.draw(
        job.Request(config, "Q", "A source.", contexts, page="/models/Qwen/Qwen3-8B/", slug="Qwen/Qwen3-8B")
    )
    fewer = job.draw(job.Request(config, "Q", "A source.", contexts, edits="layers:18", slug="Qwen/Qwen3-8B"))
    assert (plain.title, fewer.title) == ("Q", "Q, edited")
    assert "Edited here: layers:18." in fewer.html["result"] and "Edited here" not in plain.html["result"]
    assert plain.kept == {tokens: 36 * 2 * 8 * 128 * 2 * tokens for tokens in contexts}
    assert fewer.kept == {tokens: kept // 2 for tokens, kept in plain.kept.items()}
    assert fewer.memory(8192).total_bytes * 2 == plain.memory(8192).total_bytes
    assert "m=Qwen/Qwen3-8B" in plain.html["result"] and "m=local:" in fewer.html["result"]


def test_checks_are_listed_widest_first():
    """Of each group of /verify/ the most comparisons first; the total is their sum."""
    known = json.loads(verify.VERIFY.read_text())
    page = verify.verify_page(SITE)
    assert f"{sum(row['checked'] for row in known.values()):,}" in page
    told = verify.wiring(SITE)
    sizes = [len(members) for _, members in told]
    proved = [members[0].proof.proved for _, members in told]
    assert proved == sorted(proved, reverse=True) and sum(sizes) == sum(view.spec is not None for view in SITE.views)
    assert all(len({view.proof.words for view in members}) == 1 for _, members in told)
    for kind in (True, False):
        own = [size for size, is_proved in zip(sizes, proved, strict=True) if is_proved is kind]
        assert own == sorted(own, reverse=True)


def test_the_oldest_model_descends_from_nobody():
    """A line of descent of one step is none."""
    assert novelty.top(SITE.view("openai-community/gpt2-xl")).descent == ()
    assert len(novelty.top(SITE.view(NEXT)).descent) > 1


def test_a_packing_leads_to_its_base_and_a_base_to_its_packings():
    """Each page links the other."""
    packing = next(
        row for row in catalog.drawable_rows() if row.variant_of and catalog.BY_SLUG[row.variant_of].snapshot
    )
    base = catalog.BY_SLUG[packing.variant_of]
    for one, other in ((packing, base), (base, packing)):
        html = models.model_page(SITE, SITE.view(one.slug))
        assert f'href="{SITE.url(f"/models/{other.slug}/", f"/models/{one.slug}/")}"' in html, one.slug


def test_text_of_strangers_is_escaped_in_every_template():
    """A title with markup is shown as it is written."""
    assert SITE.env.from_string("{{ title }}").render(title="<b>&") == "&lt;b&gt;&amp;"


@pytest.mark.parametrize("slug", [V3, OSS, "meta-llama/Llama-3.1-405B-Instruct-FP8"])
def test_of_groups_in_groups_the_innermost_is_painted(slug):
    """A card around a painted matrix is not painted over it: no code stands inside another one's group of nodes."""
    view, depth = SITE.view(slug), []
    figure = str(precision.painted(figures.inline(view), view))
    assert "data-q" in figure
    for tag in re.findall(r"<g\b[^>]*>|</g>", figure):
        if tag == "</g>":
            depth.pop()
            continue
        depth.append("data-q" in tag)
        assert not ("data-n" in tag and any(depth[:-1])), tag


@pytest.mark.parametrize(
    ("op", "name", "said"),
    [
        ("glu", "mlp.glu", "swiglu"),
        ("glu", "mixer.glu", ""),
        ("positions", "positions", "learned-position"),
        ("distance_bias", "mixer.bias", "alibi"),
        ("linear", "mlp.up", ""),
    ],
)
def test_an_activation_of_an_mlp_leads_to_its_sentence(op, name, said):
    """A gate inside a mixer is no MLP's; tables of positions are explained wherever they stand."""
    node = Node(name, op, (), {}, {})
    assert part_links.sentence(node, ("swiglu", "learned-position", "alibi")) == said
    assert part_links.sentence(node, ("relu2",)) == ("relu2" if (op, name) == ("glu", "mlp.glu") else "")


def test_what_carries_leads_where_its_reader_leads():
    """Through several of them, and back to what they read where no reader leads anywhere."""
    graph = Graph(
        (
            Node("a", "linear", (), {}, {}),
            Node("b", "slice", ("a",), {}, {}),
            Node("c", "concat", ("b",), {}, {}),
            Node("d", "attend", ("c",), {}, {}),
            Node("e", "slice", ("d",), {}, {}),
        ),
        "e",
    )
    found = part_links.inherited(graph, {"a": ["matrix"], "d": ["heads"]})
    assert found == {"b": ["heads"], "c": ["heads"], "e": ["heads"]}
    assert part_links.inherited(graph, {"a": ["matrix"]}) == {"b": ["matrix"], "c": ["matrix"], "e": []}
