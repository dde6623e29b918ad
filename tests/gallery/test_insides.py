"""The drawing as plain data: every node of every opened graph and of every card, matrices as their tensors are."""

from math import prod

from cutaway.gallery import catalog, parameters
from cutaway.gallery.drawing.drawing_json import drawing_json
from cutaway.gallery.graph import Graph
from cutaway.gallery.sublayers import graph_of, parts_of
from cutaway.gallery.wiring import layer_graph


def half(spec, where: str):
    """The mixer or MLP that a panel opens: layer3.mixer, layer0.mlp.1."""
    layer, word, *place = where.split(".")
    found = parts_of(getattr(spec.layers[int(layer.removeprefix("layer"))], word))
    return found[int(place[0]) if place else 0]


def walk(lane: dict):
    """(items, words beside the last edge) of a lane and its branches."""
    yield lane.get("items", []), lane.get("said", "")
    for branch in lane.get("branches", []):
        yield from walk(branch)


def items_of(panel: dict):
    """Everything a panel draws, as [kind, words, nodes, ...]."""
    for flow in panel["flows"]:
        yield flow["op"]
        yield from flow.get("tail", [])
        for lane in flow.get("lanes", []):
            for items, said in walk(lane):
                yield from items
                yield ["said", "", said]


def faults(graph: Graph, panel: dict) -> list[str]:
    """Nodes that are not drawn, matrices of another shape."""
    rows = list(items_of(panel))
    drawn = {name for row in rows for name in row[2].split()} | set(panel["nodes"].split())
    wrong = sorted({node.name for node in graph.nodes} - drawn)
    nodes = {node.name: node for node in graph.nodes}
    for row in rows:
        if row[0] == "matrix" and not row[5].startswith("in "):
            shapes = [nodes[name].tensors["weight"].shape for name in row[2].split() if "weight" in nodes[name].tensors]
            if (row[3], row[4]) not in [(shape[-1], prod(shape[:-1])) for shape in shapes]:
                wrong.append(f"{row[1]} {row[3]} {row[4]}: {shapes}")
    return wrong


def test_nothing_is_left_out(verified):
    """Every node of an opened mixer or MLP, and of a card's layer; whole matrices read and write what they hold."""
    checked, wrong = 0, []
    for row in catalog.drawable_rows():
        spec = catalog.spec(row.slug)
        data = drawing_json(spec)
        for panel in data["panels"]:
            graph = graph_of(half(spec, panel["where"]), spec.hidden_size)
            checked += len(graph.nodes)
            wrong += [(row.slug, panel["where"], fault) for fault in faults(graph, panel)]
        inside = sum(panel["total"] for panel in data["panels"])
        if not 0.25 < inside / parameters(spec).total < 1:
            wrong.append((row.slug, f"{inside} of {parameters(spec).total} parameters in the panels"))
        for card in data["cards"]:
            names = {node.name for node in layer_graph(spec, spec.layers[card["layer"]]).nodes}
            checked += len(names)
            if names != {name for unit in card["units"] for name in unit[5].split()}:
                wrong.append((row.slug, card["layer"], "nodes of the card"))
            known = {"stream", *(unit[0] for unit in card["units"])}
            wrong += [(row.slug, *edge) for edge in card["edges"] if not known.issuperset(edge)]
    verified("compare: nodes in the files for drawing two models", checked, len(wrong), "the model graphs")
    assert wrong == []


def test_a_panel_speaks_for_its_layers():
    """Layers, parameters and the short name that the table of differences uses."""
    panels = drawing_json(catalog.spec("Qwen/Qwen3-Next-80B-A3B-Instruct"))["panels"]
    assert {panel["label"]: panel["layers"] for panel in panels} == {"experts": 48, "GQA": 12, "Gated DeltaNet": 36}
    assert [panel["total"] for panel in panels] == [77_510_836_224, 327_161_856, 1_213_864_704]
    assert panels[0]["flows"][0]["op"][0] == "field"
    assert panels[0]["flows"][0]["op"][3:5] == [512, 10]
