"""Fetching from the Hub, with the real huggingface_hub client against a server on loopback that plays the Hub."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from cutaway.gallery import ConfigError, hub, read
from cutaway.gallery.command import named_model
from cutaway.gallery.hub.errors import SENTENCES as SENTENCES_OF_HUB
from cutaway.gallery.hub.errors import VISITORS, explain, for_visitor
from cutaway.gallery.hub.repo_address import Address, HubError
from cutaway.gallery.hub.sidecar import SIDECAR
from cutaway.gallery.reading.quantization import stored_bytes
from tests.gallery import fake_hub as fake_hub_of
from tests.gallery.fake_hub import COMMIT, CONFIG, PARAMS, fake_hub


@pytest.fixture
def server(monkeypatch, tmp_path):
    with fake_hub() as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield running


@pytest.fixture
def fetch(server, tmp_path):
    """fetch(...) with a cache of its own."""
    return lambda repo, **more: hub.fetch(repo, cache_dir=str(tmp_path / "cache"), **more)


def test_a_config_comes_with_its_commit_and_says_where_it_is_from(fetch):
    """A plain repo gives its config, the commit behind `main`, and a source that names the Hub."""
    found = fetch("meta/llama")
    assert (found.config, found.revision, found.kind) == (CONFIG, COMMIT, "hub")
    assert found.source == "the Hub, revision 0123456789ab"


def test_an_unchanged_file_is_asked_for_but_not_downloaded_again(fetch, server):
    """The second visit costs a HEAD for the config and no GET: its ETag is in the cache."""
    fetch("meta/llama")
    fetch("meta/llama")
    assert server.seen["GET meta config.json"] == 1


QUANTIZED = {"quant_method": "modelopt", "quant_algo": "NVFP4"}
SENTENCES = {
    "gated401/x": ("gated", "gated401/x is gated: accept its terms on the Hub and set HF_TOKEN"),
    "gated403/x": ("gated", "gated403/x is gated"),
    "private/x": ("private", "The Hub shows no private/x to this reader (401)"),
    "forbidden/x": ("private", "The Hub shows no forbidden/x to this reader (403)"),
    "gone/x": ("missing", "There is no gone/x on the Hub (404)"),
    "noconfig/x": ("no-config", "noconfig/x has no config.json"),
    "norevision/x": ("revision", "norevision/x has no revision None"),
    "busy/x": ("rate-limited", "The Hub refuses further requests for now (429, again in 17 s)"),
    "down/x": ("server", "The Hub failed on its own side (status 503)"),
    "big/x": ("too-large", "config.json of big/x has 6,000,000 bytes; more than 5,000,000 are not read."),
    "proxy/x": ("not-the-hub", "What answered for proxy/x is not a Hub"),
    "html/x": ("body", "config.json of html/x cannot be used: config.json is an HTML or XML page"),
    "list/x": ("body", "config.json holds a list, but a config is a JSON object"),
    "string/x": ("body", "config.json holds a string"),
    "half/x": ("body", "config.json is not whole JSON (it breaks off at line 1"),
    "empty/x": ("body", "config.json is empty"),
    "binary/x": ("body", "config.json is not UTF-8 text (byte 0)"),
    "noetag/x": ("not-the-hub", "What answered for noetag/x is not a Hub (its answer has no good ETag)"),
    "emptyetag/x": ("not-the-hub", "its answer has no good ETag"),
    "climbingetag/x": ("not-the-hub", "its answer has no good ETag"),
    "longetag/x": ("not-the-hub", "its answer has no good ETag"),
    "dotetag/x": ("not-the-hub", "its answer has no good ETag"),
    "climbingcommit/x": ("not-the-hub", "its answer names no commit"),
    "nolength/x": ("not-the-hub", "its answer is no proper HTTP"),
    "chunkedbig/x": ("too-large", "config.json of chunkedbig/x has too many bytes; more than 5,000,000 are not read."),
    "deep/x": ("body", "config.json is nested too deeply"),
}


@pytest.mark.parametrize("repo", SENTENCES)
def test_each_failure_has_a_sentence_of_its_own(fetch, repo):
    """Every way the Hub can fail gives its own kind and one line of words."""
    kind, words = SENTENCES[repo]
    with pytest.raises(HubError) as failed:
        fetch(repo)
    assert failed.value.kind == kind
    assert words in str(failed.value)
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize("repo", ["chunked/x", "weaketag/x", "bareetag/x", "fulletag/x"])
def test_an_unusual_but_whole_answer_is_read(fetch, repo):
    """A body in chunks, a weak ETag and one without quotes are right."""
    assert (fetch(repo).config, fetch(repo).kind) == (CONFIG, "hub")


def test_nothing_is_written_outside_the_cache(fetch, tmp_path):
    """An ETag and a commit become file names: one that climbs is refused before the client sees it."""
    for repo in ("climbingetag/x", "climbingcommit/x"):
        with pytest.raises(HubError):
            fetch(repo)
    assert list(tmp_path.rglob("*climbed*")) == []


def test_a_cache_that_cannot_be_written_is_not_called_a_silent_hub(server, tmp_path):
    """The Hub answered: the sentence is about the folder on this machine, and the snapshot stands in."""
    (tmp_path / "file").write_text("")
    with pytest.raises(HubError, match=f"cache on this machine cannot be used .*{tmp_path.name}") as failed:
        hub.fetch("meta/llama", cache_dir=str(tmp_path / "file"))
    assert failed.value.kind == "cache"
    assert hub.fetch("openai/gpt-oss-20b", cache_dir=str(tmp_path / "file")).kind == "snapshot"


def test_what_is_gone_from_the_hub_is_not_answered_from_the_cache(fetch, monkeypatch):
    """A repo that was fetched before and has been removed since is said to be missing."""
    with monkeypatch.context() as before:
        before.delitem(fake_hub_of.REFUSALS, "gone")
        assert fetch("gone/x").config == CONFIG
    with pytest.raises(HubError) as failed:
        fetch("gone/x")
    assert failed.value.kind == "missing"


@pytest.mark.parametrize("problem", [OSError("a socket"), ValueError("what nobody foresaw")])
def test_an_exception_that_nobody_named_is_a_hub_out_of_reach(problem):
    """It has no file of this machine: the sentence says its name."""
    told = explain(problem, Address("a/b"), "config.json", 1)
    assert (told.kind, type(problem).__name__ in str(told)) == ("offline", True)


def test_the_sentences_differ():
    """No two kinds of failure share their words."""
    assert len(set(SENTENCES_OF_HUB.values())) == len(SENTENCES_OF_HUB)


@pytest.mark.whole
def test_a_silent_hub_is_given_up_in_time(fetch):
    """A server that does not answer costs one timeout, not the client's many retries."""
    start = time.monotonic()
    with pytest.raises(HubError, match="did not answer for slow/x within 1 seconds") as failed:
        fetch("slow/x", timeout=1)
    assert failed.value.kind == "timeout"
    assert time.monotonic() - start < 4


@pytest.mark.whole
def test_a_download_that_breaks_off_is_given_up_in_time(fetch):
    """A body shorter than its Content-Length is named as such, although the client would resume it for ever."""
    start = time.monotonic()
    with pytest.raises(HubError, match="broke off while it was downloaded") as failed:
        fetch("cut/x", timeout=2)
    assert failed.value.kind == "truncated"
    assert time.monotonic() - start < 6


def test_nobody_at_home_is_offline(monkeypatch, tmp_path):
    """A Hub that refuses connections is `offline`, with advice."""
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HubError, match=r"could not be reached \(ConnectError\)|could not be reached") as failed:
        hub.fetch("meta/llama", cache_dir=str(tmp_path))
    assert failed.value.kind == "offline"
    with pytest.raises(HubError, match=r"could not be reached .*Did you mean deepseek-ai/DeepSeek-V3\?"):
        named_model.load("deepseek-ai/DeepSek-V3")


def test_offline_the_cache_answers_and_says_so(fetch, monkeypatch):
    """What was fetched before is read from the Hub's cache when the Hub is gone."""
    fetch("meta/llama")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    found = fetch("meta/llama")
    assert (found.kind, found.config, found.revision) == ("cache", CONFIG, COMMIT)
    assert found.source.startswith("an earlier download, revision 0123456789ab. The Hub could not be reached")


@pytest.mark.parametrize("why", ["http://127.0.0.1:9", "down"])
def test_the_snapshot_answers_where_the_hub_does_not(server, monkeypatch, tmp_path, why):
    """A catalogued model is still drawn when the Hub fails, and its source says what stands in and why."""
    monkeypatch.setenv("HF_ENDPOINT", why if why != "down" else server.url + "/down")
    found = hub.fetch("openai/gpt-oss-20b", cache_dir=str(tmp_path))
    assert (found.kind, found.config["hidden_size"]) == ("snapshot", 2880)
    assert found.source.startswith("Snapshot of 2")
    assert "The Hub " in found.source


def test_another_revision_is_not_answered_with_the_snapshot(monkeypatch, tmp_path):
    """Who asks for a revision gets that one or a sentence, never the facts of another."""
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HubError, match="could not be reached"):
        hub.fetch("openai/gpt-oss-20b", revision="abc", cache_dir=str(tmp_path))


def test_params_json_is_read_where_there_is_no_config(fetch):
    """Mistral's own repos carry params.json alone."""
    found = fetch("mistral/x")
    assert (found.config, found.file) == (PARAMS, "params.json")


@pytest.mark.parametrize(
    ("owner", "what"), [("lora", "'LORA' is an adapter"), ("pictures", "'FluxPipeline' is a part")]
)
def test_a_repo_without_a_model_of_its_own_is_called_what_it_is(fetch, owner, what):
    """An adapter has adapter_config.json and a pipeline model_index.json, and neither is drawn."""
    with pytest.raises(ConfigError, match=what):
        read(fetch(f"{owner}/x").config)


def test_modelopts_second_file_joins_the_config(fetch):
    """hf_quant_config.json stands in for a quantization_config that config.json does not have."""
    assert fetch("modelopt/x").config == {**CONFIG, "quantization_config": QUANTIZED}


WHOLE = {**CONFIG, "quantization_config": QUANTIZED}


def test_offline_modelopts_second_file_comes_from_the_cache_too(fetch, monkeypatch):
    """What was fetched as a quantized model is read as one when the Hub is gone: the same bytes, no word more."""
    online = fetch("modelopt/x")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    found = fetch("modelopt/x")
    assert (found.kind, found.config) == ("cache", WHOLE)
    assert stored_bytes(read(found.config)) == stored_bytes(read(online.config)) == 206_232
    assert SIDECAR not in found.source


def test_a_second_file_that_could_not_be_had_is_told(fetch, server):
    """The Hub gives config.json and refuses the file beside it: the source says what is not known, and why."""
    server.beside = 429
    found = fetch("modelopt/x")
    assert (found.kind, found.config) == ("hub", CONFIG)
    words = f"Whether its weights are quantized may stand in {SIDECAR}, which was not had: The Hub refuses further"
    assert words in found.source and "\n" not in found.source


def test_a_second_file_that_never_came_is_told_offline_too(fetch, server, monkeypatch):
    """The cache has the config alone, and nobody knows whether more stood beside it."""
    server.beside = 503
    fetch("modelopt/x")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    found = fetch("modelopt/x")
    assert (found.kind, found.config) == ("cache", CONFIG)
    assert f"{SIDECAR}, which was not had. The Hub could not be reached" in found.source


def test_a_second_file_at_hand_need_not_be_had_again(fetch, server):
    """A commit never changes: a Hub that fails for the file beside is not even asked."""
    fetch("modelopt/x")
    asked, server.beside = server.seen[f"HEAD modelopt {SIDECAR}"], 429
    found = fetch("modelopt/x")
    assert (found.config, found.source) == (WHOLE, "the Hub, revision 0123456789ab")
    assert server.seen[f"HEAD modelopt {SIDECAR}"] == asked


def test_that_there_is_no_second_file_is_known_from_then_on(fetch, server, monkeypatch):
    """A plain model is asked for it once, and is silent about it ever after, offline as well."""
    assert fetch("meta/llama").source == fetch("meta/llama").source == "the Hub, revision 0123456789ab"
    assert server.seen[f"HEAD meta {SIDECAR}"] == 1
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert SIDECAR not in fetch("meta/llama").source


def test_a_second_file_that_is_no_json_is_told(fetch, server, monkeypatch):
    """It is there and cannot be used, which is not the same as no file."""
    monkeypatch.setattr(fake_hub_of, "SIDECAR", ["a list"])
    found = fetch("modelopt/x")
    assert found.config == CONFIG
    assert f"{SIDECAR} of modelopt/x cannot be used" in found.source


def test_a_visitor_reads_of_a_second_file_in_words_without_a_token(server, tmp_path):
    """Nobody is told to set HF_TOKEN on a machine that is not theirs."""
    server.beside = 429
    found = hub.fetch("modelopt/x", cache_dir=str(tmp_path), token=False)
    assert "which was not had: The Hub refuses further requests of this server" in found.source
    assert "HF_TOKEN" not in found.source


@pytest.mark.parametrize("said", ["compression_config", "quantization"])
def test_a_config_that_speaks_for_itself_takes_no_second_file(said):
    """Also under the keys that older compressed-tensors and MLX write."""
    config = {**CONFIG, said: {"bits": 4, "group_size": 64}}
    assert hub.with_sidecar(config, {"quantization": {"quant_algo": "NVFP4"}}) == config


def test_a_snapshot_does_not_stand_in_for_another_file(monkeypatch, tmp_path):
    """Who asks for a file in a folder gets that one or a sentence."""
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HubError, match="could not be reached"):
        hub.fetch("hf://openai/gpt-oss-20b/original/config.json", cache_dir=str(tmp_path))


def test_the_token_comes_from_the_environment(fetch, server, monkeypatch):
    """HF_TOKEN is sent; without it nothing is."""
    monkeypatch.setenv("HF_TOKEN", "hf_of_a_reader")
    fetch("meta/llama")
    assert server.tokens == {"Bearer hf_of_a_reader"}


def test_a_visitor_is_not_lent_the_token(server, monkeypatch, tmp_path):
    """token=False sends none, and a gated repo is refused in words for somebody who cannot set one."""
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_owner")
    hub.fetch("meta/llama", cache_dir=str(tmp_path), token=False)
    with pytest.raises(HubError, match="asks the Hub without a token: paste") as failed:
        hub.fetch("secret/x", cache_dir=str(tmp_path), token=False)
    assert (failed.value.kind, server.tokens) == ("gated", {None})


def test_a_visitor_does_not_see_what_the_token_fetched(server, monkeypatch, tmp_path):
    """What lies in the owner's cache stays there, also when the Hub is gone; a visitor's own fetches are kept apart."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_owner")
    hub.fetch("secret/x", cache_dir=constants.HF_HUB_CACHE)
    hub.fetch("meta/llama", token=False)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert hub.fetch("secret/x", cache_dir=constants.HF_HUB_CACHE).kind == "cache"
    assert hub.fetch("meta/llama", token=False).kind == "cache"
    with pytest.raises(HubError, match="could not be reached"):
        hub.fetch("secret/x", token=False)


def test_the_sentences_for_visitors_name_no_token_to_set():
    """Nobody is told to set HF_TOKEN on a machine that is not theirs."""
    for kind in VISITORS:
        assert "HF_TOKEN" in SENTENCES_OF_HUB[kind]
        assert "HF_TOKEN" not in str(for_visitor(HubError(kind, "…"), Address("a/b")))
    assert {kind for kind, words in SENTENCES_OF_HUB.items() if "HF_TOKEN" in words} == set(VISITORS)


def test_a_request_that_nobody_waits_for_ends(server, tmp_path):
    """Setting `dropped` gives the call back at once and closes the connection; the Hub sees its reader gone."""
    dropped = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(hub.fetch, "slow/x", cache_dir=str(tmp_path), dropped=dropped)
        wait_for(lambda: server.waiting == 1)
        dropped.set()
        assert isinstance(call.exception(10), HubError)
    wait_for(lambda: server.waiting == 0)
    assert server.seen["hung up"] == 1


def test_a_request_that_timed_out_ends_too(server, tmp_path):
    """Nothing lingers behind a sentence about time."""
    with pytest.raises(HubError, match="did not answer"):
        hub.fetch("slow/x", cache_dir=str(tmp_path), timeout=0.5)
    wait_for(lambda: server.waiting == 0)
    assert server.seen["hung up"] == 1


def wait_for(holds, seconds: float = 10.0) -> None:
    """Until it holds; a slow machine gets its time."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)
