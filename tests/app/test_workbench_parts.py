"""Behind the workbench: the plot's points, what an address asks for, when a worker ends, how much is sent."""

from __future__ import annotations

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from cutaway.app.render import job, worker, workers
from cutaway.app.render.job import Refusal
from cutaway.app.workbench import plot, url
from cutaway.gallery import catalog, memory
from tests.one_site import SITE

V3, NEXT, OSS = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "openai/gpt-oss-20b"


def test_a_plot_draws_what_is_kept_at_each_context():
    """Fourteen powers of two from 256 to 2,097,152 tokens, each with the bytes that gallery counts."""
    made, view = plot.CachePlot(), SITE.view("meta-llama/Llama-3.1-70B")
    made.show([view], 8192)
    data = made.sources[0].data
    assert data["x"] == [2**power for power in range(8, 22)] and data["x"][0] == 256
    assert data["y"] == [tokens * 320 * 1024 for tokens in data["x"]]
    assert data["y"] == [memory(view.spec, tokens).total_bytes for tokens in data["x"]]
    assert data["kept"][5] == "2.7 GB" and data["tokens"][5] == "8,192 tokens"
    assert [item.label.value for item in made.legend.items] == [view.title] and made.mark.location == 8192
    assert not made.sources[1].data["x"] and not made.sources[2].data["title"]


def test_a_tick_is_called_by_its_size():
    """Contexts in units of 1,024, bytes in powers of ten: each label, read back, is its own tick."""
    for tick, words in plot.TICKS.items():
        number, unit = re.fullmatch(r"(\d+)([kM]?)", words).groups()
        assert int(number) * 1024 ** " kM".index(unit or " ") == tick
    for tick, words in plot.BYTES.items():
        number, unit = words.split()
        assert int(number) * 1000 ** ("B", "KB", "MB", "GB", "TB").index(unit) == tick
    assert all(tick in plot.CONTEXTS for tick in plot.TICKS)


def test_what_keeps_nothing_has_no_line():
    """A logarithmic axis has no nought; the model is in the table."""
    made = plot.CachePlot()
    made.show([SimpleNamespace(title="x", memory=lambda tokens: SimpleNamespace(total_bytes=0))], 256)
    assert made.legend.items == [] and made.sources[0].data["y"] == []


@pytest.mark.parametrize(
    ("asked", "tokens"),
    [
        ("1", 1),
        ("8192", 8192),
        (str(2**30), 2**30),
        (str(2**30 + 1), 131_072),
        ("0", 131_072),
        ("x", 131_072),
        ("", 131_072),
    ],
)
def test_an_address_names_a_context_up_to_a_thousand_million_tokens(asked, tokens):
    """What cannot be counted with is 128k."""
    assert url.context(f"?context={asked}") == tokens


def test_two_stand_beside_in_their_places():
    """Names that nobody has leave their place empty; a third is left out, "none" is neither."""
    assert url.beside(f"?vs={V3},{OSS},{NEXT}") == [V3, OSS]
    assert url.beside(f"?vs=x,{OSS}") == ["", OSS] and url.beside(f"?vs={V3}") == [V3, ""]
    assert url.beside("?vs=none") == ["", ""] and url.beside("") == list(url.BESIDE)
    assert url.value("?a=1&a=2&b= x ", "a") == "1" and url.value("?a=1&b= x ", "b") == "x"


class Served(Exception):
    """Enough has been answered."""


def test_a_worker_outlives_its_servers_patience_and_then_ends(monkeypatch):
    """The system's alarm is set a few seconds behind the server's own limit, and taken off when the answer is there."""
    alarms: list[int] = []
    sent: list = []
    requests = SimpleNamespace(get=lambda: (10.0, "a config"))

    def tell(_, what):
        sent.append(what)
        if len(sent) == 4:
            raise Served

    monkeypatch.setattr(worker, "tell", tell)
    monkeypatch.setattr(worker, "alarm", alarms.append)
    monkeypatch.setattr(worker, "own_output", lambda: None)
    monkeypatch.setattr(worker, "limit_memory", lambda: None)
    monkeypatch.setattr(worker, "give_way", lambda: None)
    monkeypatch.setattr(worker, "is_heavy", lambda: False)
    monkeypatch.setattr(worker, "listen", lambda requests: None)
    monkeypatch.setattr(worker.signal, "signal", lambda *_: None)
    monkeypatch.setattr(worker.queue, "SimpleQueue", lambda: requests)
    with pytest.raises(Served):
        worker.main(lambda request: f"drawn: {request}")
    assert sent == ["ready", "begun", ("drawn: a config", False), "begun"]
    assert alarms[1] == 0 and alarms[0] > 10.0


def test_a_worker_ends_after_a_thousand_answers_or_when_it_says_so(monkeypatch):
    """What its caches hold stays small: the thousandth answer is its last, and so is one that is called last."""
    monkeypatch.setattr(worker, "alarm", lambda seconds: None)
    monkeypatch.setattr(worker, "own_output", lambda: None)
    monkeypatch.setattr(worker, "limit_memory", lambda: None)
    monkeypatch.setattr(worker, "give_way", lambda: None)
    monkeypatch.setattr(worker, "is_heavy", lambda: False)
    monkeypatch.setattr(worker, "listen", lambda requests: None)
    monkeypatch.setattr(worker.signal, "signal", lambda *_: None)
    monkeypatch.setattr(worker.queue, "SimpleQueue", lambda: SimpleNamespace(get=lambda: (1, None)))
    sent: list = []
    monkeypatch.setattr(worker, "tell", lambda _, what: sent.append(what))
    worker.main(lambda request: "x")
    assert sent.count("begun") == 1000 == sum(what == ("x", False) for what in sent) + 1 and sent[-1] == ("x", True)
    sent.clear()
    worker.main(lambda request: Refusal("why", last=True))
    assert sent[1:] == ["begun", (Refusal("why", last=True), True)]
    sent.clear()
    monkeypatch.setattr(worker, "is_heavy", lambda: True)
    worker.main(lambda request: "x")
    assert sent[1:] == ["begun", ("x", True)]


@pytest.mark.whole
@pytest.mark.skipif(sys.platform != "linux", reason="no other platform says what a process has held")
def test_what_a_worker_has_held_is_counted_from_its_own_start():
    """Whatever the server holds that starts it; one that has held more ends after its answer."""
    script = "from cutaway.app.render import worker; held = 'x' * (150 << 20); del held; print(worker.is_heavy())"
    padding = "x" * (200 << 20)
    said = [
        subprocess.run([sys.executable, "-c", text], capture_output=True, text=True).stdout
        for text in (script.replace("150", "1"), script)
    ]
    assert (said, len(padding) >> 20) == (["False\n", "True\n"], 200)


@pytest.mark.parametrize(("characters", "shown"), [(job.MOST_CHARACTERS, True), (job.MOST_CHARACTERS + 1, False)])
def test_a_page_is_sent_up_to_four_million_characters(monkeypatch, characters, shown):
    """One more is a sentence that counts both numbers."""
    monkeypatch.setitem(job.WORK, job.Request, lambda request: "x" * characters)
    made = job.answer(job.Request({}, "", ""))
    assert (made == "x" * characters) is shown
    assert shown or "4,000,001 characters; a page shows 4,000,000" in made.sentence


def test_an_edited_model_says_what_was_edited():
    """The title, the source and the numbers are of the edited one; as it was, it leads to its own sheet of the plan."""
    contexts = (8192, 131_072)
    config = catalog.load("Qwen/Qwen3-8B")
    plain = job.draw(
        job.Request(config, "Q", "A source.", contexts, page="/models/Qwen/Qwen3-8B/", slug="Qwen/Qwen3-8B")
    )
    fewer = job.draw(job.Request(config, "Q", "A source.", contexts, edits="layers:18", slug="Qwen/Qwen3-8B"))
    assert (plain.title, fewer.title) == ("Q", "Q, edited")
    assert "Edited here: layers:18." in fewer.html["result"] and "Edited here" not in plain.html["result"]
    assert plain.kept == {tokens: 36 * 2 * 8 * 128 * 2 * tokens for tokens in contexts}
    assert fewer.kept == {tokens: kept // 2 for tokens, kept in plain.kept.items()}
    assert fewer.memory(8192).total_bytes * 2 == plain.memory(8192).total_bytes
    assert "m=Qwen/Qwen3-8B" in plain.html["result"] and "m=local:" in fewer.html["result"]


def test_a_pool_starts_as_many_workers_as_wait_and_two_that_stand_ready(monkeypatch):
    """The first request starts two, so that one client's question leaves a worker for the next; more wait for more."""
    started: list[str] = []
    thread = SimpleNamespace(start=lambda: started.append("thread"))
    monkeypatch.setattr(workers.threading, "Thread", lambda **_: thread)
    made = workers.Pool(size=3)
    counts = []
    for _ in range(5):
        made.submit(None)
        counts.append(len(started))
    assert counts == [2, 2, 3, 3, 3]
    assert workers.Pool(size=1).submit(None) and len(started) == 4
