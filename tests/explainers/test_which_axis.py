"""explainers/which_axis: numbers beside gallery.memory, parameters and formulas; what beats and goals claim."""

import json
import re

import pytest

from cutaway import explainers
from cutaway.explainers import beats_facts
from cutaway.gallery import catalog, memory, parameters
from cutaway.gallery.command import cli
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.planner_model import make_planner_model

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
    return beats_facts.Look("which-axis", state)(path)


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
    """“So pipelines cross nodes”: both send some on two nodes, and the pipeline far less."""
    stage, tensor = ask("pipeline_leaves", model=model), ask("tensor_leaves", model=model)
    assert 0 < 10 * stage < tensor
    assert ask("two_nodes") == 2 * table.NODE


@MODELS
@GPUS
def test_who_keeps_all_weights_keeps_the_experts_too(model, gpus):
    """Expert parallel deals the experts out, and is never said to keep all weights; data parallel always is."""
    state = {**page.STATE, "model": model, "gpus": gpus, "job": "decode"}
    whole, said = at(**state)["one"], beats_facts.part("which-axis", "captions")["copies"](state, data)
    held = {one["axis"]: sum(p["bytes"] for p in one["parts"] if p["name"] in ("weights", "experts"))
            for one in at(**state)["rows"] if one["legal"]}  # fmt: skip
    most = sum(part(whole, name)["bytes"] for name in page.ALL_WEIGHTS if name in str(whole["parts"]))
    names = [data["words"][axis]["name"] for axis, size in held.items() if size > 0.995 * most]
    assert said.partition(" keep")[0] == f"{gpus} GPUs: **{' and '.join(names)}**"
    assert "data" in names
    assert "expert" not in names


@MODELS
@GPUS
def test_nobody_is_said_to_make_activations_smaller_where_a_stage_keeps_most(model, gpus):
    """The caption names an axis only if no rank of it holds 60 % of what one GPU would."""
    state = {**page.STATE, "model": model, "gpus": gpus}
    said = beats_facts.part("which-axis", "captions")["activations"](state, data)
    found, whole = staged(model, "train", gpus)[1], part(at(**state)["one"], "activations")["bytes"]
    most = max(rank.activations_bytes for rank in found.ranks) / whole
    assert ("pipeline" in said) == (most < 0.6)
    assert ask("pipeline_share", **state) == pytest.approx(most)


@pytest.mark.parametrize(("job", "words"), [("train", "a whole step"), ("decode", "the next token")])
def test_bars_of_milliseconds_say_what_takes_so_long(job, words):
    """A label for who cannot see them: training they are of a step, serving of a token."""
    assert f'aria-label="Milliseconds for {words} at least' in page.drawn.bars(at(job=job), "ms")


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


def test_goals_are_reached_only_where_they_hold():
    """32 tensor ranks train Llama 3.1 70B; 16 GPUs serve DeepSeek V3 in three ways, 8 in none."""
    goals = beats_facts.part("which-axis", "goals")
    reached = {
        (name, gpus, axis)
        for name, model, job in (("trains", LLAMA, "train"), ("serves", V3, "decode"))
        for gpus in table.GPUS
        for axis in table.AXES
        if goals[name]({"model": model, "job": job, "gpus": gpus, "axis": axis}, data)["reached"]
    }
    assert reached == {("trains", 32, "tp"), *(("serves", 16, axis) for axis in ("pp", "cp", "ep"))}


@pytest.mark.parametrize(
    "bad", [{"job": ["train"]}, {"gpus": "8"}, {"gpus": True}, {"model": 8}, {"axis": None}, {"gpus": 8.5}], ids=str
)
def test_what_is_no_state_is_refused_in_a_sentence(bad):
    """Other types than the state's end in words, never in a traceback; a whole float is the number it is."""
    assert page.check({**page.STATE, **bad}, data).endswith(".")
    assert at(gpus=8.0) == at()


@pytest.mark.parametrize(("gpus", "said"), [(4, "nothing to share"), (8, "With tp 8, dcp 2: **13 %**")])
def test_the_caches_caption_says_who_shares_copies(gpus, said):
    """Four KV heads on four ranks leave no copy; on eight, two ranks share each head's tokens."""
    state = {**page.STATE, "model": QWEN, "job": "decode", "gpus": gpus}
    assert said in beats_facts.part("which-axis", "captions")["cache"](state, data)


@MODELS
@GPUS
def test_who_is_first_and_last_is_named_with_all_that_take_as_long(model, gpus):
    """No axis is missing that prints the same milliseconds as the first or the last."""
    state = {**page.STATE, "model": model, "job": "decode", "gpus": gpus}
    said = beats_facts.part("which-axis", "captions")["waits"](state, data)
    took = {one["name"]: f"{one['ms']:,.1f}" for one in at(**state)["rows"] if one["legal"]}
    ends = re.fullmatch(r"First is \*\*(.+)\*\* with (.+) ms, last \*\*(.+)\*\* with (.+) ms\.", said)
    for names, ms in (ends.group(1, 2), ends.group(3, 4)):
        assert set(re.split(", | and ", names)) == {name for name, one in took.items() if one == ms}
    spent = [float(one.replace(",", "")) for one in took.values()]
    assert [float(ends[2].replace(",", "")), float(ends[4].replace(",", ""))] == [min(spent), max(spent)]


BARS = re.compile(
    r'y="(\d+)">([^<]*)</text><rect x="20%" y="(\d+)" width="([\d.]+)%" height="18"/><text x="([\d.]+)%" y="(\d+)"'
)


def test_bars_stand_in_their_rows_and_numbers_behind_them():
    """One legal axis under the other; milliseconds are as long as their share of the longest."""
    now = at(job="decode")
    for what in ("ms", "sent"):
        legal = [row for row in now["rows"] if row["legal"]]
        found = BARS.findall(page.drawn.bars(now, what))
        assert [name for _, name, *_ in found] == [row["name"] for row in legal]
        for n, ((y, _, top, wide, x, below), row) in enumerate(zip(found, legal, strict=True)):
            assert (int(y), int(top), int(below)) == (30 * n + 17, 30 * n + 4, 30 * n + 17)
            assert float(x) == pytest.approx(float(wide) + 21, abs=0.01)
            if what == "ms":
                assert float(wide) == pytest.approx(62 * row["ms"] / max(one["ms"] for one in legal), abs=0.01)


def test_axes_are_listed_in_words():
    """None, one, two, three."""
    from cutaway.explainers.which_axis.beats import listed

    assert [listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "no axis",
        "a",
        "a and b",
        "a, b and c",
    ]


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
