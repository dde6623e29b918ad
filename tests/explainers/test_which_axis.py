"""explainers/which_axis: numbers beside gallery.memory, parameters and formulas; what beats and goals claim."""

import json
import re
from math import log10

import pytest

from cutaway import explainers
from cutaway.explainers import fmt
from cutaway.gallery import catalog, memory, parameters
from cutaway.gallery.command import cli
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.planner_model import make_planner_model
from tests import bundled
from tests.explainers.expected import Expected

page, data = explainers.reference("which-axis"), explainers.data("which-axis")
table = page.table
LLAMA, QWEN, V3, GEMMA = table.MODELS
MODELS = pytest.mark.parametrize("model", table.MODELS)
GPUS = pytest.mark.parametrize("gpus", table.GPUS)


def at(**state) -> dict:
    """What the page prints in a state."""
    return page.compute({**page.STATE, **state}, data)


def part(row: dict, name: str) -> dict:
    return next(one for one in row["parts"] if one["name"] == name)


def row(axis: str, **state) -> dict:
    return next(one for one in at(**state)["rows"] if one["axis"] == axis)


def ask(path: str, **state):
    """The value of a path of the page."""
    return Expected("which-axis", state)(path)


def listed(names: list[str]) -> str:
    """Names in words: none, one, two, three."""
    return " and ".join([one for one in (", ".join(names[:-1]), *names[-1:]) if one]) or "no axis"


@pytest.fixture
def told(of_beats):
    """told("copies", gpus=8): a caption of beats.js with the reference's numbers in it."""

    def caption(name: str, **state) -> str:
        [said] = of_beats("which-axis", "captions", name, [{**page.STATE, **state}])
        return Expected("which-axis", state).plain(said)

    return caption


DRAW = """([what, now, ...how]) => {
  const view = what === "grid" ? loaded.grid_view() : loaded.bars_view(what);
  view.update(now, ...how);
  return view.el.outerHTML; }"""


@pytest.fixture
def drawn(blank):
    """drawn("grid", now, axis, hide): what a drawing makes of the reference's numbers."""
    return lambda *asked: blank(bundled.explainer("which-axis")).evaluate(DRAW, list(asked))


@MODELS
def test_one_gpu_keeps_eighteen_bytes_a_parameter_and_the_text(model):
    """2 of weights, 4 of gradients, 12 of optimizer for each of `parameters`, which leave MTP layers out."""
    held = {one["name"]: one["bytes"] for one in at(model=model)["one"]["parts"]}
    states = sum(bytes for name, bytes in held.items() if name != "activations")
    assert states == 18 * parameters(catalog.spec(model)).total
    assert held["optimizer"] == 3 * held["gradients"] == 6 * (held["weights"] + held.get("experts", 0))


@MODELS
def test_one_gpu_would_keep_every_readers_cache(model):
    """Eight times what gallery.memory says of a sequence of 131,072 tokens."""
    kept = at(model=model, job="decode")["one"]["parts"][-1]
    assert (kept["name"], kept["bytes"]) == ("cache", 8 * memory(catalog.spec(model), 131_072).total_bytes)


@MODELS
@GPUS
def test_each_axis_splits_what_its_words_say(model, gpus):
    """Whole on a copy, an n-th where it is dealt out."""
    state = {"model": model, "gpus": gpus}
    for name in ("weights", "gradients", "optimizer", "activations"):
        assert part(row("dp", **state), name)["share"] == 1
        dealt = 1 if name == "activations" else 1 / gpus
        assert part(row("zero", **state), name)["share"] == pytest.approx(dealt, rel=1e-6)
        assert part(row("cp", **state), name)["share"] == pytest.approx(1 / gpus if name == "activations" else 1)
    experts = row("ep", **state)["legal"]
    copied = {"weights": 0.08, "activations": 0.5 if experts else 1e-6}  # routers, latents; tokens at cut experts
    for name, more in copied.items():
        assert 1 / gpus - 1e-9 <= part(row("tp", **state), name)["share"] < 1 / gpus + more
    if row("ep", **state)["legal"]:
        assert part(row("ep", **state), "experts")["share"] == pytest.approx(1 / gpus)
        assert part(row("ep", **state), "weights")["share"] == 1


@pytest.mark.parametrize(("model", "kv_heads"), [(LLAMA, 8), (QWEN, 4), (V3, 1)])
@GPUS
def test_tensor_ranks_copy_kv_heads_when_there_are_too_few(model, kv_heads, gpus):
    """A cache shrinks with the KV heads, a latent never; context ranks share the copies' tokens out."""
    state = {"model": model, "gpus": gpus, "job": "decode"}
    assert part(row("tp", **state), "cache")["share"] == pytest.approx(1 / min(gpus, kv_heads))
    copies = max(gpus // kv_heads, 1)
    shared = row("cp", **state)
    assert shared["legal"] == (copies > 1)
    if shared["legal"]:
        assert (shared["detail"], part(shared, "cache")["share"]) == (
            f"tp {gpus}, dcp {copies}",
            pytest.approx(1 / gpus),
        )


@MODELS
@GPUS
def test_gradients_meet_at_their_formula(model, gpus):
    """An all-reduce of n ranks sends 2 (n - 1) / n of its bytes: four for each parameter."""
    gradients = part(at(model=model, gpus=gpus)["one"], "gradients")["bytes"]
    assert row("dp", model=model, gpus=gpus)["sent"] == pytest.approx(2 * (gpus - 1) / gpus * gradients, rel=1e-6)
    assert row("dp", model=model, gpus=gpus, job="decode")["sent"] == 0


def staged(model: str, job: str, gpus: int):
    """(the model's sheet, the planner's plan of so many pipeline stages)."""
    drawn = make_planner_model(catalog.spec(model))
    return drawn, plan(drawn, table.layouts(job, "pp", gpus, drawn)[0][1])


@MODELS
@GPUS
@pytest.mark.parametrize("job", table.PARTS)
def test_each_column_shows_the_stage_that_holds_most_of_it(model, gpus, job):
    """Whichever stage is fullest by the total: where another keeps more activations, that one's are printed."""
    found = staged(model, job, gpus)[1]
    mine = row("pp", model=model, gpus=gpus, job=job)
    for one in mine["parts"]:
        assert one["bytes"] == max(getattr(rank, f"{one['name']}_bytes") for rank in found.ranks)
    assert mine["total"] == max(rank.total_bytes for rank in found.ranks) <= sum(one["bytes"] for one in mine["parts"])


@MODELS
@GPUS
@pytest.mark.parametrize("job", table.PARTS)
def test_what_is_sent_is_the_busiest_stages(model, gpus, job):
    """No stage sends more than is printed, in all or to another node: the ends of a pipeline have one neighbour."""
    drawn, found = staged(model, job, gpus)
    sent = [list_collectives(drawn, found, rank.stage) for rank in found.ranks]
    mine = row("pp", model=model, gpus=gpus, job=job)
    assert mine["sent"] == max(sum(one.bytes for one in met) for met in sent) > 0
    assert mine["away"] == max(sum(one.leaving_bytes for one in met) for met in sent)
    assert (mine["away"] > 0) == (gpus > table.NODE)


@MODELS
def test_between_nodes_a_stage_sends_less_than_a_tensor_rank(model):
    """“That is why pipelines span nodes”: both send some on two nodes, and the pipeline far less."""
    stage, tensor = ask("pipeline_leaves", model=model), ask("tensor_leaves", model=model)
    assert 0 < 10 * stage < tensor
    assert ask("two_nodes") == 2 * table.NODE


@MODELS
@GPUS
def test_who_keeps_all_weights_keeps_the_experts_too(model, gpus, told):
    """Expert parallel deals the experts out, and is never said to keep all weights; data parallel always is."""
    state = {"model": model, "gpus": gpus, "job": "decode"}
    whole, said = at(**state)["one"], told("copies", **state)
    held = {one["axis"]: sum(p["bytes"] for p in one["parts"] if p["name"] in ("weights", "experts"))
            for one in at(**state)["rows"] if one["legal"]}  # fmt: skip
    most = sum(part(whole, name)["bytes"] for name in page.ALL_WEIGHTS if name in str(whole["parts"]))
    names = [data["words"][axis]["name"] for axis, size in held.items() if size > 0.995 * most]
    assert said.partition(" parallelism, each GPU keeps")[0] == f"{gpus} GPUs: with {' and '.join(names)}"
    assert "data" in names
    assert "expert" not in names
    assert ("experts too" in said) == ("experts" in str(whole["parts"]))
    fits = [one["name"] for one in at(**state)["rows"] if one["legal"] and one["total"] <= 80 * 2**30]
    begin = f"Only {listed(fits)} parallelism fit" if fits else "No single axis fits"
    assert said.partition(". ")[2].startswith(begin) and said.endswith(" of 86 GB.")


@MODELS
@GPUS
def test_nobody_is_said_to_make_activations_smaller_where_a_stage_keeps_most(model, gpus, told):
    """The caption names an axis only if no rank of it holds 60 % of what one GPU would."""
    state = {"model": model, "gpus": gpus}
    said = told("activations", **state)
    less = [one["name"] for one in at(**state)["rows"] if one["legal"] and part(one, "activations")["share"] < 0.6]
    assert said.startswith(f"{gpus} GPUs: {listed(less)} parallelism make")
    found, whole = staged(model, "train", gpus)[1], part(at(**state)["one"], "activations")["bytes"]
    most = max(rank.activations_bytes for rank in found.ranks) / whole
    assert ("pipeline" in said) == (most < 0.6)
    assert ask("pipeline_share", **state) == pytest.approx(most)


@pytest.mark.parametrize(("job", "words"), [("train", "a whole step"), ("decode", "the next token")])
def test_bars_of_milliseconds_say_what_takes_so_long(job, words, drawn):
    """A label for who cannot see them: training they are of a step, serving of a token."""
    assert f'aria-label="Shortest possible time for {words} in' in drawn("ms", at(job=job), "", False)


def test_what_cannot_be_says_why():
    """No experts, nothing kept while serving that ZeRO could deal out, no copies of a head."""
    assert row("ep")["why"] == table.NO_EXPERTS
    assert row("zero", job="decode")["why"] == table.NO_ZERO
    assert row("cp", job="decode")["why"] == table.NO_COPY
    assert all(one["total"] == 0 and not one["fits"] for one in at(job="decode")["rows"] if not one["legal"])


def test_the_bets_are_answered_as_the_words_say():
    """Many GPUs' memory; data keeps all weights; a quarter of the cache; nearly all; tensor; pipeline."""
    assert ask("one.total") == sum(one["bytes"] for one in at()["one"]["parts"])
    assert ask("over") == ask("one.total") / data["room"] > 8
    assert ask("keeps_weights", job="decode") == 2
    assert (ask("tensor_cache", model=QWEN, job="decode"), ask("context_cache", model=QWEN, job="decode")) == (
        0.25,
        0.125,
    )
    assert ask("pipeline_keeps") == 2
    assert {gpus: ask("first_token", job="decode", gpus=gpus) for gpus in table.GPUS} == dict.fromkeys(table.GPUS, 1)
    assert ask("sends_least") == 2


@pytest.mark.parametrize("model", table.MODELS)
def test_a_pick_holds_for_every_model_that_can_be_chosen(model):
    """The words behind a verdict stay true when the reader changes the model."""
    assert ask("sends_least", model=model) == 2
    assert ask("keeps_weights", model=model, job="decode") == 2


@pytest.mark.parametrize(("name", "model", "job", "axes"), [
    ("trains", LLAMA, "train", {32: {"tp"}}),
    ("serves", V3, "decode", {16: {"pp", "cp", "ep"}}),
])  # fmt: skip
def test_goals_are_reached_only_where_they_hold(name, model, job, axes, of_beats):
    """32 tensor ranks train Llama 3.1 70B; 16 GPUs serve DeepSeek V3 in three ways, 8 in none."""
    places = [(gpus, axis) for gpus in table.GPUS for axis in table.AXES]
    states = [{"model": model, "job": job, "gpus": gpus, "axis": axis} for gpus, axis in places]
    fits = [place for place, one in zip(places, states, strict=True) if at(**one)["here"]["fits"]]
    right = [(gpus, axis) for gpus, axis in fits if name == "trains" or gpus == min(fits)[0]]
    made = of_beats("which-axis", "goals", name, states)
    assert [place for place, one in zip(places, made, strict=True) if one["reached"]] == right
    assert set(right) == {(gpus, axis) for gpus, found in axes.items() for axis in found}
    for state, one in zip(states, made, strict=True):
        now = at(**state)["here"]
        held = f"ith {now['detail']}, the most loaded GPU holds {now['total'] / 1e9:,.0f} GB"
        assert held in one["says"] if now["legal"] else one["says"] == now["why"]


@pytest.mark.parametrize(
    "bad", [{"job": ["train"]}, {"gpus": "8"}, {"gpus": True}, {"model": 8}, {"axis": None}, {"gpus": 8.5}], ids=str
)
def test_what_is_no_state_is_refused_in_a_sentence(bad):
    """Other types than the state's end in words, never in a traceback; a whole float is the number it is."""
    assert page.check({**page.STATE, **bad}, data).endswith(".")
    assert at(gpus=8.0) == at()


@pytest.mark.parametrize(("gpus", "said"), [(4, "nothing to split"), (8, "With tp 8, dcp 2, each holds 13 %.")])
def test_the_caches_caption_says_who_shares_copies(gpus, said, told):
    """Four KV heads on four ranks leave no copy; on eight, two ranks share each head's tokens."""
    assert said in told("cache", model=QWEN, job="decode", gpus=gpus)


@MODELS
@GPUS
def test_who_is_first_and_last_is_named_with_all_that_take_as_long(model, gpus, told):
    """No axis is missing that prints the same milliseconds as the first or the last."""
    state = {"model": model, "job": "decode", "gpus": gpus}
    said = told("waits", **state)
    took = {one["name"]: f"{one['ms']:,.1f}" for one in at(**state)["rows"] if one["legal"]}
    end = "(.+) parallelism with (.+) ms"
    ends = re.fullmatch(rf"Fastest: {end}; slowest: {end}\.( Hollow bars .*)?", said)
    for names, ms in (ends.group(1, 2), ends.group(3, 4)):
        assert set(re.split(", | and ", names)) == {name for name, one in took.items() if one == ms}
    spent = [float(one.replace(",", "")) for one in took.values()]
    assert [float(ends[2].replace(",", "")), float(ends[4].replace(",", ""))] == [min(spent), max(spent)]


@MODELS
@GPUS
def test_who_sends_least_and_most_is_named_with_its_bytes(model, gpus, told):
    """The caption's two axes send, by the table, the fewest and the most bytes."""
    state = {"model": model, "gpus": gpus}
    sent = {one["name"]: one["sent"] for one in at(**state)["rows"] if one["legal"]}
    less, most = min(sent, key=sent.get), max(sent, key=sent.get)
    away = next(one["away"] for one in at(**state)["rows"] if one["name"] == most)
    assert told("talks", **state) == (
        f"Least sent: {less} parallelism with {fmt.in_bytes(sent[less])}; "
        f"most sent: {most} parallelism with {fmt.in_bytes(sent[most])}, "
        f"{fmt.in_bytes(away)} of it to another node.{hollow(**state)}"
    )


def hollow(**state) -> str:
    """The sentence on the axes that hold more than a GPU has."""
    names = [one["name"] for one in at(**state)["rows"] if one["legal"] and one["total"] > data["room"]]
    return f" Hollow bars mark axes that do not fit on GPUs of 86 GB: {', '.join(names)}." if names else ""


@MODELS
@GPUS
@pytest.mark.parametrize("job", table.PARTS)
def test_what_does_not_fit_is_drawn_hollow_and_named(model, gpus, job, told, drawn):
    """Llama 3.1 70B whole on each of 8 GPUs: the time of what no H100 holds is marked, in the bars and in words."""
    state = {"model": model, "job": job, "gpus": gpus}
    now = at(**state)
    for what in ("ms", "sent"):
        svg = drawn(what, now, "pp", False)
        classes = re.findall(r'<g class="([a-z ]*)"', svg)
        assert ["over" in one for one in classes] == [not row["fits"] for row in now["rows"] if row["legal"]]
        assert hollow(**state) in svg
    for caption in ("waits", "talks"):
        assert told(caption, **state).endswith(hollow(**state) or "."), caption


@pytest.mark.parametrize("job", table.PARTS)
def test_bars_stand_in_their_rows_and_numbers_behind_them(job, drawn):
    """One legal axis under the other; bars are as long as their share of the longest, bytes on a log scale."""
    now = at(job=job)
    legal = [row for row in now["rows"] if row["legal"]]
    for what, unit in (("ms", " ms"), ("sent", "")):
        svg = drawn(what, now, "pp", False)
        bars = re.findall(r'<rect x="20%" height="18" y="(\d+)" width="([\d.]+)%"', svg)
        texts = re.findall(r'<text x="([\d.]+)%?" y="(\d+)">(.*?)</text>', svg)
        names, numbers = texts[::2], texts[1::2]
        assert names == [("0", str(30 * n + 17), row["name"]) for n, row in enumerate(legal)]
        assert [top for top, _ in bars] == [str(30 * n + 4) for n in range(len(legal))]
        assert re.findall(r'<g class="([a-z ]*)"', svg) == [
            " ".join(word for word, holds in (("on", row["axis"] == "pp"), ("over", not row["fits"])) if holds)
            for row in legal
        ]
        most = max(row[what] for row in legal)
        for (x, y, said), (_, wide), (_, below, _), row in zip(numbers, bars, names, legal, strict=True):
            logs = [max(log10(size / 1e6), 0.02) if size else 0 for size in (row[what], most)]
            part_of = row[what] / most if what == "ms" else logs[0] / logs[1]
            assert float(wide) == pytest.approx(62 * part_of, abs=0.01)
            assert (float(x), y) == (pytest.approx(float(wide) + 21, abs=0.01), below)
            printed = fmt.fixed(row[what], 1) if what == "ms" else fmt.in_bytes(row[what])
            assert re.sub("<[^>]+>", "", said) == printed + unit


def test_squares_are_filled_from_below_to_their_share(drawn):
    """A square of 30 pixels for each part of each legal axis, its share printed below it; hidden, none is filled."""
    now = at(model=QWEN)
    html = drawn("grid", now, "tp", False)
    legal = [row for row in now["rows"] if row["legal"]]
    filled = re.findall(r'<rect class="([a-z]+)" y="([\d.]+)" width="30" height="([\d.]+)"', html)
    parts = [one for row in legal for one in row["parts"]]
    assert [name for name, *_ in filled] == [one["name"] for one in parts]
    assert [(float(y), float(high)) for _, y, high in filled] == [
        (pytest.approx(30 - 30 * one["share"], abs=0.01), pytest.approx(30 * one["share"], abs=0.01)) for one in parts
    ]
    shares = re.findall(r'parts\.\d\.share" data-format="percent 1">([^<]+)<', html)
    assert shares == [fmt.percent(one["share"], 1) for one in parts]
    assert re.findall(r'class="fits"', html) == ['class="fits"' for row in legal if row["fits"]]
    assert len(re.findall('<tr class="on"><th scope="row">tensor</th>', html)) == 1
    open_ = drawn("grid", now, "", True)
    assert set(re.findall(r'y="30.00" width="30" height="([\d.]+)"', open_)) == {"0.00"} and "data-out" not in open_


@pytest.mark.parametrize(("axis", "flags"), [("tp", ("--tp", "8")), ("pp", ("--pp", "8")), ("dp", ("--zero", "0"))])
def test_what_is_printed_is_what_the_command_says(axis, flags, capsys):
    """`cutaway plan` of the same layout: bytes of the fullest GPU, of the busiest, milliseconds to three digits."""
    more = ("--job", "train", "--on", "h100_sxm:1x8", "--sequence", "8192", "--batch", "64", "--json", "--offline")
    assert cli.main(["plan", LLAMA, *flags, *([] if axis == "dp" else ["--zero", "0"]), *more]) == 0
    said = json.loads(capsys.readouterr().out)
    mine = row(axis, gpus=8)
    assert mine["total"] == max(rank["total_bytes"] for rank in said["ranks"])
    assert mine["ms"] == round(1000 * said["step"]["seconds"], 3)
    stages = {one.get("stage", 0) for one in said["communicators"]}
    sent = [sum(one["bytes"] for one in said["communicators"] if one.get("stage", 0) == stage) for stage in stages]
    assert mine["sent"] == max(sent)
