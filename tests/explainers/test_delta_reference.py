"""The five update rules: step by step, in chunks, and as torch computes them."""

import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from cutaway.explainers import first
from cutaway.explainers.delta_rule import reference, rules

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "tests" / "oracle" / "delta_vectors.json").read_text())


def tokens(n, dk, dv, seed=0):
    """Random queries, unit keys, values, and decays per channel."""
    rng = np.random.default_rng(seed)
    k = rng.standard_normal((n, dk))
    k /= np.linalg.norm(k, axis=1, keepdims=True)
    return rng.standard_normal((n, dk)), k, rng.standard_normal((n, dv)), rng.uniform(0.5, 1, dk)


def test_chunked_equals_recurrent(verified):
    """The last state and every output are the same in chunks of any size, to float64's last digits."""
    checked = bad = 0
    for n, (dk, dv), size in product((1, 2, 7, 16, 33), ((2, 3), (8, 8), (16, 4)), (1, 2, 3, 8, 64)):
        q, k, v, channels = tokens(n, dk, dv, seed=n)
        for rule in rules.BY_NAME:
            alpha = rules.decays(rule, 0.9, channels)
            states, outputs = rules.recurrent(rule, q, k, v, alpha, 0.7)
            last, again = rules.run_chunks(rule, q, k, v, alpha, 0.7, size)
            apart = np.abs(np.concatenate([(states[-1] - last).ravel(), (outputs - again).ravel()]))
            scale = max(1, np.abs(outputs).max(), np.abs(last).max())
            checked += apart.size
            bad += int((apart > 1e-12 * scale).sum())
    verified("delta-rule: outputs of the recurrent form", checked, bad, "the chunked form, with a tolerance of 1e-12")


def test_golden_torch(verified):
    """States and outputs are those of gradient steps in torch, and of Qwen3-Next's and Kimi Linear's own code."""
    checked = bad = 0
    for row in GOLDEN["rows"]:
        given = {k: np.array(v) for k, v in GOLDEN["inputs"][row["case"]].items()}
        alpha = rules.decays(row["rule"], given["alpha"][0], given["alpha"])
        states, outputs = rules.recurrent(row["rule"], given["q"], given["k"], given["v"], alpha, float(given["beta"]))
        near = 1e-12 if row["by"] == "autograd" else 5e-6
        for theirs, mine in ((row["state"], states[-1]), (row["outputs"], outputs)):
            checked += mine.size
            bad += int((np.abs(np.array(theirs) - mine) > near * max(1, np.abs(mine).max())).sum())
    versions = GOLDEN["versions"]
    against = f"torch {versions['torch']} autograd, transformers {versions['transformers']}"
    verified("delta-rule: recorded states and outputs", checked, bad, against)


def test_torch_live():
    """Where torch is installed, the delta rule is one step of gradient descent on the recall error."""
    torch = pytest.importorskip("torch")
    _, k, v, _ = tokens(9, 8, 5)
    states, _ = rules.recurrent("delta", k, k, v, np.ones(8), 0.7)
    for t in range(9):
        state = torch.tensor(states[t], requires_grad=True)
        loss = 0.5 * ((state.T @ torch.tensor(k[t]) - torch.tensor(v[t])) ** 2).sum()
        (slope,) = torch.autograd.grad(loss, state)
        assert states[t + 1] == pytest.approx((state - 0.7 * slope).detach().numpy(), abs=1e-12)


def test_delta_rule_replaces_and_linear_attention_adds():
    """At beta = 1 with a unit key, the second value read back is the second written; linear attention reads the sum."""
    _, k, v, _ = tokens(2, 8, 8)
    k[1] = k[0]
    for rule, wanted in (("delta", v[1]), ("linear", v[0] + v[1])):
        states, _ = rules.recurrent(rule, k, k, v, np.ones(8), 1.0)
        assert wanted == pytest.approx(states[2].T @ k[0], abs=1e-12)


@pytest.mark.parametrize("beta", [0.0, 0.25, 1.0])
def test_delta_rule_interpolates(beta):
    """After a write the key reads (1 - beta) of what it read before plus beta of the new value."""
    _, k, v, _ = tokens(5, 8, 8)
    states, _ = rules.recurrent("delta", k, k, v, np.ones(8), beta)
    expected = (1 - beta) * states[4].T @ k[4] + beta * v[4]
    assert expected == pytest.approx(states[5].T @ k[4], abs=1e-12)


def test_delta_rule_leaves_orthogonal_keys_alone():
    """Writing one of the eight axes changes no other row."""
    k = np.eye(8)
    v = np.random.default_rng(1).standard_normal((8, 8))
    states, _ = rules.recurrent("delta", k, k, v, np.ones(8), 1.0)
    for t in range(8):
        assert (states[t + 1][:t] == states[t][:t]).all()


def test_rules_contain_each_other():
    """Equal channels make KDA the gated rule; no decay makes the gated rule DeltaNet and Mamba-2 linear attention."""
    q, k, v, _ = tokens(12, 8, 8)
    same = {("kda", 0.8): ("gated", 0.8), ("gated", 1.0): ("delta", 1.0), ("decay", 1.0): ("linear", 1.0)}
    for (one, decay), (other, _) in same.items():
        made = [rules.recurrent(r, q, k, v, rules.decays(r, decay, np.full(8, decay)), 0.6)[0] for r in (one, other)]
        assert (made[0] == made[1]).all(), (one, other)


@pytest.mark.parametrize("overlap", [0.0, 0.3, 0.9])
def test_keys_have_the_stated_angle(overlap):
    """Eight unit keys, every pair with the stated cosine."""
    k = reference.keys(overlap)
    expected = np.full((8, 8), overlap) + (1 - overlap) * np.eye(8)
    assert expected == pytest.approx(k @ k.T, abs=1e-12)


def test_default_story():
    """The first thing the page shows: A was written twice; DeltaNet recalls all four, linear attention smears A."""
    found = reference.compute(reference.STATE, reference.data())["rules"]
    assert found["delta"]["errors"][:4] == [0, 0, 0, 0]
    assert found["linear"]["errors"][:4] == [1, 0, 0, 0]


@pytest.mark.parametrize("wrong", reference.bad_cases())
def test_check_refuses(wrong):
    """What the formulas do not cover gets a sentence that ends."""
    assert reference.check({**reference.STATE, **wrong}).endswith(".")


def test_cases_are_legal():
    """Every shared case passes the check it shares."""
    assert {reference.check(case) for case in reference.cases()} == {""}


# ---------------------------------------------------------------- what is wanted, and what may be forgotten


def of(tape: str, **changes) -> dict:
    """compute on one of the tapes that are offered."""
    return reference.compute({**reference.STATE, **reference.tapes.offered_tapes()[tape], **changes}, reference.data())


def test_only_the_keys_still_wanted_are_scored():
    """Over all 24 keys forgetting looks useless; over the last four it helps every rule that can forget."""
    last = {"wanted": [20, 21, 22, 23]}
    keep, gentle = of("random", decay=1.0, **last)["rules"], of("random", decay=0.95, **last)["rules"]
    assert keep["gated"]["error"] == pytest.approx(sum(keep["gated"]["errors"][20:]) / 4)
    assert gentle["gated"]["error"] < 0.45 < keep["delta"]["error"]
    assert of("random", decay=0.7, **last)["rules"]["decay"]["error"] < keep["linear"]["error"] / 2
    assert of("random", decay=0.7, wanted=[0])["rules"]["decay"]["error"] > keep["linear"]["errors"][0] / 2


def test_one_shut_gate_at_the_border_leaves_both_documents_clean():
    """A–D read their new values and E–H nothing; overwriting alone and a steady decay leave the old document."""
    shut = of("documents", decay=1.0, gates=[8, 0])["rules"]
    assert [(shut[name]["kept"], shut[name]["old"]) for name in ("decay", "gated", "kda")] == [(0, 0)] * 3
    assert (shut["delta"]["kept"], shut["delta"]["old"]) == (0, 1)
    steady = of("documents", decay=0.9)["rules"]["gated"]
    assert steady["kept"] == pytest.approx((1 - 0.9**3 + 1 - 0.9**2 + 0.1) / 4)
    assert steady["old"] == pytest.approx((0.9**7 + 0.9**6 + 0.9**5 + 0.9**4) / 4)
    late = of("documents", decay=1.0, gates=[9, 0])["rules"]["gated"]
    assert late["errors"][:4] == [1, 0, 0, 0]


def test_before_the_border_nothing_is_old():
    """Standing at the border every key still reads its value; one write on, what only the old document wrote is old."""
    assert of("documents", step=8)["rules"]["delta"]["errors"] == [0] * 8
    assert of("documents", step=9)["rules"]["delta"]["errors"] == [0] + [1] * 7


def test_each_channel_has_the_decay_it_was_given():
    """KDA's rows fade by their own α whatever the letters; a write's own α closes all of them."""
    channels = [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5]
    state = np.array(of("documents", step=8, channels=channels)["rules"]["kda"]["state"])
    assert np.abs(state).max(axis=1) == pytest.approx([1, 1, 1, 1, 0.5**3, 0.5**2, 0.5, 1])
    turned = np.array(of("documents", step=8, channels=channels[::-1])["rules"]["kda"]["state"])
    assert np.abs(turned).max(axis=1) == pytest.approx([0.5**7, 0.5**6, 0.5**5, 0.5**4, 1, 1, 1, 1])
    shut = np.array(of("documents", step=8, channels=channels, gates=[7, 0])["rules"]["kda"]["state"])
    assert np.abs(shut).max(axis=1) == pytest.approx([0] * 7 + [1])


def test_beta_two_reflects():
    """At beta = 2 a key reads twice the new value less what it read before."""
    read = of("twice", beta=2.0)["rules"]["delta"]["recall"][0]
    before = of("twice", beta=2.0, step=4)["rules"]["delta"]["recall"][0]
    assert read == pytest.approx(2 * reference.value(105) - np.array(before))


def test_softmax_attention_keeps_every_pair():
    """It recalls 24 keys that no rule can hold, and reads the mean of two values under one key."""
    assert of("random")["attention"]["error"] < 0.01
    assert of("random")["attention"]["numbers"] == 24 * 16
    both = (reference.value(15) + reference.value(105)) / 2
    assert of("twice")["attention"]["recall"][0] == pytest.approx(both, abs=1e-5)
    assert of("twice", step=0)["attention"]["recall"] == [[0] * 8] * 8


def test_random_keys_have_length_one_and_no_direction():
    """All keys are unit vectors, and over 100 tapes their mean and their covariance are a sphere's."""
    k = np.array([reference.tapes.random_tape(seed)[0] for seed in range(1, 101)])
    assert np.linalg.norm(k, axis=2) == pytest.approx(1)
    flat = k.reshape(-1, 8)
    assert flat.mean(axis=0) == pytest.approx(0, abs=0.03)
    assert flat.T @ flat / len(flat) == pytest.approx(np.eye(8) / 8, abs=0.012)


def test_the_means_over_300_tapes_are_measured():
    """A sample of the stored table, measured again; and a tape at a time it is what compute gives."""
    from cutaway.explainers.delta_rule import means

    table = means.MEANS
    assert [len(row) for part in ("fits", "last_four") for row in table[part].values()] == [24, 24, 24, 101, 101]
    for rule, n in (("linear", 24), ("delta", 24), ("delta", 7), ("attention", 24)):
        assert table["fits"][rule][n - 1] == means.fits(rule, n), (rule, n)
    for rule, percent in (("decay", 74), ("decay", 100), ("gated", 95), ("gated", 100), ("decay", 13)):
        assert table["last_four"][rule][percent] == means.read_last_four(rule, percent), (rule, percent)
    assert table["attention_last_four"] == round(means.attend(24, 20), 4)
    assert table["gentle"] == {
        "beta": means.GENTLE,
        "off": round(means.read_error(means.write_states(True, 1, 24, means.GENTLE), 0, 24), 4),
    }
    assert table["solved"] == round(means.read_error(means.solve_least_squares(24), 0, 24), 4)
    seed = reference.tapes.TAPE
    states = means.write_states(True, 0.95, 24)[seed - 1]
    assert states == pytest.approx(np.array(of("random", decay=0.95)["rules"]["gated"]["state"]), abs=1e-9)


def test_full_writes_damage_older_keys_and_gentle_ones_less():
    """At 24 keys the newest is exact and the first worse than nothing; less of each difference, or the best matrix
    for all pairs, is better than reading nothing: a fixed matrix can do that, and no rule beats the best one."""
    from cutaway.explainers.delta_rule import means

    full, gentle = (means.write_states(True, 1, 24, beta) for beta in (1.0, means.GENTLE))
    assert means.read_error(full, 23, 24) < 1e-9 < 1 < means.read_error(full, 0, 24) < means.read_error(full, 0, 1)
    tenths = {beta / 10: means.read_error(means.write_states(True, 1, 24, beta / 10), 0, 24) for beta in range(1, 11)}
    assert min(tenths, key=lambda beta: tenths[beta]) == means.GENTLE
    assert means.read_error(means.solve_least_squares(24), 0, 24) < means.read_error(gentle, 0, 24) < 1
    assert (
        means.read_error(means.solve_least_squares(8), 0, 8) < 1e-9
    )  # eight keys in any direction fit exactly, once they are solved for


def test_the_beats_answer_what_the_table_says():
    """The bets' answers, the α that is shown as best, and the numbers of beats.md."""
    from cutaway import explainers
    from tests.explainers.expected import looks

    one = explainers.load("delta-rule")
    shown = {beat.n: looks(one, beat)[1] for beat in one.beats}
    assert shown[2]("heard") == 2
    assert shown[3]("fits") == pytest.approx(1.065, abs=0.02)
    gentle, best = shown[3]("gentle_fits"), shown[3]("best_matrix")
    assert (gentle, best) == (pytest.approx(0.854, abs=0.01), pytest.approx(0.8, abs=0.01))
    assert shown[3]("gentle_beta") == 0.4
    assert best < gentle < 1 < shown[3]("fits")
    assert shown[4].state["decay"] == shown[4]("best_alpha") == 0.74
    assert [round(shown[4](name), 2) for name in ("least_adding", "undecayed_adding", "undecayed_delta")] == [
        0.57,
        1.65,
        0.43,
    ]
    assert (shown[4]("best_delta_alpha"), round(shown[4]("least_delta"), 2)) == (0.95, 0.41)
    assert shown[5]("way") == 2
    tapes = reference.tapes.offered_tapes()
    assert shown[3].state["writes"] == shown[4].state["writes"] == tapes["random"]["writes"]
    assert shown[5].state["writes"] == shown[6].state["writes"] == tapes["documents"]["writes"]


# ---------------------------------------------------------------- goals and drawings against the reference


def goal_of(of_beats, name: str, tape: str, changes: list[dict]) -> list[dict]:
    """What a goal says of a tape with each of the changes."""
    start = {**reference.STATE, **reference.tapes.offered_tapes()[tape]}
    return of_beats("delta-rule", "goals", name, [{**start, **change} for change in changes])


def test_the_last_four_are_reached_where_one_rule_is_under_45_percent(of_beats):
    """Over decays, one shut gate and other keys wanted, a goal says what the reference's best rule gives."""
    last = [20, 21, 22, 23]
    changes = [{"wanted": last, "decay": a, "gates": g} for a in (0.5, 0.9, 0.95, 1) for g in ([], [20, 0], [3, 0])]
    best = [min(one["error"] for one in of("random", **change)["rules"].values()) for change in changes]
    made = goal_of(of_beats, "last_four", "random", changes)
    assert [one["reached"] for one in made] == [error < 0.45 for error in best]
    assert 0 < sum(one["reached"] for one in made) < len(made)
    assert all(f"{100 * error:.1f} %" in one["says"] for one, error in zip(made, best, strict=True))
    missed = goal_of(of_beats, "last_four", "random", [{"wanted": [20, 21, 22]}, {"wanted": last, "step": 23}])
    assert [re.split(",| and ", one["says"])[0] for one in missed] == [
        "Score only U",
        "Load the 24 random keys",
    ]


def test_two_documents_are_reached_where_one_rule_leaves_both_clean(of_beats):
    """A gate shut a write early or late, or fading everywhere, is named with what it leaves of each document."""
    changes = [{"decay": a, "gates": g} for a in (0.9, 1) for g in ([], [7, 0], [8, 0], [9, 0], [8, 0.05])]
    found = [of("documents", **change)["rules"].values() for change in changes]
    best = [min(found_of, key=lambda one: max(one["kept"], one["old"])) for found_of in found]
    made = goal_of(of_beats, "two_documents", "documents", changes)
    assert [one["reached"] for one in made] == [max(one["kept"], one["old"]) < 0.01 for one in best]
    assert sum(one["reached"] for one in made) == 1
    worst = [max(map(float, re.findall(r"([\d.]+) % off and E–H ([\d.]+)", one["says"])[0])) for one in made]
    assert worst == pytest.approx([100 * max(one["kept"], one["old"]) for one in best], abs=0.051)


def attributes(html: str, css: str, name: str) -> list[float]:
    """One attribute of every rectangle of a class."""
    found = re.findall(rf'<rect (?=[^>]*class="{css}")[^>]*\b{name}="([\d.]+)', html)
    return [float(one) for one in found]


def test_what_fades_and_what_is_off_is_drawn_as_the_reference_has_it():
    """Columns of the last four, bars of the documents' keys, and cells of a matrix, before any script."""
    left = of("random", decay=0.74)["left"]
    assert attributes(first.beat("delta-rule", 4)["last"], "left", "height") == pytest.approx(
        [max(1, 150 * share) for share in left]
    )
    shut = of("documents", decay=1.0, gates=[8, 0], step=8)["rules"]["delta"]
    drawn = first.beat("delta-rule", 5)["first"]
    assert attributes(drawn, "off", "width") == pytest.approx([100 * e for e in shut["errors"][:8]], abs=1e-3)
    late = of("documents", decay=1.0)["rules"]["kda"]
    drawn = first.beat("delta-rule", 6)["first"]
    assert attributes(drawn, "off", "width") == pytest.approx([100 * e for e in late["errors"][:8]], abs=1e-3)
    cells = re.findall(r'translate\((\d+) (\d+)\)"><rect [^>]*class="(pos|neg)"[^>]*fill-opacity="([\d.]+)"', drawn)
    state, most = np.array(late["state"]), max(1, np.abs(late["state"]).max())
    assert len(cells) == np.count_nonzero(state)
    for x, y, sign, strong in cells:
        value = state[(int(y) - 3) // 20, (int(x) - 16) // 20]
        assert (sign == "neg", float(strong)) == (value < 0, pytest.approx(abs(value) / most, abs=1e-3))
