"""explainers/which-axis: numbers beside gallery.memory, parameters and formulas; what beats and goals claim."""

import json
import re

import pytest

import explainers
from explainers import beats_facts
from gallery import catalog, memory, parameters
from gallery.command import cli

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
    for name in ("weights", "activations"):
        assert 1 / gpus - 1e-9 <= part(row("tp", **state), name)["share"] < 1 / gpus + 0.08  # routers, latents: copied
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


def test_what_cannot_be_says_why():
    """No experts, nothing kept while serving that ZeRO could deal out, no copies of a head."""
    assert row("ep")["why"] == table.NO_EXPERTS
    assert row("zero", job="decode")["why"] == table.NO_ZERO
    assert row("cp", job="decode")["why"] == table.NO_COPY
    assert all(one["total"] == 0 and not one["fits"] for one in at(job="decode")["rows"] if not one["legal"])


def test_the_bets_are_answered_as_the_words_say():
    """1,446 GB; data keeps all weights; a quarter of the cache; nearly all; tensor; pipeline."""
    assert ask("one.total") == pytest.approx(1446e9, rel=1e-3)
    assert ask("over") == pytest.approx(16.8, abs=0.05)
    assert ask("keeps_weights", job="decode") == 2
    assert (ask("tensor_cache", model=QWEN, job="decode"), ask("context_cache", model=QWEN, job="decode")) == (
        0.25,
        0.125,
    )
    assert (ask("pipeline_keeps"), ask("pipeline_share")) == (2, pytest.approx(0.975, abs=1e-3))
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
    listed = explainers.load_file(explainers.HERE / "which-axis" / "beats.py").listed
    assert [listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "no axis",
        "a",
        "a and b",
        "a, b and c",
    ]


@pytest.mark.parametrize(("axis", "flags"), [("tp", ("--tp", "8")), ("pp", ("--pp", "8")), ("dp", ("--zero", "0"))])
def test_what_is_printed_is_what_the_command_says(axis, flags, capsys):
    """`cutaway plan` of the same layout: bytes of the fullest GPU, bytes sent, milliseconds to three digits."""
    more = ("--job", "train", "--on", "h100_sxm:1x8", "--sequence", "8192", "--batch", "64", "--json", "--offline")
    assert cli.main(["plan", LLAMA, *flags, *([] if axis == "dp" else ["--zero", "0"]), *more]) == 0
    said = json.loads(capsys.readouterr().out)
    mine = row(axis, gpus=8)
    assert mine["total"] == max(rank["total_bytes"] for rank in said["ranks"])
    assert mine["ms"] == round(1000 * said["step"]["seconds"], 3)
    stage = said["fits"]["fullest"]
    sent = [one for one in said["communicators"] if one.get("stage", stage) == stage]
    assert mine["sent"] == sum(one["bytes"] for one in sent)
