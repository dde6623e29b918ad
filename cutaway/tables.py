"""Rows that people ask for as a table: printed, shown in a notebook, or as a pandas DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import pandas

Row = TypeVar("Row", covariant=True)
MOST = 60  # rows that are printed or shown


class Table(tuple[Row, ...]):
    """A tuple of records that knows its columns."""

    columns: tuple[str, ...]  # names of the columns, in order
    more: Mapping[str, str]  # a field of the records -> its column, where that is called otherwise

    def __new__(cls, rows: Iterable[Row], columns: Iterable[str], more: Mapping[str, str] | None = None) -> Table[Row]:
        made = super().__new__(cls, rows)
        made.columns, made.more = tuple(columns), more or {}
        return made

    def cells(self, most: int | None = None) -> list[list[Any]]:
        """The first rows, or all, as lists."""
        return [[cell(row, name) for name in self.columns] for row in self[:most]]

    @property
    def heads(self) -> list[str]:
        """The columns' names."""
        return [self.more.get(name, name) for name in self.columns]

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a row for each record. ImportError says what to install."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise ImportError("A DataFrame needs pandas: pip install pandas.") from None
        return DataFrame(self.cells(), columns=self.heads).convert_dtypes()  # whole numbers stay so beside unknown ones

    def __repr__(self) -> str:
        """Aligned columns; of many rows the first."""
        from cutaway.gallery.command.report import table

        rows = [["" if one is None else one for one in row] for row in self.cells(MOST)]
        return "\n".join([*table([self.heads, *rows]), *self.rest()])

    __str__ = __repr__

    def rest(self) -> list[str]:
        """How many rows are not shown."""
        return [f"and {len(self) - MOST:,} more rows"] if len(self) > MOST else []

    def _repr_html_(self) -> str:
        from cutaway.gallery.command.showing import html_table

        return html_table(self.cells(MOST), self.heads, right=len(self.columns)) + "".join(
            f"<p>{line}</p>" for line in self.rest()
        )


def cell(row: Any, name: str) -> Any:
    """A field of a record, or a key of a dict."""
    return row[name] if isinstance(row, Mapping) else getattr(row, name)
