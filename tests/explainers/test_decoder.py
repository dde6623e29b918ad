"""explainers/decoder: `gallery.run` on the shipped weights against torch, what was measured, what is claimed."""

import hashlib
import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers import fmt
from cutaway.explainers.decoder import measure
from tests import bundled
from tests.explainers import expected
from tests.tally import Tally

decoder, data = explainers.reference("decoder"), explainers.data("decoder")
running, mixers, task, measured = decoder.running, decoder.mixers, decoder.task, decoder.measured
stored = running.stored
GOLDEN = json.loads(Path(__file__).with_name("golden_decoder.json").read_text("utf-8"))
WITH_X = {"delta-x": tuple(decoder.stream("e12.!.a7.e.a")["tokens"])}
SPANS = {"near": (0, 1), "middle": (2, 3), "far": (4, 5)}  # columns of the cells
KINDS = list(mixers.KINDS.values())
answers = expected.answers("decoder")


def at(**state) -> dict:
    """What the page prints in a state."""
    return decoder.compute({**decoder.STATE, **state}, data)


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


def lied_to(name: str, tokens: np.ndarray, rng: np.random.Generator) -> str:
    """What is answered to a read whose last one was fed a wrong value: truth, lie, other; nothing where none is."""
    units, last, twice = tokens.reshape(-1, 3), {}, []
    for i, (kind, key, _) in enumerate(units.tolist()):
        twice += [(last[key], i)] if kind == task.READ and key in last else []
        last = {one: at for one, at in last.items() if one != key} | ({key: i} if kind == task.READ else {})
    lie = int(rng.integers(task.FIRST_VALUE, task.VOCABULARY))
    if not twice or lie == units[twice[0][0]][2]:
        return ""
    first, again = twice[rng.integers(len(twice))]
    truth, units[first][2] = int(units[first][2]), lie
    best = int(running.run_tokens(name, tuple(tokens[: 3 * again + 2].tolist()))[0][-1].argmax())
    return {truth: "truth", lie: "lie"}.get(best, "other")


def test_who_repeats_a_lie():
    """As the page says: full attention repeats its own error four times in ten, MLA and the delta rule hardly ever."""
    shares = {}
    for name in ("full", "mla", "delta"):
        rng = np.random.default_rng(1)
        said = [one for tokens in task.streams(77, 150) if (one := lied_to(name, tokens.copy(), rng))]
        shares[name] = said.count("lie") / len(said)
        assert len(said) > 120
    assert 0.33 < shares["full"] < 0.47
    assert max(shares["mla"], shares["delta"]) < 0.05


def test_what_is_kept_is_the_gallerys():
    """A token of full attention keeps 96 numbers, MQA 24, MLA 20; a state 576 at any length, as six tokens do."""
    rows = {row["name"]: (row["keeps"]["row"], row["keeps"]["fixed"]) for row in data["mixers"]}
    assert [rows[name] for name in ("full", "mqa", "mla", "window")] == [(96, 0), (24, 0), (20, 0), (96, 0)]
    assert {rows[name] for name in ("linear", "decay", "delta", "gated")} == {(0, 576)}
    assert (rows["full8"], rows["delta8"]) == ((64, 0), (0, 256))
    assert answers["equal_after"](decoder.STATE, data) == 6
    assert at(m="window")["kept"] == {"rows": 24, "numbers": 2304, "bytes": 4608, "row": 96, "fixed": 0, "conv": 288}
    assert at(m="delta", u=0)["kept"]["numbers"] == at(m="delta")["kept"]["numbers"] == 576
    assert (at(feed="prefill")["fed"], at()["fed"]) == ({"steps": 1, "rows": 41}, {"steps": 41, "rows": 1})


def test_what_convolutions_keep_is_said_apart(of_beats):
    """Three inputs of each convolution, q’s and k’s: not among what mixers are compared by, and said where that is."""
    wide = {"full": 48 + 48, "mqa": 48 + 12, "mla": 64 + 20, "delta": 48 + 48, "full8": 32 + 32, "delta8": 32 + 32}
    for name, width in wide.items():
        assert at(m=name)["kept"]["conv"] == 3 * width, name
        found = [keep for node in mixers.layer(mixers.KINDS[name]).nodes for keep in node.keeps]
        assert sum(keep.numbers for keep in found) == sum(decoder.decode_cache(mixers.KINDS[name]).values()), name
    said = of_beats("decoder", "captions", "sizes", [{**decoder.STATE, "m": name} for name in wide])
    assert {one.partition("Not")[2] for one in said} == {
        " counted: the convolutions’ inputs, here {kept.conv:int} numbers."
    }
    assert 'data-out="kept.conv" data-format="int">288<' in explainers.first_picture("decoder")


def test_the_bet_on_linear_attention_stays_linears():
    """Whatever mixer is chosen beside it, the bar called “linear” is linear attention’s."""
    right = next(row for row in data["mixers"] if row["name"] == "linear")["right"]["again"]
    assert {answers["overwritten"]({**decoder.STATE, "m": name}, data) for name in mixers.KINDS} == {right}


def test_linear_attention_fails_on_the_stream_of_its_beat():
    """Where “nothing in it says which is newer” it answers the older of two values, each said once; delta does not."""
    beat = explainers.load("decoder").beats[3]
    state = {**decoder.STATE, **beat.state}
    units = decoder.stream(state["x"])["units"][: state["u"]]
    assert [unit["value"] for unit in units if unit["key"] == "e"] == [12, 2]
    now = {name: at(**{**beat.state, "m": name}) for name in mixers.KINDS if not mixers.KINDS[name].resets}
    assert (now["linear"]["live"]["taken"], now["linear"]["here"]["truth"]) == ("12", "2")
    assert [name for name, one in now.items() if not one["live"]["here"]] == ["window", "linear"]
    assert data["told"]["linear"]["taken"] == "12"


def test_what_linear_attention_answers_wrongly_is_mostly_an_older_value_of_the_key():
    """Of its wrong answers on overwritten keys, 19 of 20 or more are values that were under the key before."""
    old = wrong = 0
    for tokens in task.streams(task.EVALUATION_SEED, 60):
        logits, _ = running.run_tokens("linear", tuple(tokens.tolist()))
        units = tokens.reshape(-1, 3).tolist()
        for one in (one for one in task.reads(tokens) if one.again):
            best = int(logits[one.at].argmax())
            if best - task.FIRST_VALUE != one.value:
                wrong += 1
                old += best in [value for _, key, value in units[: one.at // 3] if key == tokens[one.at]]
    assert wrong > 100
    assert old / wrong > 0.95


def test_how_much_each_was_trained_is_said():
    """Steps of 16 streams: 6,400 streams for three, 16,000 for five; the page does not call them the same."""
    trained = {row["name"]: row["trained"] for row in data["mixers"]}
    assert trained == {kind.name: 16 * kind.steps_trained for kind in KINDS}
    assert {name for name, many in trained.items() if many == 6_400} == {"full", "mqa", "window"}
    most = {name for name, many in trained.items() if many == 16_000}
    assert most == {"linear", "decay", *(kind.name for kind in KINDS if kind.resets)}
    said = " ".join(explainers.load("decoder").html.split())
    assert "not the same number of them: 6,400 for full attention, MQA and the window; 16,000 for linear" in said
    assert "same streams" not in said


def test_the_window_is_a_guess_over_all_reads_beyond_it():
    """59 of 2,185 reads beyond the window are right, one in 32 within two standard deviations; 26 tokens back alone it
    is 1.1 %, by which no guess is judged."""
    right, asked = decoder.measures["window"]["said_far"]
    assert (right, asked) == (59, 2185)
    assert answers["cliff"](decoder.STATE, data) == pytest.approx(right / asked, abs=1e-5)
    assert answers["blind"](decoder.STATE, data) == 1 / task.VALUES
    assert abs(right - asked / 32) < 2 * (asked / 32 * 31 / 32) ** 0.5
    one_bucket = data["mixers"][list(mixers.KINDS).index("window")]["said"][decoder.BACKS.index(26)]
    assert one_bucket == 0.011 < answers["cliff"](decoder.STATE, data) == 0.027
    assert "about chance" not in explainers.load("decoder").html


def test_where_each_kind_of_softmax_looks():
    """Full attention and MQA look at units of the key, MLA at those after them: as the words of beat 2 have it."""
    own, after = {}, {}
    for name in ("full", "mqa", "mla"):
        shares = []
        for tokens in task.streams(task.EVALUATION_SEED, 30):
            values, units = running.run_tokens(name, tuple(tokens.tolist()))[1], tokens.reshape(-1, 3)
            for one in task.reads(tokens):
                i = one.at // 3
                look = np.array(decoder.answering.by_unit(running.looks(name, values, one.at), np.sum)).mean(0)
                same = np.flatnonzero(units[:i, 1] == units[i, 1])
                shares.append((look[same].sum(), look[np.setdiff1d(same + 1, [*same, i])].sum()))
        own[name], after[name] = np.mean(shares, 0)
    assert min(own["full"], own["mqa"]) > 0.7 > 0.3 > own["mla"]
    assert after["mla"] > 0.5 > 0.15 > max(after["full"], after["mqa"])
    assert [answers["lit"]({**decoder.STATE, "m": name}, data) for name in ("full", "mqa", "mla")] == [1, 1, 0]


AFTER = {"mqa": (576, 24), "mla": (576, 29), "full8": (256, 4), "delta8": (256, 4)}  # else (576, 6)


DRAW = """([figure, state, data]) => ["shown", "open"].map((bet) => {
  const root = document.body.appendChild(document.createElement("div"));
  loaded.beats.figures[figure](root, { data, onSet() {} }).update(state, loaded.compute(state, data), { bet });
  root.remove();
  return root.innerHTML; })"""


@pytest.fixture
def figure(blank):
    """figure("chart", m="window"): a beat's figure as its JavaScript draws it, answered and while the bet is open."""

    def drawn(which: str, **state) -> list[str]:
        return blank(bundled.explainer("decoder")).evaluate(DRAW, [which, {**decoder.STATE, **state}, data])

    return drawn


@pytest.mark.parametrize("name", mixers.KINDS)
def test_a_cell_is_drawn_for_every_number_that_is_kept(name, figure):
    """A state beside the first tokens that keep as much, and two to come, nothing on anything; of an open bet, one."""
    now = at(m=name)
    meets, (fixed, after) = now["meets"], AFTER.get(name, (576, 6))
    shown, opened = (re.findall(r' d="([^"]+)"', html) for html in figure("price", m=name))
    state, kept, later = shown
    wide = [[int(many) for many in re.findall(r"h(\d+)", path)] for path in (state, kept, later)]
    assert (sum(wide[0]), wide[1:]) == (fixed, [[meets["row"]] * after, [meets["row"]] * 2])
    assert after * meets["row"] >= fixed > (after - 1) * meets["row"]
    lines = [(float(y), int(x), int(x) + meets["row"]) for x, y in re.findall(r"M(\d+) ([\d.]+)", kept + later)]
    assert all(one[0] < two[0] or one[2] < two[1] for one, two in pairwise(sorted(lines)))
    assert max(end for _, _, end in lines) <= 96 and max(y for y, _, _ in lines) <= 12.5
    assert opened == [state, f"M0 0.5h{meets['row']}"]


def test_the_story_holds():
    """The window's cliff, linear's overwriting and the small state's crowd are as the words have them."""
    right = {row["name"]: row["right"] for row in data["mixers"]}
    assert right["window"]["said_near"] > 0.99 > 0.1 > answers["cliff"](decoder.STATE, data)
    assert right["window"]["said_near"] == right["full"]["said_near"]
    few = np.sum([row["cells"][0] for row in data["mixers"] if row["name"] == "delta8"], axis=(0, 1))
    assert few[0] / few[1] > 0.99  # one to four live keys
    assert right["linear"]["once"] > 0.98
    assert 0.4 < right["linear"]["again"] < 0.62 < 0.97 < right["delta"]["again"]
    assert right["full8"]["all"] - right["delta8"]["all"] >= 0.03
    assert right["full8"]["crowded"] > 0.97 > 0.92 > right["delta8"]["crowded"]
    assert [at()["here"][key] for key in ("written", "live", "far", "crowd", "again")] == [26, 6, 2, 1, True]
    assert at()["live"]["here"] and not at(m="window")["live"]["here"]
    over = running.stays("gated-x")
    assert sum(share < 0.03 for share in over) == 3 > 1 > max(over)  # of its four heads three let go of all
    strengths = {name: running.writes(name, running.run_tokens(name, tokens)[1])[3] for name, tokens in WITH_X.items()}
    loud = strengths["delta-x"]
    assert (np.sort(loud[3:6].mean(0))[1:] > 0.98).all() and loud[3:6].mean() == max(
        loud[at : at + 3].mean() for at in range(0, len(loud), 3)
    )
    kept = [answers[key]({**decoder.STATE, "m": "delta"}, data) for key in ("after_many", "full_after_many")]
    assert [fmt.in_bytes(one) for one in kept] == ["1.2 KB", "192.0 KB"]


def test_the_chart_stands_between_its_lines(figure):
    """All right is on the upper line, none on the lower; below stand tokens back; of an open bet only the near dots."""
    shown, opened = figure("chart", m="window")
    lines = re.findall(r'y1="(\d+)"[^>]*><text x="0"|y1="(\d+)"', shown)
    assert sorted(int(one or other) for one, other in lines) == [16, 91, 166]
    ticks = re.findall(r'x="([\d.]+)%" y="186"[^>]*>(\d+)<', shown)
    assert ticks == [("8.000", "2"), ("35.391", "23"), ("66.696", "47"), ("98.000", "71")]
    rows = {row["name"]: row["said"] for row in data["mixers"]}
    for css, name, near in (("full", "full", 24), ("window own", "window", 8)):
        dots = [re.findall(rf'class="{css}" cx="[\d.]+%" cy="([\d.]+)"', html) for html in (shown, opened)]
        assert [float(y) for y in dots[0]] == [pytest.approx(16 + 150 * (1 - share), abs=0.006) for share in rows[name]]
        assert dots[1] == dots[0][:near]


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


MISSED = [
    ("far_right", {}, "Choose the 24-token window"),
    ("far_right", {"m": "window", "u": 0}, "Put the cursor on a read."),
    ("far_right", {"m": "window"}, "E was written 26 tokens back and last seen 26 back: not far enough."),
    ("far_right", {"m": "window", "x": ".".join(["e5"] + ["a1"] * 22 + ["e"]), "u": 23}, "the window answers"),
    ("old_value", {}, "Choose linear or delta."),
    ("old_value", {"m": "delta", "x": "e5.e", "u": 0}, "Put the cursor on a read."),
    ("old_value", {"m": "linear"}, "14 operations are too many"),
    ("old_value", {"m": "linear", "x": "e5.e", "u": 1}, "Linear answers 5, delta 5; the right answer is 5."),
]


@pytest.mark.parametrize(("goal", "changes", "says"), MISSED)
def test_a_goal_that_is_missed_says_why(goal, changes, says, of_beats):
    """Near misses are named."""
    (made,) = of_beats("decoder", "goals", goal, [{**decoder.STATE, **changes}])
    assert (made["reached"], says in made["says"]) == (False, True), made


def test_a_link_without_a_cursor_reads_the_end():
    """A stream alone in a link puts the cursor on its last unit; a cursor that is given stays."""
    state = {**decoder.STATE, "x": "a1.b2.a"}
    assert decoder.settle(state, ["x"], data)["u"] == 2
    assert decoder.settle({**state, "u": 1}, ["x", "u"], data)["u"] == 1
    for text in ("a1.b2.a", "a1.!.a.b2"):
        assert decoder.streams.write_tokens(decoder.stream(text)["tokens"]) == text
