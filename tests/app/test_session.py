"""The workbench's session without a browser: what it says and shows when its reader acts, workers answer or refuse."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from cutaway.app.compare.request import MOST_PASTED
from cutaway.app.render import job, workers
from cutaway.app.render.job import Refusal
from cutaway.app.site import Site
from cutaway.app.workbench import hub_queue, session
from cutaway.app.workbench.plot import CONTEXTS as PLOTTED
from cutaway.gallery.hub.repo_address import HubError
from tests.gallery.fake_hub import CONFIG

SITE = Site(live=True)
V3, QWEN = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-8B"


class Pool:
    """Workers that answer when a test says so."""

    def __init__(self) -> None:
        self.asked: list[tuple] = []
        self.cancelled: list[Future] = []

    def submit(self, request, client) -> Future:
        self.asked.append((request, Future()))
        return self.asked[-1][1]

    def cancel(self, future: Future) -> None:
        self.cancelled.append(future)

    def answer(self, found=None) -> None:
        """The last request's drawing, or what is given."""
        request, future = self.asked[-1]
        future.set_result(job.draw(request) if found is None else found)


class Asked:
    """The Hub's queue, which answers when a test says so."""

    def __init__(self) -> None:
        self.futures: list[Future] = []
        self.dropped = 0

    def ask(self, reader, wanted: str, token: bool) -> Future:
        self.futures.append(Future())
        return self.futures[-1]

    def drop(self, reader) -> None:
        self.dropped += 1


@pytest.fixture
def pool(monkeypatch) -> Pool:
    made = Pool()
    monkeypatch.setattr(workers, "pool", lambda: made)
    return made


@pytest.fixture
def hub(monkeypatch) -> Asked:
    made = Asked()
    monkeypatch.setattr(session, "HUB_QUEUE", made)
    return made


def opened(search: str = "") -> session.Session:
    """A session whose page is open; what its document would call at the next tick is called at once."""
    document = SimpleNamespace(
        add_next_tick_callback=lambda call: call(), on_session_destroyed=lambda call: None, session_context=None
    )
    made = session.Session(SITE, search, document)
    made.start()
    made.loaded()
    return made


def paste(made: session.Session, text, turn: int = 1, more: str = "") -> None:
    made.bench.pasted = {"text": text, "turn": turn}
    made.bench.search = f"?pasted={turn}{more}"


def test_a_catalogued_model_stands_there_at_once(pool, hub):
    """No worker draws it and nobody is asked; the page gets a worker ready for what may be pasted."""
    bench = opened(f"?model={QWEN}").bench
    assert (bench.title, bench.status, bench.busy, bench.error) == ("Qwen3 8B", "Qwen3 8B is drawn.", False, "")
    assert [request for request, _ in pool.asked] == [None] and hub.futures == []
    assert bench.context == 131_072 and {"result", "more", "figures"} <= bench.html.keys()


def test_an_address_of_a_text_that_this_session_never_got_shows_the_model_it_names(pool, hub):
    """The first text that a page pastes has turn 1: a new session, which knows none, is asked for no config."""
    for search, slug in (("?pasted=1", V3), (f"?pasted=1&model={QWEN}", QWEN)):
        bench = opened(search).bench
        assert (bench.title, bench.error, bench.busy) == (SITE.view(slug).title, "", False)
    assert {request for request, _ in pool.asked} == {None}


def test_a_change_of_what_stands_beside_is_said(pool, hub):
    """Names and context in a sentence; what is moved back is drawn, and nothing beside is nothing."""
    made = opened(f"?model={QWEN}&vs={V3}")
    made.bench.search = f"?model={QWEN}&vs={V3}&context=8192"
    assert made.bench.status == "Qwen3 8B beside DeepSeek V3, at 8,192 tokens." and made.bench.context == 8192
    assert made.plot.mark.location == 8192
    made.bench.search = f"?model={QWEN}&vs=none&context=8192"
    assert made.bench.status == "Qwen3 8B beside nothing, at 8,192 tokens."
    made.bench.search = f"?vs=none&model={QWEN}&context=8192"
    assert made.bench.status == "Qwen3 8B is drawn."
    assert len(pool.asked) == 1


def test_a_model_beside_itself_is_one_line(pool, hub):
    """The same model twice has one line in the plot and one row in the table."""
    made = opened(f"?model={QWEN}&vs={QWEN},{V3}")
    assert [item.label.value for item in made.plot.legend.items] == ["Qwen3 8B", "DeepSeek V3"]


def test_a_pasted_config_is_drawn_by_a_worker(pool, hub):
    """Busy until it answers; the request has every context of the plot and the one that is asked for."""
    made = opened(f"?model={QWEN}&context=1234")
    paste(made, CONFIG, more="&context=1234")
    assert made.bench.busy and made.bench.status == "Drawing your config …" and made.bench.title == "Qwen3 8B"
    request, _ = pool.asked[-1]
    assert set(request.contexts) == {*PLOTTED, 8192, 32_768, 131_072, 262_144, 2**20, 1234}
    assert list(request.contexts) == sorted(request.contexts)
    pool.answer()
    assert (made.bench.busy, made.bench.title, made.bench.status) == (False, "Your config", "Your config is drawn.")


def test_another_context_is_counted_by_a_worker_again(pool, hub):
    """A drawn config knows its bytes at some contexts; at another one it is asked for once more."""
    made = opened()
    paste(made, CONFIG)
    pool.answer()
    many = len(pool.asked)
    made.bench.search = "?pasted=1&context=8192"
    assert len(pool.asked) == many and made.bench.context == 8192
    made.bench.search = "?pasted=1&context=5000"
    assert len(pool.asked) == many + 1 and 5000 in pool.asked[-1][0].contexts
    pool.answer()
    assert made.bench.context == 5000 and not made.bench.busy


def test_an_answer_that_nobody_waits_for_is_dropped(pool, hub):
    """A reader who pastes again, or opens a catalogued model meanwhile, never sees the first answer."""
    made = opened()
    paste(made, CONFIG)
    _, first = pool.asked[-1]
    made.bench.search = f"?model={QWEN}"
    assert pool.cancelled == [first] and made.bench.title == "Qwen3 8B" and not made.bench.busy
    first.set_result(job.draw(job.Request(CONFIG, "Late", "", tuple(PLOTTED))))
    assert made.bench.title == "Qwen3 8B"


@pytest.mark.parametrize(("characters", "drawn"), [(MOST_PASTED, True), (MOST_PASTED + 1, False)])
def test_a_text_may_have_five_million_characters(pool, hub, characters, drawn):
    """One more is refused here; what stood there stays."""
    made = opened(f"?model={QWEN}")
    paste(made, "x" * characters)
    assert (len(pool.asked) == 2) is drawn and made.bench.busy is drawn
    assert drawn or made.bench.error == "That text has 5,000,001 characters; more than 5,000,000 are not read."
    assert made.bench.title == "Qwen3 8B"
    assert bool(made.bench.instead) is not drawn


def test_a_text_that_is_no_config_leaves_what_stands_here_to_be_edited(pool, hub):
    """The sentence is shown; `instead` names the model that stands below it, and another text takes it away."""
    made = opened(f"?model={QWEN}")
    paste(made, "nonsense")
    pool.answer(Refusal("No JSON.", unread=True))
    assert (made.bench.error, made.bench.busy, made.bench.status) == ("No JSON.", False, "")
    assert made.bench.instead == {"model": QWEN, "pasted": 0} and made.bench.title == "Qwen3 8B"
    made.bench.again += 1
    assert made.bench.busy and made.bench.instead == {} and len(pool.asked) == 3
    pool.answer(Refusal("Too many layers."))
    assert made.bench.error == "Too many layers." and made.bench.instead == {}


def test_pressing_draw_where_nothing_is_wrong_does_nothing(pool, hub):
    """Only a sentence is tried again."""
    made = opened(f"?model={QWEN}")
    made.bench.again += 1
    assert len(pool.asked) == 1 and not made.bench.busy


def test_edits_that_are_refused_leave_the_plain_one(pool, hub):
    """The sentence stands above the model as it was; where it stands already it is not drawn again."""
    made = opened(f"?model={QWEN}")
    made.bench.search = f"?model={V3}&edit=layers:0"
    assert made.bench.busy and pool.asked[-1][0].edits == "layers:0"
    pool.answer(Refusal("At least one layer."))
    assert made.bench.error == "At least one layer." and made.bench.title == "DeepSeek V3" and not made.bench.busy
    many = len(pool.asked)
    made.bench.search = f"?model={V3}&edit=layers:0&x=1"
    made.bench.search = f"?model={V3}&edit=layers:-1"
    pool.answer(Refusal("Not fewer than one."))
    assert len(pool.asked) == many + 1 and made.bench.error == "Not fewer than one."


def test_refused_edits_of_a_pasted_config_leave_it_as_it_was_pasted(pool, hub):
    """A worker is asked for the plain one."""
    made = opened()
    paste(made, CONFIG, more="&edit=layers:0")
    pool.answer(Refusal("At least one layer."))
    assert pool.asked[-1][0].edits == "" and made.bench.busy
    pool.answer()
    assert made.bench.title == "Your config" and made.bench.error == "At least one layer."


def test_a_worker_that_was_stopped_is_a_sentence(pool, hub):
    """What stood there stays."""
    made = opened(f"?model={QWEN}")
    paste(made, CONFIG)
    pool.asked[-1][1].set_exception(workers.Stopped("It took too long."))
    assert (made.bench.error, made.bench.busy, made.bench.title) == ("It took too long.", False, "Qwen3 8B")


def test_a_name_that_is_not_here_is_asked_of_the_hub(pool, hub):
    """The page begins with ours and says so; an answer is drawn by a worker, a problem is a sentence."""
    made = opened("?model=some/body")
    assert (
        made.bench.title == "DeepSeek V3" and made.bench.busy and made.bench.status == "Asking the Hub for some/body …"
    )
    hub.futures[-1].set_result(SimpleNamespace(config=CONFIG, repo="some/body", source="From the Hub."))
    assert made.bench.status == "Drawing some/body …"
    pool.answer()
    assert made.bench.title == "some/body" and not made.bench.busy
    made.bench.search = "?model=no/body"
    hub.futures[-1].set_exception(HubError("missing", "There is none."))
    assert made.bench.error == "There is none." and made.bench.title == "some/body"


def test_an_answer_of_the_hub_to_an_earlier_question_is_dropped(pool, hub):
    """Whoever asked for another model meanwhile sees that one alone."""
    made = opened("?model=some/body")
    first, dropped = hub.futures[-1], hub.dropped
    made.bench.search = f"?model={QWEN}"
    assert hub.dropped == dropped + 1
    first.set_result(SimpleNamespace(config=CONFIG, repo="some/body", source=""))
    assert made.bench.title == "Qwen3 8B" and len(pool.asked) == 1


def test_a_reader_who_leaves_stops_what_is_drawn(pool, hub):
    """The worker is told, the Hub's answer is not waited for, and what still comes is not shown."""
    made = opened()
    paste(made, CONFIG)
    _, future = pool.asked[-1]
    made._left(None)
    assert pool.cancelled == [future] and hub.dropped >= 1
    future.set_result(job.draw(job.Request(CONFIG, "Late", "", tuple(PLOTTED))))
    assert made.bench.title == "DeepSeek V3"


def test_a_ping_comes_back(pool, hub):
    """The page counts what its reader did, and the session says how far it has heard it."""
    made = opened()
    made.bench.ping = 7
    assert made.bench.pong == 7


# ---------------------------------------------------------------- answers that came a moment ago


def test_an_answer_is_kept_for_a_minute_and_the_oldest_goes(monkeypatch):
    """Sixty seconds, at most 64 of them, and no very long one."""
    now = [0.0]
    monkeypatch.setattr(hub_queue.time, "monotonic", lambda: now[0])
    made = hub_queue.HubQueue()
    for key in range(hub_queue.KEPT + 1):
        made._keep(key, key)
    assert list(made.kept) == list(range(1, hub_queue.KEPT + 1)) and len(made.kept) == 64
    now[0] = 59.9
    made._keep("new", 0)
    assert 2 in made.kept
    now[0] = 60.0
    made._keep("newer", 0)
    assert list(made.kept) == ["new", "newer"]
    made._keep("long", "x" * hub_queue.KEPT_CHARACTERS)
    assert "long" not in made.kept
    made._keep("short", "x" * (hub_queue.KEPT_CHARACTERS - 2))
    assert "short" in made.kept
