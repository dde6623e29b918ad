"""explainers/long_context: bytes and FLOP are the gallery's for every model; reads counted token by token; claims."""

from __future__ import annotations

import random

import pytest

from cutaway import explainers
from cutaway.app.model_page import explainer_links
from cutaway.app.site import Site
from cutaway.gallery import catalog, memory
from cutaway.gallery import spec as s
from cutaway.gallery.counting.flops import flops
from cutaway.gallery.sublayers import parts_of
from tests.tally import Tally

page, data = explainers.reference("long-context"), explainers.data("long-context")
counting, ruler = page.counting, page.ruler
LISTED = data["models"]["slug"]
MILLION = 2**20
V32, PRO, FLASH = (f"deepseek-ai/DeepSeek-{name}" for name in ("V3.2", "V4-Pro", "V4-Flash"))
LLAMA, K3 = "meta-llama/Llama-3.1-70B", "moonshotai/Kimi-K3"


def at(**state) -> dict:
    """What the page prints in a state."""
    state = {**page.STATE, **state}
    assert not page.check(state, data)
    return page.compute(state, data)


# ---------------------------------------------------------------- against the gallery


def wrong_in(slug: str, dice: random.Random) -> list:
    """What differs from the gallery's own counts at a random length, storage and number of sequences."""
    tokens, batch, spec = dice.choice((1, dice.randint(1, 9000), dice.randint(1, MILLION))), 8, catalog.spec(slug)
    key, (dtype, *_) = dice.choice(list(counting.STORAGES.items()))
    now = at(model=slug, storage=key, tokens=tokens, batch=batch)
    kept, work, of = memory(spec, tokens, dtype, batch), flops(spec, tokens), now["of"]
    pairs = [
        (of["kept"], kept.total_bytes),
        (of["slope"], page.write_number(kept.per_token_bytes)),
        (of["all_gflop"], pytest.approx(work.total_flops / 1e9, rel=1e-12)),
        (of["past_gflop"] + of["states_gflop"], pytest.approx(work.core_flops / 1e9, rel=1e-9)),
        ([now["kinds"][counting.LETTERS.index(one)]["keeps"] for one in now["stack"]], [x.bytes for x in kept.layers]),
    ]
    return [(slug, tokens, key, mine, theirs) for mine, theirs in pairs if mine != theirs]


@pytest.mark.whole
def test_bytes_and_flop_are_the_gallerys(verified):
    """Of every listed model: cache, each layer's share, slope, and the arithmetic of a token."""
    dice = random.Random(16)
    wrong = [found for slug in LISTED for found in wrong_in(slug, dice)]
    assert wrong == []
    verified(
        "long-context: bytes and FLOPs of all models", 5 * len(LISTED), len(wrong), "gallery.memory and gallery.flops"
    )


MEASURED = {  # model -> bytes a token, MiB that do not grow: caches that transformers 5.23.0 held, BF16 and FP32 states
    "meta-llama/Meta-Llama-3.1-405B": (516_096, 0), LLAMA: (327_680, 0), "deepseek-ai/DeepSeek-V3": (70_272, 0),
    "MiniMaxAI/MiniMax-M3": (137_472, 0), V32: (85_888, 0), "google/gemma-4-31B-it": (81_920, 800),
    "meta-llama/Llama-4-Scout-17B-16E": (49_152, 1152), "openai/gpt-oss-120b": (36_864, 4.5), K3: (27_648, 433.4),
    "Qwen/Qwen3-Next-80B-A3B-Instruct": (24_576, 74.25), "XiaomiMiMo/MiMo-V2-Flash": (23_040, 24.375),
    page.SUPER: (8_192, 163.125), "moonshotai/Kimi-Linear-48B-A3B-Instruct": (8_064, 41.875), PRO: (9_848, 7.625),
    "Qwen/Qwen3.5-397B-A17B": (30_720, 184.2), "google/gemma-4-26B-A4B-it": (20_480, 200), FLASH: (6_880, 5.375),
}  # fmt: skip


def test_caches_that_were_measured():
    """What running models held, by their slope and by what does not grow at a length beyond every window."""
    for slug, (each, still) in MEASURED.items():
        of = at(model=slug)["of"]
        assert of["slope"] == page.write_number(each), slug
        assert of["still"] / 2**20 == pytest.approx(still, rel=6e-3), slug


# ---------------------------------------------------------------- reads, token by token

SEES = {  # key -> whether the newest token t reads the entry that ends with token e, written out
    "mha": lambda t, e: True,
    "chunk": lambda t, e: e // 8192 == t // 8192,
    "window": lambda t, e: t - e < 512,
    "hca": lambda t, e: (e + 1) % 128 == 0,
    "raw": lambda t, e: t - e < 128,
}


@pytest.mark.parametrize("tokens", [1, 127, 128, 511, 513, 8192, 8193, 20_000])
def test_reads_counted_token_by_token(tokens):
    """Entries that the newest token reads are those that its mask lets through, one by one."""
    rows = {row["key"]: row for row in at(tokens=tokens, window=512, topk=2048)["ruler"]}
    for key, sees in SEES.items():
        assert rows[key]["read"] == sum(sees(tokens - 1, e) for e in range(tokens)), key
    assert rows["dsa"]["read"] == len(sorted(range(tokens))[-2048:])
    assert rows["csa"]["read"] == min(1024, sum((e + 1) % 4 == 0 for e in range(tokens)))
    assert rows["mla"]["reads"] == rows["mla"]["read"] * (512 + 64) * 2
    assert rows["dsa"]["reads"] == rows["dsa"]["read"] * 1152 + tokens * 256
    assert rows["csa"]["reads"] == rows["csa"]["read"] * 1024 + tokens // 4 * 256 + min(tokens, 128) * 1024
    assert rows["hca"]["keeps"] == (tokens // 128 + min(tokens, 128)) * 1024
    for row in rows.values():
        for bar, span in zip(row["bars"], ruler.spans(tokens), strict=True):
            assert all(0 <= low < high <= span for runs in ("read", "scored", "kept") for low, high, _ in bar[runs])


def test_picks_are_as_many_as_the_indexer_takes():
    """Any number of any number: rising, no two alike, within, the same by whole numbers; denser where it is near."""

    def stirred(x: int) -> int:
        for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
            x = (x ^ x >> shift) * factor % 2**32
        return x ^ x >> 16

    for entries, count in [(1, 1), (5, 4), (2049, 2048), (8192, 512), (262_144, 1024), (MILLION, 8192)]:
        found = ruler.picks(entries, count)
        assert found == sorted(set(found)) and len(found) == count and found[0] >= 0 and found[-1] < entries
        shares, last = sorted((j + 8 * stirred(j + 1) / 2**32) / (count + 8) for j in range(count)), -1
        for j, (share, one) in enumerate(zip(shares, found, strict=True)):
            last = min(entries - count + j, max(last + 1, int(entries * share * share * share**0.5 + 1e-12)))
            assert abs(one - last) <= 1
            last = one
    found = ruler.picks(MILLION, 2048)
    assert sum(one < 8192 for one in found) > 30 * 2048 * 8192 / MILLION / 2
    strips = {row["key"]: len(row["bars"][0]["kept"]) for row in at()["ruler"]}
    assert strips == dict.fromkeys(strips, 1) | {"dsa": 2, "csa": 2, "state": 0}
    top = at()["ruler"][5]["bars"]
    assert [bar["seen"] for bar in top] == [sum(one < span for one in found) for span in (MILLION, 8192, 256)]
    assert [len(bar["ticks"]) <= 112 for bar in top] == [True] * 3
    assert top[0]["one_in"] * (len(top[0]["ticks"]) - 1) < 2048 <= top[0]["one_in"] * len(top[0]["ticks"])


def test_a_layer_that_borrows_reads_what_another_keeps():
    """Layers that read an earlier layer's keys and values keep none, and read as much as that layer does."""
    slug = next(slug for slug in LISTED if any("lent" in k["name"] for k in at(model=slug)["kinds"]))
    spec = catalog.spec(slug)
    borrowers = [i for i, x in enumerate(spec.layers) if getattr(parts_of(x.mixer)[0], "kv_source", None) is not None]
    now = at(model=slug, tokens=5000)
    each = [now["kinds"][counting.LETTERS.index(one)] for one in now["stack"]]
    for index in borrowers:
        source = each[parts_of(spec.layers[index].mixer)[0].kv_source]
        assert (each[index]["keeps"], each[index]["reads"]) == (0, source["reads"]), index
    assert now["of"]["reads"] > now["of"]["kept"]


# ---------------------------------------------------------------- where lines cross


def test_caches_overtake_states_where_it_is_said():
    """For each hybrid the first length at which gallery.memory counts no less cache than states."""
    for slug, row in zip(page.HYBRIDS, at()["cross"], strict=True):
        spec = catalog.spec(slug)
        before, there = (memory(spec, row["tokens"] - less).by_kind for less in (1, 0))
        still = [sum(kinds.get(kind, 0) for kind in ("state", "conv")) for kinds in (before, there)]
        assert sum(before.values()) - still[0] < row["fixed"] <= sum(there.values()) - still[1], slug
        assert still == [row["fixed"]] * 2
        stateful = (s.Attention, s.LatentAttention)
        assert row["caches"] == sum(isinstance(layer.mixer, stateful) for layer in spec.layers)
    assert at(model=K3, batch=64)["mix"]["tokens"] == at(model=K3)["mix"]["tokens"]


def test_looking_back_is_half_of_all_work():
    """At the length that is said, and not one token before, reading is as much as the rest, by gallery.flops."""
    for slug in (LLAMA, "meta-llama/Llama-3.1-8B", "meta-llama/Meta-Llama-3.1-405B"):
        crossing = at(model=slug)["of"]["crossing"]
        before, there = (flops(catalog.spec(slug), crossing - less) for less in (1, 0))
        assert 2 * before.core_flops < before.total_flops and 2 * there.core_flops >= there.total_flops, slug


# ---------------------------------------------------------------- what others published

WITHIN = {"roughly 1/7": (6.5, 7.5), "nearly 6 × less": (5.2, 6),
          "27 %": (26, 27), "10 %": (9.5, 12.2), "7 %": (6.5, 7.5), "about 2 %": (1.9, 2.1), "57 ×": (56.5, 57.5),
          "93.3 %": (93.2, 93.4), "up to 75 %": (73.5, 75.5)}  # fmt: skip


def test_published_figures_are_counted_again(verified):
    """Each row names its source, and ours lies where the words put it; V4's arithmetic by gallery.flops as well."""
    rows, tally = {}, Tally()
    for title, says, published, ours, how, source, link in data["claims"]:
        assert source and link.startswith("https://") and len(how) > 20 and says
        low, high = WITHIN[published]
        tally.holds(low <= float(ours.removeprefix("1/").split()[0]) <= high, title, published, ours)
        rows.setdefault((title, published), []).append(ours)
    assert rows["Xiaomi MiMo-V2.5-Pro 1.02T", "roughly 1/7"] == ["1/7"]
    assert rows["DeepSeek V4-Pro", "10 %"] == ["10.3 %"] and rows["DeepSeek V4-Pro", "27 %"] == ["26.2 %", "26.5 %"]
    assert rows["DeepSeek V4-Flash", "10 %"] == ["12.1 %", "10.0 %"] and rows["DeepSeek V4-Flash", "7 %"] == ["7.2 %"]
    old = flops(catalog.spec(V32), MILLION)
    for slug, title, published in ((PRO, "DeepSeek V4-Pro", "27 %"), (FLASH, "DeepSeek V4-Flash", "10 %")):
        new = flops(catalog.spec(slug), MILLION)
        weighed = []
        for one, index in ((new, 0.5), (old, 1)):
            looks = sum(n for what, n in one.by_what.items() if what == "indexer scores")
            weighed.append(one.total_flops + one.core_flops - looks + (index - 1) * looks)
        shares = (new.total_flops / old.total_flops, weighed[0] / weighed[1])
        assert rows[title, published] == [f"{100 * share:.1f} %" for share in shares]
    verified("long-context: published figures", tally, against="reports and model cards")


# ---------------------------------------------------------------- models


@pytest.mark.whole
def test_every_model_opens_the_page_with_its_layers():
    """No decoder that the gallery lists leads nowhere: itself, or the base whose packing it is, can be chosen here.

    One that it does not list has no link, unless it is a packing of one that can be chosen.
    """
    listed = {row.slug for row in catalog.gallery_rows()}
    for view in (view for view in Site().views if view.spec):
        door = explainer_links.long_context(view)
        chosen = bool({door and door["model"], view.row.variant_of} & set(LISTED))
        assert (door is not None) == chosen or view.slug not in listed, view.slug
        linked = [one["target"] for one in explainer_links.of(view) if one["name"] == "long-context"]
        assert len(linked) == chosen, view.slug
    pro = next(v for v in Site().views if v.slug == PRO)
    opened = {door["name"]: door["target"] for door in explainer_links.of(pro)}
    assert opened["long-context"] == f"/learn/long-context/?model={PRO}"


def test_a_layer_is_called_a_window_where_it_lets_go():
    """Windows and chunks are the layers whose keys and values have an end; a window as long as the context is none."""
    for slug in LISTED:
        model = counting.find(slug, data)
        for name, *places in model["kinds"]:
            words, (_, role, _) = data["names"][name][0], data["names"][name]
            ends = [data["rows"][place][counting.CAP] for place in places if data["rows"][place][counting.KIND] == "kv"]
            if role == "window" and ends:
                assert all(ends) and f"{ends[0]:,}" in words, (slug, words)
            assert words.startswith(("CSA", "HCA")) or role == "window" or not any(ends), (slug, words)
    phi = at(model="microsoft/Phi-3-mini-128k-instruct")
    assert [kind["name"] for kind in phi["kinds"]] == ["full, 32 KV heads"]


def test_a_model_whose_tokens_all_see_each_other_is_left_out():
    """What keeps nothing between tokens has no millionth token."""
    assert not [slug for slug in LISTED if catalog.spec(slug).bidirectional]
    assert len(LISTED) > 180
