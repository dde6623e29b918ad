"""numpy's einsum for one or two arrays: sums of products over the letters that the answer has not."""

from __future__ import annotations

import math
import operator

from cutaway.app.your_model.plain_numpy.array import ndarray


def einsum(what: str, a: ndarray, b: ndarray) -> ndarray:
    """ "qhd,khd->hqk" and the like; a letter stands once in each array."""
    given, _, out = what.partition("->")
    of_a, _, of_b = given.partition(",")
    sizes = dict(zip(of_a, a.shape, strict=True)) | dict(zip(of_b, b.shape, strict=True))
    shared = [letter for letter in of_a if letter in of_b and letter in out]
    summed = [letter for letter in of_a if letter in of_b and letter not in out]
    left, right = ([one for one in of if one in out and one not in shared] for of in (of_a, of_b))
    if {*of_a, *of_b} - {*shared, *summed, *left, *right}:
        raise ValueError(f"einsum: a letter of {what} stands in one array and not in the answer")
    length = math.prod(sizes[one] for one in summed)
    rows = lines(a, of_a, [*shared, *left, *summed], length)
    columns = lines(b, of_b, [*shared, *right, *summed], length)
    many, few = (math.prod(sizes[one] for one in part) for part in (left, right))
    made = [
        sum(map(operator.mul, row, column))
        for group in range(math.prod(sizes[one] for one in shared))
        for row in rows[group * many : (group + 1) * many]
        for column in columns[group * few : (group + 1) * few]
    ]
    letters = [*shared, *left, *right]
    answer = ndarray(made, tuple(sizes[one] for one in letters))
    return answer.transpose(tuple(letters.index(one) for one in out)) if letters != list(out) else answer


def lines(x: ndarray, letters: str, order: list[str], length: int) -> list[list]:
    """An array's numbers with its axes in another order, cut into lines."""
    values = x.values if order == list(letters) else x.transpose(tuple(letters.index(one) for one in order)).values
    return [values[at : at + length] for at in range(0, len(values), length)]
