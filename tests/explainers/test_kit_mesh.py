"""The mesh in JavaScript is gallery/mesh: the same groups, links, schedules, values and log, over every small case."""

import json

import numpy as np

from cutaway.gallery.mesh import ALGORITHMS, OPERATIONS, Mesh, Network, schedule
from tests import bundled

FLAT = ALGORITHMS[:3]
PLANS = [(op, a, n, root, 0) for op in OPERATIONS for a in FLAT for n in range(1, 10) for root in {0, n // 2}]
PLANS += [
    (op, "hierarchical", n, root, local)
    for op in OPERATIONS
    for n in range(1, 13)
    for local in range(1, n + 1)
    for root in {0, n // 2}
    if n % local == 0
]
MESHES = [
    ({"pp": 2, "dp": 2, "cp": 3, "tp": 2}, 8, {"edp": 2, "ep": 6, "etp": 1}),
    ({"dp": 4, "tp": 2}, 4, {"edp": 1, "ep": 4, "etp": 2}),
    ({"tp": 1}, 1, {}),
    ({"dp_replicate": 2, "dp_shard": 3}, 3, {}),
    ({"dp": 3, "tp": 2}, 4, {}),
]
# axes and devices of a node, then calls: what, along which axis, by which algorithm, rows and columns of a part
RUNS = [
    ({"dp": dp, "tp": tp}, node, axis, algorithm, size)
    for dp, tp, node in ((1, 2, 2), (2, 2, 2), (2, 3, 3), (3, 2, 6), (1, 5, 5), (4, 1, 2), (1, 6, 3))
    for axis in ("dp", "tp")
    for algorithm in ALGORITHMS
    for size in ((60, 2), (60, 1))
]

TWO = "kit.makeNetwork(kit.makeMesh({ tp: 2 }, 2))"
LOADED = "const { kit } = loaded;"
PLANNED = f"""(all) => {{ {LOADED} return JSON.stringify(all.map(([op, algorithm, n, root, local]) => {{
  const plan = kit.makeSchedule(op, algorithm, n, root, local);
  return [plan.order, plan.steps.map((s) => [s.phase, s.frees, s.first,
    s.sends.map((x) => [x.source, x.destination, x.chunk, x.into, x.adds])])];
}})); }}"""
GROUPED = f"""(all) => {{ {LOADED} return JSON.stringify(all.map(([axes, per_node, experts]) => {{
  const mesh = kit.makeMesh(axes, per_node, experts);
  const names = [...Object.keys(axes), ...Object.keys(experts), "none"];
  const row = (axis) => [mesh.length(axis), mesh.groups(axis), mesh.ranks.map((r) => mesh.place(r, axis)),
    mesh.groups(axis).map(mesh.neighbours)];
  return [mesh.size, names.map(row), mesh.ranks.map((r) => mesh.ranks.map((s) => mesh.link(r, s)))];
}})); }}"""
RAN = f"""(all) => {{ {LOADED} return JSON.stringify(all.map(([axes, node, axis, algorithm, [rows, columns]]) => {{
  const net = kit.makeNetwork(kit.makeMesh(axes, node), algorithm);
  const {{ ranks, group, place, length }} = net.mesh;
  const row = (rank, i) => Float64Array.from(kit.upto(columns), (j) => (rank + 1) * 64 + i * columns + j);
  const part = (rank) => kit.upto(rows).map((i) => row(rank, i));
  const by_rank = (fn) => Object.fromEntries(ranks.map((rank) => [rank, fn(rank)]));
  const [parts, n] = [by_rank(part), length(axis)];
  const uneven = by_rank((r) => kit.upto(n).map((j) => part(r).slice(0, (r + 2 * j) % 4)));
  const next = by_rank((r) => group(r, axis)[(place(r, axis) + 1) % n]);
  const made = [
    net.all_gather(parts, axis, "a"), net.reduce_scatter(parts, axis, "b"), net.all_reduce(parts, axis, "c"),
    net.all_to_all(uneven, axis, "d", algorithm), net.broadcast(parts, axis, "e", n - 1),
    net.send(parts, next, axis, "f"), net.all_reduce(by_rank((r) => Float64Array.from([r, 1, 2])), axis, "g"),
  ];
  return [made, net.log.map((m) => Object.values(m)), net.time()];
}}), (key, value) => (ArrayBuffer.isView(value) ? [...value] : value)); }}"""


def asked(blank, script: str, cases: list) -> list:
    """What the kit's mesh says of every case."""
    page = blank(bundled.kit())
    return json.loads(page.evaluate(script, cases))


def plain(x):
    """Arrays and tuples as lists, whole keys as words."""
    return json.loads(json.dumps(x, default=lambda a: a.tolist()))


def ran(axes: dict, node: int, axis: str, algorithm: str, size: tuple[int, int]) -> list:
    """The same calls as RAN."""
    net = Network(Mesh(axes, node), algorithm)
    n, mesh = net.mesh.length(axis), net.mesh
    parts = {r: (r + 1) * 64.0 + np.arange(size[0] * size[1]).reshape(size) for r in mesh.ranks}
    uneven = {r: [parts[r][: (r + 2 * j) % 4] for j in range(n)] for r in mesh.ranks}
    following = {r: mesh.group(r, axis)[(mesh.place(r, axis) + 1) % n] for r in mesh.ranks}
    made = [
        net.all_gather(parts, axis, "a"), net.reduce_scatter(parts, axis, "b"), net.all_reduce(parts, axis, "c"),
        net.all_to_all(uneven, axis, "d", algorithm), net.broadcast(parts, axis, "e", n - 1),
        net.send(parts, following, axis, "f"),
        net.all_reduce({r: np.array([r, 1.0, 2.0]) for r in mesh.ranks}, axis, "g"),
    ]  # fmt: skip
    return [made, net.log, net.time]


def test_schedules_are_the_same_in_both_languages(blank, verified):
    """Every step of every collective and algorithm, up to 12 ranks, flat and in two levels."""
    mine = [[p.order, [[s.phase, s.frees, s.first, s.sends] for s in p.steps]] for p in (schedule(*c) for c in PLANS)]
    theirs = asked(blank, PLANNED, PLANS)
    wrong = sum(a != b for a, b in zip(plain(mine), theirs, strict=True))
    sends = sum(len(step[3]) for plan in mine for step in plan[1])
    verified("mesh in JavaScript: sends in every communication schedule", sends, wrong, "gallery.mesh in Python")
    assert wrong == 0


def test_groups_and_links_are_the_same_in_both_languages(blank):
    """Groups, places and links along every axis, experts' folds too."""
    mine = []
    for axes, per_node, experts in MESHES:
        mesh = Mesh(axes, per_node, experts)
        groups = [mesh.groups(axis) for axis in (*axes, *experts, "none")]
        rows = [
            [mesh.length(a), found, [mesh.place(r, a) for r in mesh.ranks], [mesh.neighbours(g) for g in found]]
            for a, found in zip((*axes, *experts, "none"), groups, strict=True)
        ]
        mine.append([mesh.size, rows, [[mesh.link(r, s) for s in mesh.ranks] for r in mesh.ranks]])
    assert asked(blank, GROUPED, MESHES) == plain(mine)


def test_values_and_logs_are_the_same_in_both_languages(blank, verified):
    """Seven calls on every small mesh: each number that a rank ends with, each row of the log."""
    mine = [plain(ran(*case)) for case in RUNS]
    theirs = asked(blank, RAN, RUNS)
    wrong = sum(
        a != b for mine_, theirs_ in zip(mine, theirs, strict=True) for a, b in zip(mine_, theirs_, strict=True)
    )
    verified(
        "mesh in JavaScript: recorded transfers", sum(len(run[1]) for run in mine), wrong, "gallery.mesh in Python"
    )
    assert wrong == 0


def test_what_cannot_be_is_refused_in_javascript_too(blank):
    """Unequal folds, broken groups, unknown algorithms and unequal parts throw."""
    page = blank(bundled.kit())
    calls = (
        "kit.makeMesh({ tp: 0 }, 8)", "kit.makeMesh({ pp: 2, dp: 4 }, 8, { ep: 3 })",
        'kit.makeSchedule("all-reduce", "gossip", 4)',
        'kit.makeSchedule("gossip", "ring", 4)', 'kit.makeSchedule("all-reduce", "hierarchical", 6, 0, 4)',
        f'{TWO}.all_reduce({{ 0: Float64Array.from([1, 2]) }}, "tp", "x")',
        f'{TWO}.reduce_scatter({{ 0: new Float64Array(3), 1: new Float64Array(3) }}, "tp", "x")',
    )  # fmt: skip
    for call in calls:
        said = page.evaluate(f"() => {{ {LOADED} try {{ {call}; return ''; }} catch (e) {{ return e.message; }} }}")
        assert len(said) > 20, call
