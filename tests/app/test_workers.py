"""Drawings in worker processes: the time limit, the memory limit, workers that die, and readers who go away."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from cutaway.app.render import job as drawn
from cutaway.app.render import workers
from cutaway.app.render.job import Refusal, RenderedModel, Request
from tests.gallery.fake_hub import CONFIG

pytestmark = pytest.mark.whole  # each waits for a process that begins, ends, or is in no hurry
STRANGE = (sys.executable, "-m", "tests.app.strange_worker")
CONTEXTS = (1024, 131072)


def request(*test, **config) -> Request:
    return Request({**CONFIG, **config, **({"test": list(test)} if test else {})}, "A title", "A source", CONTEXTS)


@pytest.fixture(scope="module")
def pool():
    return workers.Pool(STRANGE, size=2, seconds=60)


@pytest.fixture
def hasty():
    return workers.Pool(STRANGE, size=1, seconds=1)


@pytest.fixture
def single():
    return workers.Pool(STRANGE, size=1, seconds=60)


def answer(pool, *test, **config):
    return pool.submit(request(*test, **config)).result(60)


def pid(pool) -> int:
    return int(answer(pool, "pid").sentence)


def gone(process: int) -> bool:
    """Whether the process has ended, soon."""
    for _ in range(300):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_a_worker_draws_what_this_process_would_draw(pool):
    """Markup and bytes are the same, whoever works them out."""
    assert answer(pool) == drawn.draw(request())
    assert answer(pool).memory(1024).total_bytes < answer(pool).memory(131072).total_bytes


def test_text_is_read_in_the_worker(pool):
    """Half a JSON text is a sentence from the worker, and a lone surrogate travels."""
    assert "breaks off" in pool.submit(Request('{"a":', "t", "s")).result(60).sentence
    drawn = pool.submit(Request(json.dumps(CONFIG)[:-1] + ",}", "t", "Pasted here.", CONTEXTS)).result(60)
    assert "Pasted here. 1 trailing comma was passed over, the first at line 1" in drawn.html["result"]
    text = json.dumps({**CONFIG, "a\ud800": 1}, ensure_ascii=False)
    assert not isinstance(pool.submit(Request(text, "t", "s", CONTEXTS)).result(60), Refusal)


def test_at_the_time_limit_there_is_a_sentence_and_the_next_config_is_drawn(hasty):
    """What takes too long is stopped, with what happened and what to do; the worker is replaced."""
    with pytest.raises(workers.Stopped, match=r"more than 1 seconds .* `cutaway draw`"):
        answer(hasty, "sleep", 600)
    hasty.seconds = 60
    assert isinstance(answer(hasty), RenderedModel)


def test_a_call_that_lets_no_thread_run_is_stopped_too(hasty):
    """The limit is the system's: it also ends a regular expression that would run for hours."""
    with pytest.raises(workers.Stopped, match="more than 1 seconds"):
        answer(hasty, "hold")


def test_one_slow_drawing_holds_up_nobody(pool):
    """While one config is slow, another is drawn; a reader who goes away stops the slow one."""
    slow = pool.submit(request("sleep", 600))
    assert isinstance(answer(pool), RenderedModel) and not slow.done()
    pool.cancel(slow)
    with pytest.raises(workers.Stopped, match="Nobody waits"):
        slow.result(60)
    assert isinstance(answer(pool), RenderedModel)


def test_one_client_leaves_a_worker_for_the_next(pool):
    """Of eight slow configs of one client one is at work: another's is drawn at once, and all are let go."""
    slow = [pool.submit(request("sleep", 600), "greedy") for _ in range(8)]
    assert isinstance(pool.submit(request(), "quick").result(60), RenderedModel)
    assert sum(one.running() for one in slow) == 1
    for one in reversed(slow):
        pool.cancel(one)
    assert [one.cancelled() for one in slow] == [False] + [True] * 7


def test_one_client_has_so_many_in_line(single):
    """One more is refused with their number, while another's still has a place."""
    slow = [single.submit(request("sleep", 600), "greedy") for _ in range(workers.PER_CLIENT_LINE + 2)]
    with pytest.raises(workers.Stopped, match=r"^16 of your configs are already waiting"):
        slow[-1].result(60)
    waiting = single.submit(request(), "quick")
    assert not waiting.done()
    for one in reversed(slow[:-1]):
        single.cancel(one)
    assert isinstance(waiting.result(60), RenderedModel)


def test_idle_workers_end_but_for_two():
    """After a burst the memory of the others is given back; the next request finds a worker ready."""
    made = workers.Pool(STRANGE, size=4, seconds=60, idle=0.2)
    slow = [made.submit(request("sleep", 0.5)) for _ in range(4)]
    for one in slow:
        one.result(60)
    pids = {pid(made) for _ in range(4)}
    for _ in range(200):
        if (made._threads, made._free) == (2, 2):
            break
        time.sleep(0.05)
    assert (made._threads, made._free) == (2, 2)
    assert len({pid(made) for _ in range(6)} & pids) >= 1
    assert isinstance(answer(made), RenderedModel)


def test_a_request_that_was_cancelled_before_its_worker_began_is_stopped(single):
    """Withdrawn while its worker starts, or while it waits in the line: it is never drawn, and holds up nobody."""
    first, second = single.submit(request("sleep", 600)), single.submit(request("sleep", 600))
    while not first.running():
        time.sleep(0.001)
    single.cancel(second)
    single.cancel(first)
    assert second.cancelled()
    with pytest.raises(workers.Stopped, match="Nobody waits"):
        first.result(60)
    assert isinstance(answer(single), RenderedModel)


def test_a_line_that_is_too_long_is_refused_at_once():
    """More than `line` waiting requests get their sentence without waiting."""
    full = workers.Pool(STRANGE, size=1, line=0)
    with pytest.raises(workers.Stopped, match="The server is busy: 0 configs"):
        full.submit(request()).result(0)


def test_a_worker_that_was_killed_is_replaced(single):
    """Killed while idle, the next request does not notice; dead at work, the reader is told."""
    first = pid(single)
    os.kill(first, signal.SIGKILL)
    assert pid(single) != first
    with pytest.raises(workers.Stopped, match="ended before it was done"):
        answer(single, "die")
    assert isinstance(answer(single), RenderedModel)


def test_what_anything_prints_is_no_answer(pool):
    """Standard output belongs to the answers; a stray print goes to the log."""
    assert isinstance(answer(pool, "print"), RenderedModel)


def test_a_worker_that_cannot_start_is_a_sentence():
    """No program, or one that ends at once: the reader is told, nothing waits."""
    for command in (("/no/such/program",), (sys.executable, "-c", "pass")):
        with pytest.raises(workers.Stopped, match="ended before it was done"):
            workers.Pool(command, size=1).submit(request()).result(60)


def test_what_nests_too_deeply_to_travel_is_a_sentence(pool):
    """A thousand levels cannot be sent to a worker; the pool lives on."""
    deep: dict = {}
    for _ in range(900):
        deep = {"a": deep}
    with pytest.raises(workers.Stopped, match="nests too deeply"):
        answer(pool, deep=deep)


def test_a_page_is_never_sent_more_than_it_can_show():
    """A config with keys without end is refused, with how much its page would hold."""
    refused = drawn.answer(request(**{f"key_{index:09}": 1 for index in range(150_000)}))
    assert re.match(r"This config's drawing has \d,\d{3},\d{3} characters; a page shows 4,000,000\.", refused.sentence)


@pytest.mark.skipif(sys.platform != "linux", reason="no limit on address space elsewhere")
def test_memory_ends_at_a_sentence():
    """A config that needs more memory than a worker may have is refused; another process draws the next."""
    script = "from cutaway.app.render import worker; worker.limit_memory.__defaults__ = ({},); worker.main()"
    small = workers.Pool((sys.executable, "-c", script.format(100 << 20)), size=1)
    big = request(num_hidden_layers=9_000, vocab_size=1000)
    big.config["padding"] = "x" * (30 << 20)
    text = json.dumps(big.config)
    try:
        found = small.submit(big._replace(config=text)).result(60)
        assert "more than 384 MiB of memory" in found.sentence and found.last
    except workers.Stopped as stopped:
        assert "ended before" in str(stopped)
    assert isinstance(small.submit(request()).result(60), RenderedModel)


@pytest.mark.parametrize("way", ["killed", "ended"])
def test_workers_end_with_their_server(way):
    """Whether the server is killed or ends by itself, it waits for nobody: an idle worker and a busy one end too."""
    script = (
        "from tests.app.test_workers import *\n"
        "pool = workers.Pool(STRANGE, size=2, seconds=600)\n"
        "slow = pool.submit(request('sleep', 600))\n"
        "while slow not in pool._running: time.sleep(0.001)\n"
        "print(pool._running[slow].process.pid, pid(pool), flush=True); sys.stdin.readline()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    server = subprocess.Popen([sys.executable, "-c", script], cwd=workers.ROOT, **pipes)
    pids = [int(text) for text in server.stdout.readline().split()]
    assert len(set(pids)) == 2
    if way == "killed":
        server.kill()
    server.communicate(timeout=60)
    assert all(gone(one) for one in pids)


def test_a_worker_retires(monkeypatch):
    """After its last answer a worker says so, and the next request finds a fresh one."""
    script = "from cutaway.app.render import worker; worker.ANSWERS = 2; from tests.app.strange_worker import *; "
    script += "worker.main(strange)"
    pool = workers.Pool((sys.executable, "-c", script), size=1)
    first, second, third = pid(pool), pid(pool), pid(pool)
    assert first == second != third and gone(first)


def test_a_ready_worker_can_be_asked_for(single):
    """None starts a worker and draws nothing."""
    assert single.submit(None).result(60) is None
    assert isinstance(answer(single), RenderedModel)


@pytest.mark.parametrize(("at_once", "threads", "starting"), [(1, 1, 0), (1, 2, 0), (2, 3, 0), (1, 3, 1), (1, 3, 3)])
def test_one_client_leaves_a_worker_that_is_ready(at_once, threads, starting):
    """Two requests of one client are at work only where a third worker is ready; one that still starts is not."""
    pool = workers.Pool(size=3)
    pool._threads, pool._starting = threads, starting
    assert at_once == pool._at_once()


def test_a_worker_that_stands_ready_waits_for_its_whole_time():
    """At 50 ms each, half a second has ten waits a thread, and no loop that asks all the time."""
    idle = workers.Pool(("/no/such/program",), size=2, idle=0.05)
    asked, take = [], idle._turns.take
    idle._turns.take = lambda most: asked.append(most) or take(most)
    with pytest.raises(workers.Stopped):
        idle.submit(request()).result(60)
    asked.clear()
    time.sleep(0.5)
    assert 2 <= len(asked) <= 30 and idle._threads == workers.READY
