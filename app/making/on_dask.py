"""Models -> their files as they come, from the workers of a Dask cluster.

At most `AHEAD` results a worker are asked for before earlier ones are taken, so that memory does not grow with the
number of models. A worker that dies is replaced by Dask, and what it had is asked for again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import Any

from cutaway.app.making.parts import Parts
from cutaway.app.making.step import Files, Settings, model_files

AHEAD = 2  # results a worker
PATIENCE = 10  # seconds for a scheduler to answer


class NoCluster(Exception):
    """Dask is not installed, or nobody answers at the scheduler's address."""


def made(slugs: list[str], settings: Settings, parts: Parts | None, **cluster) -> Iterator[Files]:
    """The files of each model: first those that an earlier build kept; the others are kept for a later build."""
    missing = []
    for slug in slugs:
        if parts and (kept := parts.read(slug)):
            yield kept
        else:
            missing.append(slug)
    for slug, files in mapped(model_files, missing, settings, **cluster) if missing else ():
        if parts:
            parts.write(slug, files)
        yield files


def mapped(work: Callable[..., Any], over: Iterable, *same: Any, scheduler: str = "", workers: int = 1) -> Iterator:
    """(argument, result) in the order in which they are ready; without a scheduler, workers of this machine."""
    try:
        from distributed import as_completed
    except ImportError:
        raise NoCluster("--executor dask needs Dask: pip install 'cutaway[dask]'.") from None
    todo = iter(over)
    with closing(connected(scheduler, workers)) as client:
        count = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
        begun = {client.submit(work, one, *same, pure=False): one for one in islice(todo, AHEAD * count)}
        ready = as_completed(begun)
        for future in ready:
            result = future.result()
            for one in islice(todo, 1):
                begun[new := client.submit(work, one, *same, pure=False)] = one
                ready.add(new)
            yield begun.pop(future), result


def connected(scheduler: str, workers: int):
    """A client of the scheduler, or of a cluster of one-threaded processes that ends with it."""
    from distributed import Client

    try:
        if scheduler:
            return Client(scheduler, timeout=PATIENCE)
        return Client(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)
    except (OSError, ValueError, TimeoutError) as fault:
        where = scheduler or "this machine"
        raise NoCluster(f"No Dask scheduler at {where} ({fault}): start one with `dask scheduler`.") from None
