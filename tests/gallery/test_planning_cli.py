"""`cutaway plan`: its sentence, its table, its JSON, and what it says of layouts that cannot be."""

import json
import re
from pathlib import Path

import pytest

from cutaway.gallery import catalog, command

GUIDE = Path(command.__file__).with_name("plan_json.md")
V3 = ("plan", "deepseek-ai/DeepSeek-V3", "--offline")
OSS = ("plan", "openai/gpt-oss-20b", "--offline")
QWEN = ("plan", "Qwen/Qwen3-32B", "--offline")


def test_a_plan_opens_with_its_sentence(run):
    """The first line after the heading says whether it fits, and how much the fullest GPU holds."""
    code, out, err = run(*V3, "--on", "h200_sxm:1x8", "--tp", "8", "--context", "128k")
    assert (code, err) == (0, "")
    told = out.splitlines()
    assert told[3].startswith("Fits: the fullest GPU holds 1") and told[3].endswith(
        " of 139.3 usable GB (92% of 151.4)."
    )
    assert told[4].startswith("At least ") and told[4].endswith("over 5 sequences; what binds is memory.")
    assert told[5] == "decode on 1 x 8 h200_sxm: tp 8, pp 1, cp 1, dp 1, ep 1, etp 8, edp 1"
    assert "of 131,072 tokens" in out and "longest context     677,407 tokens, one sequence on each part" in out
    endless = run("plan", "fla-hub/rwkv7-2.9B-world", "--offline", "--on", "l4:1x1")[1]
    assert "longest context     no end" in endless
    train = ("--on", "gb200:64x4", "--job", "train", "--ep", "64", "--zero", "0", "--pp")
    assert ": tp 1, pp 4 x 2 chunks, cp 1, dp 64, ep 64, etp 1, edp 1\n" in run(*V3, *train, "4x2")[1]
    assert ": tp 1, pp 4, cp 1" in run(*V3, *train, "4")[1]


@pytest.mark.whole
def test_json_adds_up(run):
    """Every rank's parts add up to its total, and the fullest stage is the one with the largest."""
    code, out, _ = run(*V3, "--on", "gb200:64x4", "--job", "train", "--pp", "4x4", "--ep", "64", "--json")
    data = json.loads(out)
    assert (code, data["model"], data["plan"]["dp"], data["plan"]["edp"]) == (0, "DeepSeek V3", 64, 1)
    parts = ("weights", "experts", "gradients", "optimizer", "activations", "cache")
    for rank in data["ranks"]:
        assert rank["total_bytes"] == sum(rank[f"{part}_bytes"] for part in parts)
        assert (rank["alike"], rank["label"]) == (64, "computed")
    totals = [rank["total_bytes"] for rank in data["ranks"]]
    assert (data["fits"]["fullest"], max(totals)) == (totals.index(max(totals)), totals[data["fits"]["fullest"]])
    assert totals[data["fits"]["emptiest"]] == min(totals)
    assert data["fits"]["fits"] == (max(totals) <= data["fits"]["room_bytes"])
    assert sorted(layer for rank in data["ranks"] for layer in rank["layers"]) == list(range(61))
    assert data["plan"]["batch"] == 2_048
    assert {talk["axis"] for talk in data["communicators"]} == {"ep", "pp", "dp"}
    step = data["step"]
    slowest = max(step[f"{word}_seconds"] for word in ("products", "memory", "inside", "outside"))
    flow = step["flow_seconds"] + step["idle_seconds"]
    assert (step["label"], step["seconds"]) == ("bounded", max(slowest, flow))
    assert slowest <= step["seconds"] <= slowest * (1 + step["bubble"])
    assert step["training_flops_per_token"] / 1e9 == pytest.approx(260, rel=0.005)


def test_what_does_not_fit_says_why(run):
    """The sentence names what is needed, what is usable and the largest part."""
    code, out, _ = run(*V3, "--on", "h100_sxm:1x8", "--tp", "8")
    assert code == 0
    assert "Does not fit: the fullest GPU needs" in out and "79.0 of 85.9 GB usable (92%)." in out
    assert "Its largest part: routed experts, 81.8 GB." in out
    full = run(*V3, "--on", "h200_sxm:1x8", "--tp", "8", "--context", "9M")[1]
    assert "Does not fit: with one sequence the fullest GPU needs" in full
    assert "Its largest part: cache of one sequence, 663.2 GB." in full  # 9 x 2**20 tokens of 61 x 576 x 2
    assert "beyond the config" in full and "No sequence fits, so nothing is timed." in full
    none = json.loads(run(*V3, "--on", "h200_sxm:1x8", "--tp", "8", "--context", "9M", "--json")[1])
    assert (none["step"]["seconds"], none["fits"]["fits"], none["fits"]["sequences"]) == (None, False, 0)


def test_named_sequences_are_what_is_counted(run):
    """--batch takes that many sequences in place of all that fit; over several parts, the fullest has most."""
    told = json.loads(run(*QWEN, "--on", "h200_sxm:1x8", "--tp", "4", "--batch", "3", "--json")[1])
    assert told["ranks"][0]["cache_bytes"] == 2 * told["ranks"][0]["sequence_cache_bytes"]
    assert " tokens per second over 3 sequences; " in told["step"]["says"]
    assert told["fits"]["sequences"] > 3
    prompts = run(*QWEN, "--on", "h200_sxm:1x8", "--tp", "4", "--batch", "3", "--job", "prefill")[1]
    assert "a prompt, 2 of them together; what binds is products. Without overlap, " in prompts
    alone = json.loads(run(*QWEN, "--on", "h200_sxm:1x8", "--tp", "4", "--job", "prefill", "--json")[1])
    assert (alone["plan"]["batch"], "together" in alone["step"]["says"]) == (2, False)


def test_the_table_says_who_talks(run):
    """One line for each communicator: axis, operation, ranks, calls, what is sent and what leaves the node."""
    out = run(*QWEN, "--on", "h200_sxm:2x8", "--tp", "16", "--batch", "4")[1]
    row = next(line.split() for line in out.splitlines() if line.startswith("tp  "))
    assert row == ["tp", "all-reduce", "16", "128", "9.83", "MB", "655", "KB"]
    assert "GB         16 alike" in out
    assert "nothing" in run(*QWEN, "--on", "h200_sxm:1x8", "--tp", "8", "--batch", "4")[1]
    assert "axis" not in run(*QWEN, "--on", "h200_sxm:1x1")[1]
    two = run(*QWEN, "--on", "h200_sxm:1x8", "--pp", "2", "--tp", "4")[1]
    assert "fullest: stage" in two and "emptiest: stage" in two and ", 4 alike" in two


def test_copies_on_other_stages_are_named(run):
    """A shared block that stands on several stages is counted once, and the notes say so."""
    out = run("plan", "Zyphra/Zamba2-1.2B", "--offline", "--on", "l4:1x4", "--pp", "4")[1]
    assert "left out            copies of the weights that layers of several stages share" in out
    assert "copies of the weights" not in run(*QWEN, "--on", "h200_sxm:1x8", "--pp", "4")[1]


@pytest.mark.whole
def test_what_is_left_out_follows(run):
    """Experts are dealt over the GPUs left over, in training over ep alone; a batch is rounded up to whole rounds."""

    def layout(*arguments):
        data = json.loads(run(*V3, *arguments, "--json")[1])["plan"]
        return data["etp"], data["edp"], data["batch"]

    assert layout("--on", "h200_sxm:2x8", "--tp", "8", "--ep", "8") == (2, 1, 0)
    assert layout("--on", "gb200:2x8", "--tp", "2", "--job", "train") == (2, 8, 2048)
    assert layout("--on", "gb200:2x8", "--tp", "2", "--ep", "4", "--job", "train") == (1, 4, 2048)
    assert layout("--on", "gb200:3x8", "--pp", "4x2", "--job", "train") == (1, 6, 2064)
    assert layout("--on", "gb200:3x8", "--pp", "4", "--job", "train", "--micro-batch", "2") == (1, 6, 2052)


def test_an_fp8_cache_takes_half(run):
    """--cache-dtype knows fp8 as a short name."""
    wide, narrow = (
        json.loads(run(*QWEN, "--on", "h200_sxm", "--tp", "8", "--cache-dtype", dtype, "--json")[1])["ranks"][0]
        for dtype in ("bf16", "fp8")
    )
    assert wide["sequence_cache_bytes"] == 2 * narrow["sequence_cache_bytes"] > 0


def test_copies_are_said_aloud(run):
    """tp beyond the key/value heads is legal, and the notes say how often each stands."""
    out = run(*QWEN, "--on", "h200_sxm:2x8", "--tp", "16")[1]
    assert "tp 16: 8 key/value heads on 2 ranks each" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--on", "h200_sxm:1x8", "--tp", "7"), "tp 7 does not divide 64 heads; nearest legal: 4 and 8."),
        (("--on", "h200_sxm:0x8"), "0 nodes of 8 GPUs are 0 GPUs"),
        (("--on", "h900"), "No device is called 'h900'; known are a100_pcie"),
        (("--on", "h200_sxm:1x9"), "A node of h200_sxm joins at most 8 GPUs, not 9: give 2x8."),
        (("--on", "h200_sxm:eight"), "--on takes nodes x GPUs, as in h200_sxm:2x8, not 'eight'."),
        (("--on", "h200_sxm", "--pp", "2y"), "--pp takes stages, or stages x chunks as in 4x2, not '2y'."),
        (("--on", "h200_sxm", "--ep", "8"), "This model has no experts"),
        (("--on", "h200_sxm", "--dp", "3"), "dp is GPUs / (tp x pp x cp) = 8 / 1: leave dp 3 out."),
        (("--on", "h200_sxm", "--tp", "0"), "tp is 0, but must be at least 1; nearest legal: 1."),
        (("--on", "h200_sxm", "--cache-dtype", "fp7"), "No cache dtype is called 'fp7'; known are"),
        (("--on", "h200_sxm", "--weights-dtype", "fp7"), "No format of weights is called 'fp7'; known are"),
        (("--on", "a100_sxm", "--compute-dtype", "fp8"), "a100_sxm has no peak for 'fp8'; known are bfloat16."),
        (("--on", "h200_sxm", "--tp", "x"), "'x' is not a whole number"),
        (("--on", "h200_sxm", "--used", "2"), "'2' is no share"),
        (("--on", "h200_sxm", "--context", "8k,9k"), "'8k,9k' is not one number of tokens"),
        (("--tp", "8"), "--on"),
    ],
)
def test_bad_input_is_a_sentence_and_exit_code_2(run, arguments, sentence):
    """What cannot be planned ends with one sentence on standard error and exit code 2."""
    code, out, err = run(*QWEN, *arguments)
    assert (code, out) == (2, "")
    assert sentence in err


def test_help_lists_the_keys(run):
    """--help of the command names every axis and the keys of its JSON."""
    code, out, _ = run("plan", "--help")
    assert code == 0
    for words in ("--tp", "--pp", "--ep", "--zero", "--context", "JSON: plan", "room_bytes", "computed, bounded"):
        assert words in out


def test_every_key_is_documented(run):
    """Each key of the JSON stands under its heading in plan_json.md, which --help names; the first ones there, too."""
    told = " ".join(run("plan", "--help")[1].split())
    assert re.search(r"Key by key: (\S+) exit", told)[1] == str(GUIDE)
    parts = re.split(r"^#+ ", GUIDE.read_text("utf-8"), flags=re.M)[1:]
    guide = {part.split()[0]: part for part in parts}
    data = json.loads(run(*V3, "--on", "gb300:16x4", "--job", "train", "--ep", "64", "--json")[1])
    keys = "plan fits ranks communicators step layouts owners formulas flags address notes"
    assert list(data)[5:] == keys.split()
    assert all(f"`{name}`" in guide["The"] for name in data) and all(name in told for name in list(data)[5:])
    for name in keys.split()[:-3]:
        part = data[name][0] if isinstance(data[name], list) else data[name]
        rows = list(part.get("rows", part.get("fixes", ())))[:1]
        for key in {*part, *(key for row in rows for key in row)} - {"label"}:
            assert f"`{key}`" in guide[name] + guide["plan"] + guide["layouts"], (name, key)
    assert data["layouts"]["rows"][0]["seconds"] <= data["layouts"]["rows"][-1]["seconds"]
    assert data["address"].startswith("m=deepseek-ai/DeepSeek-V3&on=gb300:16x4&job=train&ep=64")
    assert "--expert-model-parallel-size 64" in data["flags"]["Megatron-LM"]["flags"]
    assert all(talk["members"][0] == 0 and len(talk["members"]) == talk["ranks"] for talk in data["communicators"])
    assert {one["what"] for one in data["formulas"]} >= {"optimizer", "total", "seconds", "bubble", "ep"}


def test_a_measured_run_stands_beside_the_bound(run):
    """Nemotron 3 Nano as NVIDIA ran it on 8 GB300: the published tokens are labelled measured."""
    nano = ("plan", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "--offline", "--on", "gb300:2x4", "--job", "train")
    axes = ("--ep", "8", "--batch", "512", "--micro-batch", "4", "--sequence", "8192")
    (found,) = json.loads(run(*nano, *axes, "--json")[1])["step"]["measured"]
    assert (found["label"], found["tokens"], found["tflops"]) == ("measured", 39_936, 901)


def test_the_table_of_layouts(run):
    """--layouts prints the ten best and the layout that was asked for; --sort chooses the order."""
    out = run(*V3, "--on", "h200_sxm:1x8", "--tp", "8", "--layouts", "--sort", "unhidden")[1]
    told = out.splitlines()
    (line,) = [row for row in told if "layouts are legal" in row]
    assert line.startswith("65 layouts are legal, ") and "; this one is number " in line
    at = next(place for place, row in enumerate(told) if row.split()[:2] == ["tp", "pp"])
    assert [row.split()[0] for row in told[at + 1 : at + 12]] == [*map(str, range(1, 11)), "yours"]
    assert "sequences  s at least" in out
    train = run(*OSS, "--on", "gb200:2x4", "--job", "train", "--layouts")[1]
    assert "GB  s at least  s unhidden  binds" in train and ". Seconds are of a step." in train
    none = run(*V3, "--on", "h100_sxm:1x8", "--tp", "8", "--layouts")[1]
    assert "0 fit; this one does not fit." in none


def test_what_would_fit_is_offered(run):
    """The cheapest changes stand under a plan that does not fit, copies under one that does."""
    out = run(*V3, "--on", "h100_sxm:1x8", "--tp", "8")[1]
    assert "would fit           nodes 2: 78.4 GB, 24 sequences" in out
    wasted = "wasted              A latent or an index that serves all heads is stored on 8 tensor-parallel ranks: "
    assert wasted in run(*V3, "--on", "h200_sxm:1x8", "--tp", "8")[1]
    near = "would fit           no layout near this one on up to 8 times these GPUs"
    none = run(*QWEN, "--on", "l4:1x1", "--framework-bytes", "25000000000")[1]
    assert f"{near}, nor any of 4,096 nodes\n" in none
    many = run(*QWEN, "--on", "l4:1x1", "--framework-bytes", "23000000000")[1]
    assert f"{near}; in another layout 256 nodes of 1 hold it\n" in many


TRAIN = ("plan", "Qwen/Qwen3-235B-A22B", "--offline", "--on", "b200_sxm:32x8", "--job", "train", "--pp", "8", "--ep",
         "8", "--batch", "8192", "--compute-dtype", "fp8", "--json")  # fmt: skip


def addresses(data):
    """Every address of a plan's JSON."""
    rows = (*data["layouts"]["rows"], *data["fits"]["fixes"])
    return [data["address"], *(row["address"] for row in rows)]


@pytest.mark.whole
def test_an_edited_model_has_no_runs_and_no_address(run):
    """They are the catalogue's model's; a note says so, and the model itself keeps both."""
    plain = json.loads(run(*TRAIN)[1])
    assert plain["step"]["measured"] and all(one.startswith("m=Qwen/Qwen3-235B-A22B&") for one in addresses(plain))
    edited = json.loads(run(*TRAIN, "--edit", "experts=64,layers=40")[1])
    assert edited["step"]["measured"] == [] and set(addresses(edited)) == {None}
    assert "no address" in dict(edited["notes"]) and "no address" not in dict(plain["notes"])


def test_a_file_has_no_address(run, tmp_path):
    """/plan/ has not what is no row of the catalogue: without a model in it an address would open another one."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(catalog.load("Qwen/Qwen3-8B")))
    data = json.loads(run("plan", str(path), "--on", "h100_sxm:1x8", "--json")[1])
    assert set(addresses(data)) == {None} and "no address" in dict(data["notes"])


def test_every_address_names_its_model(run):
    """Of the plan, of the ten best layouts, and of what would fit."""
    small = json.loads(run(*V3, "--on", "h100_sxm:1x8", "--tp", "8", "--json")[1])
    large = json.loads(run(*V3, "--on", "h200_sxm:1x8", "--tp", "8", "--json")[1])
    assert small["fits"]["fixes"] and large["layouts"]["rows"]
    assert all(one.startswith("m=deepseek-ai/DeepSeek-V3&on=h") for data in (small, large) for one in addresses(data))
    unlinked = ("plan", "ibm-granite/granite-4-8b-dense-hybrid", "--offline", "--on", "h100_sxm", "--json")
    assert json.loads(run(*unlinked)[1])["address"].startswith("m=ibm-granite/granite-4-8b-dense-hybrid&")


def test_json_says_what_to_know_of_the_model(run):
    """The caveats of the words stand among the notes."""
    told = json.loads(run("plan", "ByteDance/Ouro-2.6B", "--offline", "--on", "h100_sxm", "--json")[1])["notes"]
    assert any(word == "to know" and "rope_theta" in text for word, text in told)


def test_a_dense_layout_stands_in_the_table_once(run):
    """Ten layouts are ten rows: none of them is said to be yours besides."""
    out = run("plan", "Qwen/Qwen3-8B", "--offline", "--on", "h100_sxm:1x8", "--batch", "3", "--layouts")[1]
    assert "10 layouts are legal, 10 fit; this one is number 10." in out and "yours" not in out
    assert re.search(r"^10 +1 +1 +1 +8 +1 +8 ", out, re.MULTILINE)
