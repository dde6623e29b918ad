"""explainers/next_token: tokens, the model's forward pass, its cache and sampling, each by a second route."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

import cutaway
from cutaway import explainers
from cutaway.explainers.next_token import forward, reference, sampling, start, stored, tokens, train
from cutaway.explainers.next_token.lens import lens
from cutaway.explainers.next_token.run import run, window
from tests import noded
from tests.tally import Tally

GOLDEN = json.loads(Path(__file__).with_name("golden_next_token.json").read_text("utf-8"))
SOURCE = """
import { readFileSync } from "node:fs";
import { advance, logitsAt, makeModel, makeSession } from "./forward.js";
import { cutOf, numberOf, pickOf, rank, sharesOf } from "./sampling.js";
import { decode, encode, nameOf, readTokens } from "./tokens.js";

const { texts, runs, draws } = JSON.parse(readFileSync(0, "utf8"));
const read = (name) => readFileSync(`explainers/next_token/${name}`);
const tokens = readTokens(read("merges.txt").toString());
const session = makeSession(makeModel(JSON.parse(read("config.json")), new Uint8Array(read("weights.bin"))));
const logits = runs.map((ids) => {
  const fresh = advance(session, ids);
  const weights = [...session.steps.at(-1).layers[2].weights[3]];
  return { fresh, rows: ids.map((_, i) => [...logitsAt(session, i)]), weights };
});
const drawn = draws.map(([values, temperature, k, p, draw]) => {
  const of = Float64Array.from(values);
  const order = rank(of);
  const shares = sharesOf(of, order, temperature);
  const [byK, kept] = cutOf(shares, k, p);
  return [byK, kept, order[pickOf(shares.subarray(0, kept), numberOf(draw, 7))]];
});
const names = tokens.pieces.map((_, id) => nameOf(tokens, id));
const ids = texts.map((text) => encode(tokens, text));
process.stdout.write(JSON.stringify({ ids, back: ids.map((one) => decode(tokens, one)), logits, drawn, names }));
"""
SIGNS = "abc XYZ 09 .,;—é€😀\n\t'\"\ud83d\u200d汉 the and Mr."


def write_texts(many: int) -> list[str]:
    """English, nonsense, emoji, halves of emoji, spaces: from a seed."""
    rng = random.Random(3)
    words = [*(row["text"] for row in GOLDEN["rows"]), " Elizabeth", " Mr. Darcy", "\r\n", "  ", "ﬁ"]
    texts = ["", " ", "\ud83d", "😀" * 50, "x" * 10_000, *words]
    while many > len(texts):
        parts = ["".join(rng.choices(SIGNS, k=rng.randrange(1, 9))) for _ in range(rng.randrange(1, 5))]
        texts.append(rng.choice(["", " "]).join([*parts, rng.choice(words)]))
    return texts


DRAWS = [
    [
        np.random.default_rng(seed).normal(0, 3, 300).tolist(),
        0.3 + seed % 5 / 2,
        seed % 7 * 9,
        0.3 + seed % 8 / 10,
        seed,
    ]
    for seed in range(200)
]


@pytest.fixture(scope="module")
def theirs() -> dict:
    """What the page's modules make of texts, token lists and draws, in one run of Node."""
    given = {"texts": write_texts(10_000), "runs": RUNS, "draws": DRAWS}
    return noded.ran(SOURCE, "explainers/next_token", given)


# the last two go on where the one before ended, or differ in the middle: what is cached must not show
RUNS = [*(row["ids"] for row in GOLDEN["rows"]), [256, 897, 46, 1062, 1053], [256, 897, 46, 900, 1053, 350]]


@pytest.mark.whole
def test_texts_are_encoded_the_same_in_both_languages(theirs, verified):
    """10,000 texts, with emoji, halves of emoji and nonsense, have the same tokens, names and text again."""
    texts = write_texts(10_000)
    mine = [tokens.encode(text) for text in texts]
    wrong = sum(a != b for a, b in zip(mine, theirs["ids"], strict=True))
    assert wrong == 0
    assert theirs["back"] == [tokens.decode(ids) for ids in mine]
    whole = [text for text in texts if not any("\ud800" <= sign <= "\udfff" for sign in text)]
    assert [tokens.decode(tokens.encode(text)) for text in whole] == whole
    assert theirs["names"] == [tokens.name_of(token) for token in range(2048)]
    verified("next-token: texts encoded in JavaScript", len(texts), wrong, "the Python reference")


def test_texts_are_encoded_as_the_tokenizers_library_does():
    """The library that found the merges cuts the golden texts into the same tokens."""
    for row in GOLDEN["rows"]:
        assert row["ids"] == [tokens.FIRST, *tokens.encode(row["text"])]


def test_merges_rebuild_every_token(verified):
    """Each token's merges, done one after another on its bytes, leave that token; each is a line of merges.txt."""
    lines = (start.HERE / "merges.txt").read_text("utf-8").splitlines()
    signs, tally = tokens.printable(), Tally()
    for token in range(257, 2048):
        pieces = [bytes([one]) for one in tokens.vocabulary()[token]]
        for row in tokens.merges_of(token):
            left, right = (bytes(signs[sign] for sign in half) for half in lines[row["number"] - 1].split(" "))
            starts = [sum(map(len, pieces[:i])) for i in range(len(pieces))]
            at = starts.index(row["start"])
            tally.holds(pieces[at : at + 2] == [left, right], row["name"], "the two that stand there")
            tally.holds(row["end"] - row["middle"] == len(right), row["name"], "where they meet")
            pieces[at : at + 2] = [left + right]
        tally.holds(pieces == [tokens.vocabulary()[token]], tokens.name_of(token), "one token is left")
    assert tokens.merges_of(46) == tokens.merges_of(tokens.FIRST) == []
    verified("next-token: merges of the vocabulary", tally, against="merges.txt, replayed byte by byte")


def test_the_lens_is_what_a_shorter_model_predicts():
    """After layer n the lens gives the probabilities of the same model cut off there, and its vector's length."""
    ids, _, made = run(reference.STATE["text"])
    for at in (0, 5, len(ids) - 1):
        found = lens(made, ids, at)
        final = int(made.logits[at].argmax())
        for layers, row in enumerate(found["rows"]):
            model = forward.Model(forward.load().config | {"num_hidden_layers": layers}, forward.load().tensors)
            cut = forward.run(model, ids)
            known = np.exp(cut.logits[at] - np.logaddexp.reduce(cut.logits[at]))
            assert row["share"] == pytest.approx(known.max()) and row["name"] == tokens.name_of(int(known.argmax()))
            assert row["final"] == pytest.approx(known[final])
            stream = cut.layers[-1].out if layers else cut.embedded
            assert row["length"] == pytest.approx(np.linalg.norm(stream[at]))
        assert found["final"] == found["rows"][-1]["name"] == tokens.name_of(final)


def test_an_edit_leaves_what_is_before_it_cached():
    """As many tokens stay as have the same keys in every layer before and after; the best candidates are both runs'."""
    old, new = reference.STATE["text"], "Mr. Darcy looked at Emma, and Elizabeth looked at Mr."
    now = reference.compute({**reference.STATE, "text": new, "before": old}, {"facts": {}})["edit"]
    a, b = (run(text)[2] for text in (old, new))
    kept = np.isclose(a.layers[-1].k, b.layers[-1].k).all((1, 2))
    assert (now["same"], now["anew"]) == (int(kept.sum()), int((~kept).sum())) == (6, 8)
    for key, made in (("was", a), ("now", b)):
        shares = np.exp(made.logits[-1] - np.logaddexp.reduce(made.logits[-1]))
        assert now[key]["share"] == pytest.approx(shares.max())
    assert reference.compute(reference.STATE, {"facts": {}})["edit"] is None


def test_logits_are_those_of_transformers(theirs, verified):
    """numpy and JavaScript give the logits of LlamaForCausalLM on the same weights, within 1e-4, at every token."""
    packed = (start.HERE / "weights.bin").read_bytes()
    assert hashlib.sha256(packed).hexdigest() == GOLDEN["sha256"]
    tally = Tally()
    for row, other in zip(GOLDEN["rows"], theirs["logits"], strict=False):
        mine = forward.run(forward.load(), row["ids"]).logits
        known = np.array(row["logits"])
        tally.holds(abs(mine[:, : known.shape[1]] - known).max() < 1e-4, row["text"], "numpy")
        tally.holds(abs(np.array(other["rows"]) - mine).max() < 1e-4, row["text"], "JavaScript")
    verified("next-token: logits of the small model", tally, against=f"transformers {GOLDEN['transformers']}")


def test_a_session_computes_only_what_is_new(theirs):
    """A text that begins as the one before costs only its new tokens; its numbers are those of a whole run."""
    for ids, other in zip(RUNS, theirs["logits"], strict=True):
        made = forward.run(forward.load(), ids)
        assert np.abs(np.array(other["rows"]) - made.logits).max() < 1e-9
        assert np.abs(np.array(other["weights"]) - made.layers[2].weights[3, -1]).max() < 1e-9
    assert [other["fresh"] for other in theirs["logits"]][-1] == 3


def test_the_cache_changes_nothing():
    """Token by token with the cache, numpy gives the logits of one run over all tokens."""
    ids, held = GOLDEN["rows"][0]["ids"], forward.Cache()
    rows = [forward.run(forward.load(), [one], held).logits[0] for one in ids]
    assert np.abs(np.array(rows) - forward.run(forward.load(), ids).logits).max() < 1e-9
    assert held.length == len(ids)


def test_a_later_token_changes_nothing_before_it():
    """The mask is causal: replacing a token moves keys from there on, and none before."""
    at = start.EDITED["at"]
    moved = start.edited()
    assert moved == [place >= at for place in range(len(moved))]


def test_sampling_is_the_same_in_both_languages(theirs):
    """What top-k and top-p leave, and what a number draws, for 200 rows of logits."""
    for (values, temperature, k, p, draw), (by_k, kept, drawn) in zip(DRAWS, theirs["drawn"], strict=True):
        logits = np.array(values)
        order = sampling.rank(logits)
        shares = sampling.softmax_of(logits[order], temperature)
        assert (by_k, kept) == sampling.cut(shares, k, p)
        assert drawn == sampling.choose(logits, temperature, k, p, draw, 7)


def test_sampling_by_hand():
    """Of 0.5, 0.3, 0.15 and 0.05 top-k 3 leaves 3; then top-p 0.8 leaves 2: 0.5 and 0.3 are 84 % of what is left."""
    shares = np.array([0.5, 0.3, 0.15, 0.05])
    assert sampling.cut(shares, 3, 0.8) == (3, 2)
    assert sampling.cut(shares, 0, 0.79) == (4, 2)
    assert sampling.cut(shares, 0, 1.0) == (4, 4)
    assert sampling.cut(shares, 0, 0.05) == (4, 1)
    assert [sampling.pick(shares, u) for u in (0.0, 0.49, 0.51, 0.81, 0.96)] == [0, 0, 1, 2, 3]
    counted = [sampling.pick(shares, sampling.number_of(draw, 3)) for draw in range(1, 4001)]
    assert np.bincount(counted) / 4000 == pytest.approx(shares, abs=0.025)


def test_rounded_weights_are_half_a_step_off_at_most():
    """A row of int8 is within half of 1/127 of its largest number; a file of another length is refused."""
    given = np.random.default_rng(0).normal(size=(500, 9)).astype(np.float32)
    found = stored.unpack(stored.pack({"w": given}), {"w": (500, 9)})["w"]
    assert (abs(found - given).max(1) <= abs(given).max(1) / 127 * 0.501).all()
    with pytest.raises(ValueError, match="has 3 bytes; 1,078,436 were looked for"):
        stored.unpack(b"abc", stored.shapes(forward.load().config))


def test_a_long_text_loses_its_beginning_in_jumps():
    """Of 127 tokens and fewer none is dropped; of more, 32 at a time; and 10,000 characters are answered."""
    for many, dropped in ((127, 0), (128, 32), (159, 32), (160, 64)):
        ids, found = window(" a" * many)
        assert (found, len(ids)) == (dropped, 1 + many - dropped), many
    now = reference.compute({**reference.STATE, "text": "q😀" * 5000}, {"facts": {}})
    assert (now["letters"], now["count"] <= 128) == (10_000, True)


def test_what_is_held_out_is_never_trained_on():
    """The last twentieth of the paragraphs of each novel is held out."""
    text = "\n\n".join("\n".join(f"{novel}{at}" for at in range(40)) + "\n" for novel in "ab")
    trained, held = train.split(text)
    assert held.split() == ["a38", "a39", "b38", "b39"]
    assert set(trained.split()) & set(held.split()) == set() and len(trained.split()) == 76


# ---------------------------------------------------------------- a model of the gallery like any other

CONFIG = start.HERE / "config.json"


def test_cutaway_counts_the_weights_of_the_file():
    """As many parameters as the file has numbers, and as transformers counts; the cache is what the page says."""
    known, config = cutaway.parameters(CONFIG).total, json.loads(CONFIG.read_text("utf-8"))
    shapes = stored.shapes(config)
    rows = sum(stored.rows_of(shape)[0] for shape in shapes.values())
    assert known == GOLDEN["parameters"] == (start.HERE / "weights.bin").stat().st_size - 4 * rows
    assert {one.name: tuple(one.shape) for one in cutaway.weights(CONFIG)} == shapes
    held = cutaway.memory(CONFIG, 128)
    assert (held.per_token_bytes, held.total_bytes) == (1024, 131_072)
    said = reference.cache_bytes(128)
    assert (said["per_token"], said["bytes"], said["most"]) == (1024, 131_072, 131_072)


def test_cutaway_runs_the_graph_it_draws_to_the_same_logits():
    """The interpreter of the drawn graph gives the page's logits; the drawing and a plan can be made."""
    ids = GOLDEN["rows"][0]["ids"]
    logits = cutaway.run(cutaway.read(CONFIG), forward.load().tensors, ids)
    assert np.abs(logits - forward.run(forward.load(), ids).logits).max() < 1e-9
    drawn = cutaway.draw(CONFIG).svg
    assert all(f">{words}<" in drawn for words in ("1.050 M", "4 query, 2 KV heads", "4 ×", "logits 2,048", "1,024 B"))
    assert str(cutaway.plan(CONFIG, "h200_sxm:1x1", context="128")).startswith("Fits")


def test_the_pages_link_opens_the_models_own_config():
    """The link to /your-model/ packs the config.json that the weights were trained with."""
    packed = re.search(r"your-model/#c=([\w-]+)", explainers.load("next-token").html)[1]
    text = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -15)
    assert json.loads(text) == json.loads(CONFIG.read_text("utf-8"))


def test_what_training_measured_belongs_to_these_weights():
    """trained.json has the hash of the weights; they beat xz on the held-out text, and int8 costs next to nothing."""
    measured = start.trained()
    assert measured["sha256"] == GOLDEN["sha256"]
    assert measured["bits_per_byte"] < measured["xz_bits_per_byte"]
    assert measured["bits_per_byte"] - measured["bits_per_byte_float32"] < 0.01
    assert (measured["steps"], measured["tokens_a_step"]) == (train.STEPS, 128 * train.BATCH)
