"""The desk where sessions ask the Hub, with a Hub on loopback that answers slowly, and through the live workbench."""

from __future__ import annotations

import time
from concurrent.futures import CancelledError, wait

import pytest

from cutaway.app.workbench import hub_queue
from cutaway.app.workbench.hub_queue import HubQueue
from cutaway.gallery.hub.repo_address import HubError
from tests.app.conftest import served
from tests.app.reader import Reader, finished
from tests.gallery.fake_hub import CONFIG, fake_hub

SLOW = [f"slow{number}/x" for number in range(8)]


@pytest.fixture
def server(monkeypatch, tmp_path):
    with fake_hub() as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
        yield running


def until(holds, seconds: float = 20.0) -> None:
    """Until it holds; a slow machine gets its time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_many_who_ask_the_same_cost_one_request(server):
    """Eight readers at once, and one a little later, get the same config for one download."""
    desk = HubQueue()
    asked = [desk.ask(reader, "meta/llama", False) for reader in range(8)]
    assert [one.result(20).config for one in asked] == [CONFIG] * 8
    before = sum(server.seen.values())
    assert desk.ask(9, "https://huggingface.co/meta/llama", False).result(20).config == CONFIG
    assert (server.seen["GET meta config.json"], sum(server.seen.values())) == (1, before)


def test_an_answer_with_the_token_is_not_given_to_who_has_none(server, monkeypatch):
    """What was kept for a reader of this machine is asked for again, without the token, for a visitor."""
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_owner")
    desk = HubQueue()
    assert desk.ask("owner", "secret/x", True).result(20).config == CONFIG
    with pytest.raises(HubError, match="is gated"):
        desk.ask("visitor", "secret/x", False).result(20)


def test_a_kept_answer_grows_old(server, monkeypatch):
    """After its time the Hub is asked again."""
    monkeypatch.setattr(hub_queue, "KEPT_SECONDS", 0.0)
    desk = HubQueue()
    for _ in range(2):
        desk.ask(1, "meta/llama", False).result(20)
    assert server.seen["HEAD meta config.json"] >= 2


def test_little_is_kept(server, monkeypatch):
    """So many answers and no more, the oldest gone first; a very large one is not kept at all."""
    monkeypatch.setattr(hub_queue, "KEPT", 2)
    desk = HubQueue()
    for repo in ("a/x", "b/x", "c/x"):
        desk.ask(1, repo, False).result(20)
    assert [key[0].repo for key in desk.kept] == ["b/x", "c/x"]
    monkeypatch.setattr(hub_queue, "KEPT_CHARACTERS", 10)
    desk.ask(1, "d/x", False).result(20)
    assert [key[0].repo for key in desk.kept] == ["b/x", "c/x"]


def test_asking_again_drops_what_was_asked_before(server):
    """Of eight slow models in a row only the last is waited for; the Hub sees the others hung up."""
    desk = HubQueue()
    asked = [desk.ask("reader", repo, False) for repo in SLOW]
    assert [one.cancelled() for one in asked] == [True] * 7 + [False]
    until(lambda: len(desk.flights) == 1 and desk.flights[0].gone and server.waiting == 1)
    desk.drop("reader")
    until(lambda: desk.flights == [] and server.waiting == 0)
    with pytest.raises(CancelledError):
        asked[-1].result(0)


def test_a_request_goes_on_while_somebody_waits(server):
    """Two asked for it and one left: the other still gets the answer."""
    desk = HubQueue()
    asked = {reader: desk.ask(reader, "slow/x", False) for reader in (1, 2)}
    assert len(desk.flights) == 1
    desk.drop(1)
    assert (asked[1].cancelled(), asked[2].done(), desk.flights[0].dropped.is_set()) == (True, False, False)
    desk.drop(2)
    until(lambda: desk.flights == [])


def test_a_dropped_request_is_not_joined(server):
    """Who asks for what is just being hung up gets a request that is not."""
    desk = HubQueue()
    desk.ask(1, "slow/x", False)
    desk.drop(1)
    again = desk.ask(1, "slow/x", False)
    until(lambda: [flight.dropped.is_set() for flight in desk.flights] == [False])
    assert not again.done()
    desk.drop(1)
    until(lambda: desk.flights == [])


class Held:
    """A fetch in the Hub's place: it counts who is under way and answers when told, dropped or not."""

    def __init__(self, monkeypatch) -> None:
        import threading

        self.go, self.now, self.most, self.lock = threading.Event(), 0, 0, threading.Lock()
        monkeypatch.setattr(hub_queue.hub, "fetch", self)

    def __call__(self, wanted, *, token, dropped):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.go.wait(20)
        with self.lock:
            self.now -= 1
        return wanted


def test_a_reader_has_two_requests_under_way_and_a_server_so_many(monkeypatch):
    """A Hub that cannot even be hung up on is asked no more than this; the rest waits its turn."""
    held = Held(monkeypatch)
    desk = HubQueue(per_reader=2, at_once=5)
    asked = [desk.ask("reader", repo, False) for repo in SLOW]
    until(lambda: held.now == 2)
    others = [desk.ask(reader, f"other/{reader}", False) for reader in range(6)]
    until(lambda: held.now == 5)
    held.go.set()
    assert not wait([asked[-1], *others], 20).not_done
    assert (asked[-1].result(), [one.result() for one in others]) == (SLOW[-1], [f"other/{n}" for n in range(6)])
    assert (held.most, desk.flights) == (5, [])


def test_a_fault_reaches_everybody_who_asked_and_is_not_kept(server):
    """A sentence each; the next who asks causes a new request."""
    desk = HubQueue()
    for asked in [desk.ask(reader, "gone/x", False) for reader in (1, 2)]:
        with pytest.raises(HubError, match="There is no gone/x"):
            asked.result(20)
    assert desk.kept == {}


def test_nonsense_is_refused_without_a_request(server):
    """What is no address costs nobody anything, and still drops what was asked before."""
    desk = HubQueue()
    before = desk.ask(1, "slow/x", False)
    with pytest.raises(HubError, match="is not a repo id"):
        desk.ask(1, "a b", False).result(0)
    assert before.cancelled()


# ---------------------------------------------------------------- the live workbench


async def _drawn(reader: Reader, repo: str) -> float:
    """Seconds until a model is drawn."""
    start = time.monotonic()
    await reader.draw(repo)
    await reader.until("status", lambda words: words == f"{repo} is drawn.")
    return time.monotonic() - start


async def _greedy_and_quick(url: str) -> tuple[float, float]:
    """Seconds that a reader waits for a fast model alone, and while another has asked for eight slow ones."""
    async with Reader(url) as greedy, Reader(url) as quick:
        await _drawn(quick, "earlier/model")  # so that a worker is there, and what it imports
        alone = await _drawn(quick, "alone/model")
        for repo in SLOW:
            await greedy.draw(repo)
        await greedy.until("status", lambda words: words and SLOW[-1] in words)
        return alone, await _drawn(quick, "quick/model")


@pytest.mark.whole
def test_one_reader_does_not_keep_another_from_the_hub(tmp_path):
    """Eight slow models of one reader leave another's fast one as fast; a closed page ends its request at the Hub."""
    with fake_hub() as hub:
        command = ("--unused-session-lifetime", "200", "--check-unused-sessions", "100")
        with served(*command, log=tmp_path / "log", hub=hub.url) as (url, _):
            alone, beside = finished(_greedy_and_quick(url))
            assert beside < 8 + 4 * alone  # 0.1 s on a quiet machine; four slow ones at once used to take 10
            until(lambda: hub.waiting == 0, 8)
            assert 1 <= hub.seen["hung up"] <= len(SLOW)
    assert "Traceback" not in (tmp_path / "log").read_text()
