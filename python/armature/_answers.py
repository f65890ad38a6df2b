"""What the answers of theory, graphs and logs have in common: fields, tables for notebooks, pandas."""

from __future__ import annotations

import copy
import html
import re
from typing import Any, Iterable, Mapping, Sequence

from armature._engine import Error


class Answer:
    """Fields of an answer as the command of the same name writes them, and what is made of them."""

    _fields: dict[str, Any]

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def to_dict(self) -> dict[str, Any]:
        """All fields, equal to what the command writes with ``--format json``."""
        return copy.deepcopy(self._fields)


def one_or_more(value: str | Iterable[str] | None) -> list[str]:
    """A single name is a list of one; None is none."""
    if value is None:
        return []
    if not isinstance(value, Iterable):
        raise error_of("names", ascii(value), "a text, or several")
    names = [value] if isinstance(value, str) else list(value)
    for name in names:
        if not isinstance(name, str):
            raise error_of("names", ascii(name), "a text")
    return names


def plain_text(value: object) -> str:
    """What is no UTF-8 (half a character, as broken files leave them) becomes a question mark."""
    return str(value).encode("utf-8", "replace").decode("utf-8")


def error_of(field: str, value: str, expected: str) -> Error:
    """The engine's error, in its words and with its parts."""
    error = Error(f"{field}: got {value}, expected {expected}")
    error.field, error.value, error.expected = field, value, expected
    return error


def whole_text(value: object, field: str) -> str:
    """As text; half a character is refused, for two of them would become one name."""
    text = str(value)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise error_of(field, ascii(text), "a text without half characters (UTF-8)") from None
    return text


def in_arguments(sentence: str) -> str:
    """Sentences of the engine name options of the command; here they are arguments.

    >>> in_arguments("--least-propensity promises another bound")
    'least_propensity promises another bound'
    """
    return re.sub(r"(?<!\w)--([a-z][a-z-]*)", lambda found: found[1].replace("-", "_"), sentence)


def number_text(value: object) -> str:
    """For tables: floats with four digits, None as a dash."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def html_table(heads: Sequence[str], rows: Iterable[Sequence[object]], most: int = 60) -> str:
    """A small table; of long ones the beginning, and how many rows are left out."""
    listed = list(rows)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(number_text(cell))}</td>" for cell in row) + "</tr>"
        for row in listed[:most]
    )
    more = f"<p>… and {len(listed) - most} more</p>" if len(listed) > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def html_sentences(sentences: Sequence[str]) -> str:
    """The first stands out, the others are a list."""
    if not sentences:
        return ""
    rest = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences[1:])
    return f"<p><b>{html.escape(sentences[0])}</b></p>" + (f"<ul>{rest}</ul>" if rest else "")


def data_frame(rows: Sequence[Mapping[str, object]], columns: Sequence[str] | None = None) -> Any:
    """A pandas DataFrame of rows; pandas is only needed here."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas() needs pandas: apt install python3-pandas, or pip install pandas") from error
    return pandas.DataFrame(rows, columns=None if columns is None else list(columns))
