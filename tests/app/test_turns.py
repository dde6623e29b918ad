"""Clients take turns: the lines of requests before workers and page makers."""

from __future__ import annotations

from cutaway.app.render.turns import Turns


def taken(turns: Turns, at_once: int = 9) -> list[str]:
    """Everything that may be at work, in the order in which it is taken."""
    found = []
    while turn := turns.take(at_once):
        found.append(turn[1])
    return found


def full(*requests: str) -> Turns:
    """Lines of requests, each called after its client."""
    turns: Turns = Turns(most=100, each=100)
    assert all(turns.add(request[0], request) for request in requests)
    return turns


def test_each_client_has_one_turn_before_any_has_a_second():
    """Each client's own requests stay in the order in which they were asked."""
    assert taken(full("a1", "a2", "a3", "b1", "c1", "b2")) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_a_client_has_no_more_at_work_than_it_may():
    """The rest waits until one is done, also where nobody else asks."""
    turns = full("a1", "a2", "a3", "b1")
    assert taken(turns, 1) == ["a1", "b1"]
    turns.done("b")
    assert taken(turns, 1) == []
    turns.done("a")
    assert taken(turns, 1) == ["a2"]
    assert taken(turns, 2) == ["a3"]


def test_lines_have_an_end():
    """So many wait in all, and so many of one client; what is taken or dropped makes room."""
    turns: Turns = Turns(most=3, each=2)
    assert [turns.add("a", request) for request in ("a1", "a2", "a3")] == [True, True, False]
    assert [turns.add("b", request) for request in ("b1", "b2")] == [True, False]
    assert len(turns) == 3
    turns.drop("a1")
    assert turns.add("c", "c1")
    assert taken(turns) == ["a2", "b1", "c1"]
    turns.drop("a2")  # at work already: no line has it
    assert (len(turns), turns.add("d", "d1")) == (0, True)


def test_nothing_is_kept_of_a_client_who_has_gone():
    """A server that runs for a year remembers nobody."""
    turns = full("a1", "b1")
    turns.drop("b1")
    taken(turns)
    turns.done("a")
    assert (dict(turns.lines), dict(turns.at_work)) == ({}, {})
