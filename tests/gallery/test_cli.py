"""The command line: what it prints, where, and with which exit code."""

import io
import json
import subprocess
import sys
import xml.dom.minidom
from pathlib import Path

import pytest

from cutaway.gallery.command import cataloguing, cli, hosting
from tests.gallery.fake_hub import COMMIT, fake_hub

ROOT = Path(__file__).resolve().parents[2]
CONFIG = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
    "tie_word_embeddings": False,
    "max_position_embeddings": 4096,
    "a_key_from_tomorrow": 7,
}


@pytest.fixture
def config(tmp_path):
    """A small Llama as a file."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    return str(path)


def test_facts_of_a_file(run, config):
    """The fact sheet names the layers, counts the parameters and lists what was not read."""
    code, out, err = run("facts", config)
    assert (code, err) == (0, "")
    assert "2 x GQA + dense 128" in out
    assert "(202,048)" in out  # 2 x 1000 x 64 + 2 x (2 x 64 x 64 + 2 x 64 x 32 + 3 x 64 x 128 + 2 x 64) + 64
    assert "a_key_from_tomorrow" in out


def test_facts_as_json(run, config):
    """--json gives the same numbers to programs."""
    code, out, _ = run("facts", config, "--json")
    data = json.loads(out)
    assert (code, data["parameters"]["total"], data["unread"]) == (0, 202_048, ["a_key_from_tomorrow"])
    assert data["kv_bytes_per_token"]["all"] == 2 * 2 * 16 * 2 * 2


def test_facts_of_a_catalogued_model_show_where_others_differ(run):
    """A published figure that ours contradicts stands there with both values and the reason."""
    code, out, _ = run("facts", "openai/gpt-oss-20b", "--offline")
    assert code == 0
    assert "72 KiB" not in out
    assert (
        "published kv  48 KiB, ours 24 KiB: the published figure counts every attention layer as if it had no window"
        in out
    )
    assert "https://huggingface.co/openai/gpt-oss-20b/blob/main/config.json" in out


def test_a_model_can_be_edited_before_it_is_read_out(run, config, tmp_path):
    """--edit counts, lists, weighs and draws what the model would be; what cannot be is a wrong argument."""
    _, out, _ = run("facts", config, "--json", "--edit", "layers=4,kv=4")
    assert json.loads(out)["parameters"]["total"] == 2 * 1000 * 64 + 4 * (4 * 64 * 64 + 3 * 64 * 128 + 2 * 64) + 64
    _, out, _ = run("memory", config, "--context", "1k", "--json", "--edit", "kv=1", "--edit", "layers:1")
    assert json.loads(out)["contexts"][0]["total_bytes"] == 2 * 16 * 2 * 1024
    code, out, _ = run("weights", config, "--layer", "4", "--edit", "layers=5")
    assert code == 0 and "layers.4.self_attn.q_proj.weight" in out and "edited: layers=5" in out
    code, _, err = run("draw", config, "-o", str(tmp_path / "out.svg"), "--edit", "heads=8")
    assert code == 0 and "edited: heads=8" in err and "8 × 16" in (tmp_path / "out.svg").read_text()
    code, out, err = run("facts", config, "--edit", "heads=5")
    assert (code, out) == (2, "") and "num_attention_heads 5 is not a multiple of num_key_value_heads 2: 4 or 6" in err


def test_weights_of_one_layer(run, config):
    """--layer lists that layer's tensors alone, under its own number."""
    code, out, _ = run("weights", config, "--layer", "1")
    assert code == 0
    assert "layers.1.self_attn.q_proj.weight" in out
    assert "layers.0." not in out
    assert "embed_tokens" not in out


def test_weights_as_json_add_up(run, config):
    """The listed shapes multiply and add up to the total."""
    _, out, _ = run("weights", config, "--json")
    total = 0
    for weight in json.loads(out)["weights"]:
        numbers = 1
        for n in weight["shape"]:
            numbers *= n
        total += numbers
    assert total == 202_048


def test_memory_at_chosen_contexts(run, config):
    """Contexts in k are multiples of 1,024, and the cache dtype halves the bytes."""
    _, out, _ = run("memory", config, "--context", "1k,4096", "--cache-dtype", "float8_e4m3fn", "--json")
    data = json.loads(out)
    assert [one["context"] for one in data["contexts"]] == [1024, 4096]
    assert [one["total_bytes"] for one in data["contexts"]] == [128 * 1024, 128 * 4096]


@pytest.mark.parametrize(("words", "tokens"), [("131,072", [131072]), ("8k,96", [8192, 96]), ("1M", [1024**2])])
def test_a_grouped_number_is_one_context(run, config, words, tokens):
    """A comma before three digits groups a number as our own output does; any other comma separates two."""
    _, out, _ = run("memory", config, "--context", words, "--json")
    assert [one["context"] for one in json.loads(out)["contexts"]] == tokens


def test_memory_layer_by_layer(run, config):
    """--layers adds one line per layer with what it keeps."""
    _, out, _ = run("memory", config, "--layers")
    assert "keys and values: k 2 × 16 + v 2 × 16" in out


def test_draw_writes_an_svg(run, config, tmp_path):
    """draw writes one well-formed SVG to the named file, and its caveats to standard error."""
    target = tmp_path / "out.svg"
    code, out, err = run("draw", config, "-o", str(target), "--dark")
    assert (code, out) == (0, "")
    assert xml.dom.minidom.parse(str(target)).documentElement.tagName == "svg"
    assert "a_key_from_tomorrow" in err


def test_a_folder_may_hold_the_second_file_of_modelopt(run, tmp_path):
    """hf_quant_config.json beside config.json says how it is quantized; beside a file of another name it does not."""
    (tmp_path / "hf_quant_config.json").write_text(json.dumps({"quantization": {"quant_algo": "NVFP4"}}))
    for name in ("config.json", "other.json"):
        (tmp_path / name).write_text(json.dumps(CONFIG))
    told = [
        json.loads(run("facts", str(path), "--json")[1])["quantization"] for path in (tmp_path, tmp_path / "other.json")
    ]
    assert (told[0]["scheme"], told[1]) == ("nvfp4", None)


def test_standard_input(run, monkeypatch):
    """- reads the config from standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(CONFIG).encode())))
    code, out, _ = run("facts", "-", "--json")
    assert (code, json.loads(out)["hidden_size"]) == (0, 64)


def test_a_repo_id_asks_the_hub(run, monkeypatch, tmp_path):
    """A repo id is fetched from HF_ENDPOINT; the output and the snapshot name the commit."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with fake_hub() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        code, out, _ = run("facts", "meta/llama")
        assert (code, f"The Hub, revision {COMMIT[:12]}" in out) == (0, True)
        code, out, _ = run("snapshot", "meta/llama", "-o", "-")
        made = json.loads(out)
        assert (made["repo"], made["revision"], made["kind"]) == ("meta/llama", COMMIT, "hub")
        code, _, err = run("facts", "busy/llama")
        assert (code, "429" in err) == (4, True)


SENTENCES = [
    (("facts", "./no/such/config.json"), 5, "no/such/config.json: there is no such file."),
    (("facts", "https://huggingface.co/datasets/squad"), 4, "is a dataset, not a model"),
    (("facts", "deepseek-ai/DeepSek-V3", "--offline"), 4, "Did you mean deepseek-ai/DeepSeek-V3?"),
    (("facts", "nobody/nothing", "--offline"), 4, "No model of the catalogue is called 'nobody/nothing'"),
    (("memory", "Qwen/Qwen3-8B", "--offline", "--cache-dtype", "float7"), 2, "No cache dtype is called 'float7'"),
    (("weights", "Qwen/Qwen3-8B", "--offline", "--layer", "36"), 2, "There is no layer 36: layers go from 0 to 35."),
    (("facts", "SHSLab/Step-5-Preview-BF16", "--offline"), 4, "No config.json was found for SHSLab/Step-5-"),
    (("facts", "Qwen/Qwen3-8B", "--offline", "--revision", "v9"), 4, "not of v9, and the Hub was not to be asked"),
    (("facts", "Qwen/Qwen3-8B@v9", "--offline"), 4, "not of v9, and the Hub was not to be asked"),
    (("facts", ""), 4, "'' names no repo"),
    (("facts", "\0"), 4, "is not a repo id"),
    (("facts", "x" * 400), 4, "is not a repo id"),
]


@pytest.mark.parametrize(("arguments", "code", "words"), SENTENCES)
def test_a_failure_is_one_sentence_and_a_code(run, arguments, code, words):
    """Nothing goes to standard output; standard error has one line that starts with the command's name."""
    found, out, err = run(*arguments)
    assert (found, out) == (code, "")
    assert err.startswith("cutaway: ")
    assert err.count("\n") == 1
    assert words in err


def test_the_bare_command_shows_its_help(run):
    """Without arguments the help goes to standard error, with the code for wrong arguments."""
    code, out, err = run()
    assert (code, out, "cutaway draw deepseek-ai/DeepSeek-V3" in err) == (2, "", True)


def test_a_hub_page_is_found_in_the_snapshots(run):
    """--offline takes the address that is in the browser's bar, too."""
    assert run("facts", "https://huggingface.co/Qwen/Qwen3-8B/tree/main", "--offline")[0] == 0


BODIES = {
    b"<html>": "is an HTML or XML page",
    b"[1]": "holds a list",
    b"": "is empty",
    b'{"hidden_size": 64': "is not whole JSON",
    b"\x80\x02weights": "is not UTF-8 text (byte 0)",
    b"\xff\xfe": "is empty",
    b"\xff\xfe{\x00}": "is not UTF-16-LE text",
    b"[" * 200_000: "nested too deeply",
    b'{"a": ' + b"9" * 5000 + b"}": "thousands of digits",
    b"{}": "looked for",
    b" " * 5_000_001: "more than 5,000,000 bytes",
}


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_a_file_that_is_no_config_is_named_for_what_it_is(run, tmp_path, body):
    """HTML, lists, broken and oversized files each get their own sentence."""
    path = tmp_path / "config.json"
    path.write_bytes(body)
    code, out, err = run("facts", str(path))
    assert (code in (3, 5), out, BODIES[body] in err) == (True, "", True)


@pytest.mark.parametrize("words", ["12q", "", "8k,,1", "-5", "1e6"])
def test_a_context_that_is_no_number_is_a_usage_error(run, config, words):
    """Exit code 2, and the message shows the forms that work."""
    code, _, err = run("memory", config, f"--context={words}")
    assert (code, "give 8192, 8k, 128k or 1M" in err) == (2, True)


def test_escape_sequences_do_not_reach_the_terminal(run, tmp_path):
    """A config's strings are printed without control characters."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**CONFIG, "model_type": "x\x1b[31mred", "\x1b[2Jkey": 1}))
    code, out, _ = run("facts", str(path))
    assert (code, "\x1b" in out) == (0, False)


def test_help_shows_examples_and_exit_codes(run):
    """--help is worth reading: every command, examples, exit codes."""
    code, out, _ = run("--help")
    assert code == 0
    groups = ("look:", "count:", "compare:", "plan:", "run:", "catalogue:")
    for words in (*cli.COMMANDS, *groups, "examples:", "exit codes:"):
        assert words in out


def test_version(run):
    """--version prints the package's version."""
    code, out, _ = run("--version")
    assert (code, out.startswith("cutaway ")) == (0, True)


def test_a_snapshot_reads_the_same_as_its_file(run, config):
    """`snapshot -o -` prints facts that the reader turns into the same spec."""
    from cutaway.gallery import read
    from cutaway.gallery.catalog.snapshot import from_snapshot

    code, out, _ = run("snapshot", config, "-o", "-", "--slug", "me/mine")
    assert code == 0
    assert read(from_snapshot(json.loads(out))) == read(CONFIG)


def test_a_snapshot_is_refused_where_no_row_would_read_it(run, config):
    """The sentence says to add the row; a row that borrows another's config names that one; nothing is written."""
    from cutaway.gallery import catalog

    before = sorted(catalog.snapshot.CONFIGS.iterdir())
    code, out, err = run("snapshot", config, "--slug", "me/mine")
    assert (code, out) == (2, "")
    assert "No row of gallery/catalog/models.py is called me/mine" in err and "add it first" in err
    borrows = next(row for row in catalog.MODELS if row.config_of)
    code, _, err = run("snapshot", config, "--slug", borrows.slug)
    assert (code, f"give --slug {borrows.config_of}." in err) == (2, True)
    assert sorted(catalog.snapshot.CONFIGS.iterdir()) == before


def test_a_snapshot_goes_where_its_row_reads_it(run, config, monkeypatch, tmp_path):
    """A file for a catalogued slug, however its case, is written under the row's own name; -o takes it anywhere."""
    from cutaway.gallery.catalog import snapshot

    monkeypatch.setattr(snapshot, "CONFIGS", tmp_path)
    code, _, err = run("snapshot", config, "--slug", "qwen/qwen3-8b")
    assert (code, (tmp_path / "Qwen__Qwen3-8B.json").is_file()) == (0, True), err
    code, _, _ = run("snapshot", config, "-o", str(tmp_path / "anywhere.json"))
    assert (code, (tmp_path / "anywhere.json").is_file()) == (0, True)


def test_a_snapshot_made_by_a_wheel_stays_out_of_it(run, config, monkeypatch, tmp_path):
    """Where the package is installed, a snapshot without -o is written where the reader stands."""
    (tmp_path / "__init__.py").touch()
    monkeypatch.setattr(cataloguing, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    code, _, err = run("snapshot", config, "--slug", "me/mine")
    assert (code, err.startswith("me__mine.json written"), (tmp_path / "me__mine.json").is_file()) == (0, True, True)


def test_a_closed_pipe_ends_quietly(config):
    """`cutaway weights x | head -1` prints no traceback."""
    command = (
        f"'{sys.executable}' -m cutaway.gallery.command.cli weights Qwen/Qwen3-235B-A22B --offline --json | head -c 10"
    )
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=ROOT, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_build_without_the_repository_says_what_to_do(run, monkeypatch, tmp_path):
    """In a wheel there is no build/; the sentence says where it is."""
    monkeypatch.setattr(hosting, "ROOT", tmp_path)
    code, _, err = run("build")
    assert (code, "clone it and run python build/site.py" in err) == (2, True)
    code, _, err = run("serve")
    assert (code, "pip install cutaway" in err) == (2, True)


def test_a_file_as_people_keep_it_is_read_and_said(run, tmp_path):
    """Comments, a trailing comma and UTF-16 with its mark are read; the heading says what was passed over."""
    path = tmp_path / "mine.json"
    path.write_bytes(("// mine\n" + json.dumps(CONFIG)[:-1] + ",\n}").encode("utf-16"))
    code, out, err = run("facts", str(path))
    assert (code, err, "(202,048)" in out) == (0, "", True)
    assert "(1 comment and 1 trailing comma were passed over, the first at line 1, column 1)" in out
