"""explainers/decoder: `gallery.run` on the shipped weights against torch, what was measured, how reads are judged."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from cutaway.explainers.decoder import measure
from tests.explainers.decoder_states import KINDS, at, data, decoder, measured, mixers, running, task
from tests.tally import Tally

stored = running.stored
GOLDEN = json.loads(Path(__file__).with_name("golden_decoder.json").read_text("utf-8"))
SPANS = {"near": (0, 1), "middle": (2, 3), "far": (4, 5)}  # columns of the cells


def test_the_weights_are_those_that_torch_ran():
    """Each file has the hash of the golden run; all together are at most 300 KB; int8 is half a step off at most."""
    sizes = []
    for kind in KINDS:
        packed, shapes = running.file(kind.name), mixers.shapes(kind)
        assert hashlib.sha256(packed).hexdigest() == GOLDEN[kind.name]["sha256"], kind.name
        numbers = sum(int(np.prod(shape)) for shape in shapes.values())
        assert len(packed) == numbers + 2 * sum(stored.rows_of(shape)[0] for shape in shapes.values())
        sizes.append(len(packed))
    assert sum(sizes) <= 300_000
    given = np.random.default_rng(0).normal(size=(2000, 9))
    found = stored.unpack(stored.pack({"w": given}), {"w": (2000, 9)})["w"]
    assert (abs(found - given).max(1) <= abs(given).max(1) / 127 * 0.51).all()
    with pytest.raises(ValueError, match=r"has 3 bytes; 23,180 were looked for"):
        stored.unpack(b"abc", mixers.shapes(KINDS[0]))


def test_the_interpreter_computes_what_torch_computed(verified):
    """Logits of `gallery.run` at three tokens of a stream are the training framework's, for every mixer."""
    tally = Tally()
    for kind in KINDS:
        tokens = task.streams(GOLDEN["seed"], 1, kind.resets)[0]
        logits, _ = running.run_tokens(kind.name, tuple(tokens.tolist()))
        tally.near(logits[GOLDEN["places"]], GOLDEN[kind.name]["logits"], kind.name, rel=0, abs=1e-4)
    verified("decoder: logits of the small models", tally, against=f"torch {GOLDEN['torch']}")


@pytest.mark.whole
def test_what_is_printed_was_measured(verified):
    """The first evaluation streams give the counts kept for them, whole ones reach every bar, cells add up."""
    tally = Tally()
    for kind in KINDS:
        kept = decoder.measures[kind.name]
        tally.same(measure.first(kind.name), kept["sample"], kind.name)
        assert measured.missed_bars(kind.name, kept) == []
        for parts in (("once", "again"), ("near", "middle", "far"), ("said_near", "said_far")):
            assert [sum(kept[part][i] for part in parts) for i in (0, 1)] == kept["all"]
        cells = [sum(cell[i] for row in kept["cells"] for cell in row) for i in (0, 1)]
        if kind.resets:
            for part in (kept, kept["long"]):
                for whole, halves in (("all", ("held", "empty")), ("old", ("old_held", "old_empty"))):
                    assert [sum(part[half][i] for half in halves) for i in (0, 1)] == part[whole]
            assert cells == kept["held"]
            continue
        columns = {part: sum(row[j][1] for row in kept["cells"] for j in span) for part, span in SPANS.items()}
        assert columns == {part: kept[part][1] for part in SPANS}
        assert cells == kept["all"]
    for seed, rows in decoder.held_out.items():  # counted by torch: the interpreter counts the first of them again
        assert set(rows) == {one.name for one in KINDS}
        for one in KINDS:
            tally.same(measure.first(one.name, int(seed)), rows[one.name]["sample"], one.name, seed)
        away = [
            abs(measured.percent(row["all"]) - measured.percent(decoder.measures[name]["all"]))
            for name, row in rows.items()
        ]
        assert max(away) < 1.5  # percent points, of streams that nothing was tuned on
    assert list(decoder.held_out) == [str(seed) for seed in task.OTHER_SEEDS]
    assert measured.too_near(decoder.measures["gated-x"], decoder.measures["delta-x"]) == []
    verified(
        "decoder: accuracy of the small models, measured again",
        tally,
        against="gallery.run on the first test sequences",
    )


RETRAINED = Path(__file__).with_name("retrained")


def test_other_trainings_were_measured(verified, monkeypatch):
    """Decoders of two further seeds give, by the interpreter, the counts kept of their first streams."""
    tally = Tally()
    assert list(decoder.retrained) == list(measured.RETRAINED)
    for name, rows in decoder.retrained.items():
        assert list(rows) == [str(seed) for seed in measured.SEEDS[1:]]
        asked = decoder.measures[name][measured.RETRAINED[name]][1]
        for seed, row in rows.items():
            packed = (RETRAINED / f"{name}-{seed}.bin").read_bytes()
            assert packed != running.file(name)
            monkeypatch.setattr(running, "file", lambda _, packed=packed: packed)
            running.load_decoder.cache_clear()
            tally.same(measure.first(name), row["sample"], name, seed)
            monkeypatch.undo()
            assert row["quoted"][1] == asked
    running.load_decoder.cache_clear()
    shares = decoder.thrice()
    assert max(shares["linear"]) < min(shares["delta"]) and max(shares["delta8"]) < min(shares["full8"])
    verified("decoder: trainings from other seeds", tally, against="gallery.run on the first test sequences")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_looks_and_states_are_the_graphs(kind):
    """Looks times values, and the query times the state, are what the graph's own node gives; nothing sees ahead."""
    tokens = task.streams(7, 1, kind.resets)[0][:60].tolist()
    logits, values = running.run_tokens(kind.name, tuple(tokens))
    node = lambda word: values[f"layer0:mixer.{word}"]  # noqa: E731
    for place in (1, 13, 58):
        if kind.family == "softmax":
            v = np.repeat(node("v" if kind.latent else "values"), kind.heads // kind.kv, axis=1)[: place + 1]
            shares = running.looks(kind.name, values, place)
            assert shares.sum(-1) == pytest.approx(1)
            assert np.einsum("hk,khd->hd", shares, v) == pytest.approx(node("attend")[place], abs=1e-9)
            assert not kind.window or not shares[:, : max(0, place - 23)].any()
        else:
            held = running.state(kind.name, values, place)
            read = np.einsum("hk,hkv->hv", node("q_unit")[place], held) * (kind.d**-0.5 if kind.delta else 1)
            assert read == pytest.approx(node("state")[place].reshape(read.shape), abs=1e-9)
        early, _ = running.run_tokens(kind.name, tuple(tokens[: place + 1]))
        assert early[place] == pytest.approx(logits[place], abs=1e-9)  # decode and prefill are one


@pytest.mark.parametrize("resets", [False, True])
def test_reads_are_judged_as_a_dictionary_would(resets):
    """Truth, distances, live keys and overwriting of every read agree with a plain walk over the tokens."""
    emptied = 0
    for tokens in task.streams(3, 5, resets):
        found = {one.at: one for one in task.reads(tokens)}
        units = tokens.reshape(-1, 3).tolist()
        for i, (kind, key, value) in enumerate(units):
            if kind != task.READ:
                assert 3 * i + 1 not in found
                continue
            since = max((j for j in range(i) if units[j][0] == task.RESET), default=0)
            own = [j for j in range(i) if units[j][1] == key]
            writes = [j for j in own if units[j][0] == task.WRITE]
            one, kept = found[3 * i + 1], [j for j in writes if j >= since]
            live = len({units[j][1] for j in range(since, i) if units[j][0] == task.WRITE})
            truth = units[kept[-1]][2] if kept else task.NONE
            assert (one.value, value, one.empty) == (truth - task.FIRST_VALUE, truth, not kept)
            assert (one.written, one.said) == (3 * (i - writes[-1]) - 1, 3 * (i - own[-1]) - 1)
            assert (one.live, one.again) == (live, len(kept) > 1)
            emptied += one.empty
    assert bool(emptied) == resets


def test_what_a_decoder_said_stands_in_the_stream_and_right_stays_what_was_written():
    """e~30 feeds 30: the truth is 12, a lie says nothing of it, a read that said 12 does."""
    now = at(x="e12.a7.e~30.e", u=3)
    assert now["stream"]["tokens"][6:] == [1, 6, 63, 1, 6, 45]
    assert [(unit["value"], unit["said"]) for unit in now["stream"]["units"][2:]] == [(12, 30), (12, 0)]
    assert (now["here"]["truth"], now["here"]["written"], now["here"]["said"]) == ("12", 8, 8)
    assert at(x="e12.a7.e~12.e", u=3)["here"]["said"] == at(x="e12.a7.e.e", u=3)["here"]["said"] == 2
    lie = at(x="e12.a7.e~30", u=2)
    assert (lie["live"]["answers"][2], lie["live"]["here"], lie["live"]["truth"] > 0.9) == ("12", True, True)
    assert lie["live"]["top"] == at(x="e12.a7.e", u=2)["live"]["top"]  # what is said comes after


def test_the_first_stream_is_told_before_weights_come():
    """By every mixer that can read it, as it is computed: those that know resets were trained on other streams."""
    assert set(data["told"]) == {kind.name for kind in KINDS if not kind.resets}
    assert all(told["answers"] == at(m=name)["live"]["answers"] for name, told in data["told"].items())


def test_the_next_token_is_drawn_from_the_nucleus():
    """Top-p leaves the fewest tokens that hold its share; the likeliest is taken unless something is drawn."""
    shares = np.array([0.1, 0.5, 0.15, 0.25])
    assert decoder.answering.sample_token(shares, 1.0, 0) == (1, 4)
    assert decoder.answering.sample_token(shares, 0.5, 3) == (1, 1)
    assert decoder.answering.sample_token(shares, 0.7, 0) == (1, 2)
    drawn = [decoder.answering.sample_token(shares, 1.0, draw)[0] for draw in range(1, 1000)]
    assert [drawn.count(token) / 999 for token in range(4)] == pytest.approx(shares.tolist(), abs=0.01)
    hot, cold = at(temp=3.0)["live"], at(temp=0.1)["live"]
    assert hot["top"][0]["share"] < at()["live"]["top"][0]["share"] < cold["top"][0]["share"]


def test_a_link_without_a_cursor_reads_the_end():
    """A stream alone in a link puts the cursor on its last unit; a cursor that is given stays."""
    state = {**decoder.STATE, "x": "a1.b2.a"}
    assert decoder.settle(state, ["x"], data)["u"] == 2
    assert decoder.settle({**state, "u": 1}, ["x", "u"], data)["u"] == 1
    for text in ("a1.b2.a", "a1.!.a.b2"):
        assert decoder.streams.write_tokens(decoder.stream(text)["tokens"]) == text
