"""What callers hand over, as the engine wants it: checked here for type, in the engine for value."""

from __future__ import annotations

import json
import math
import numbers
import os
import re
from typing import Any, Mapping, NoReturn, Sequence, Union

import numpy as np

from armature import _engine

InstanceLike = Any
"""A text form, the path of a file, JSON text, a dictionary of that JSON, or an Instance."""

MOST_ROUNDS = 10**18
MOST_COLUMNS = 10**6  # of a table of text


LONGEST_VALUE = 120  # characters, as the engine shows them


def refuse(name: str, value: object, expected: str) -> NoReturn:
    """Raises what the engine would: the same class, words and parts."""
    refuse_found(name, repr(value), expected)


def refuse_found(name: str, found: str, expected: str) -> NoReturn:
    """The same, where what was found is told in words."""
    if len(found) > LONGEST_VALUE:
        found = found[: LONGEST_VALUE - 1] + "…"
    error = _engine.Error(f"{name}: got {found}, expected {expected}")
    error.field, error.value, error.expected = name, found, expected
    raise error


def whole(name: str, value: object, least: int, most: int) -> int:
    """A whole number; 1e6 and numpy's numbers are fine, True is none."""
    expected = f"a whole number from {least} to {most}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        refuse(name, value, expected)
    if not isinstance(value, numbers.Integral):
        if not math.isfinite(value) or value != math.floor(value):
            refuse(name, value, expected)
    number = int(value)
    if not least <= number <= most:
        refuse(name, value, expected)
    return number


def real(name: str, value: object) -> float:
    """A number that is one: no bool, no NaN."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        refuse(name, value, "a number")
    number = float(value)
    if math.isnan(number):
        refuse(name, value, "a number")
    return number


def reals(name: str, values: Any, count: int) -> list[float]:
    """So many numbers, from any sequence or array."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of unequal length
        refuse(name, values, f"{count} numbers")
    if array.dtype.kind not in "iuf":
        refuse(name, values, f"{count} numbers, not an array of {array.dtype}")
    if array.shape != (count,):
        refuse_found(name, f"an array of shape {array.shape}", f"shape ({count},)")
    return [real(name, number) for number in array.tolist()]


def text_of(name: str, value: object, expected: str = "a text") -> str:
    """A text without half characters, which no file could hold."""
    if not isinstance(value, str) or not _is_whole(value):
        refuse(name, value, expected)
    return value


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def path_of(name: str, value: Any) -> str:
    try:
        return text_of(name, os.fsdecode(value), "a path")
    except TypeError:
        refuse(name, value, "a path")


def json_of(name: str, value: Mapping[str, Any]) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        refuse(name, value, "what JSON can say: numbers, texts, lists and dictionaries")


def delay_text(value: object) -> str:
    """A delay as the engine reads it: a number of rounds, or "geometric:mean=10"."""
    if value is None:
        return "none"
    if isinstance(value, str):
        return text_of("delay", value)
    return str(whole("delay", value, 0, 10**9))


def instance_source(instance: InstanceLike) -> tuple[str, dict[str, str]]:
    """The text that names the instance, and the files it names that are on no disk."""
    if isinstance(instance, os.PathLike):
        return path_of("instance", instance), {}
    if isinstance(instance, str):
        text_of("instance", instance)
        if not instance.lstrip().startswith("{"):
            return instance, {}
        content = instance
    elif isinstance(instance, Mapping):
        content = json_of("instance", instance)
    elif hasattr(instance, "to_json"):
        content = instance.to_json()
    elif hasattr(instance, "_text_form"):
        return instance_source(instance._text_form())
    else:
        refuse(
            "instance", instance, "a text form, a path, JSON, an Instance, or an object with play(arm)"
        )
    name = f"{_name_in(content)}.json"
    return name, {name: content}


def _name_in(content: str) -> str:
    try:
        name = json.loads(content).get("name", "")
    except (ValueError, AttributeError):
        name = ""  # the engine says what is wrong with it
    return file_name(name) or "instance"


def file_name(name: object) -> str:
    """A name without what means something in a text form or a path."""
    return re.sub(r"[^\w.+ -]+", "-", str(name)).strip("-. ")


def problem_json(given: object) -> Union[str, None]:
    """What policies are told instead: JSON text, the path of a file, a dictionary or a Problem."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        return json_of("given", given)
    if hasattr(given, "to_json"):
        return str(given.to_json())
    if isinstance(given, (str, os.PathLike)):
        text = path_of("given", given)
        if text.lstrip().startswith("{"):
            return text
        with open(text, encoding="utf-8") as file:
            return file.read()
    refuse("given", given, "a problem: JSON, a path, a dictionary or a Problem")


def also_at_rounds(values: Sequence[object], horizon: int) -> list[int]:
    if isinstance(values, (str, bytes)) or not np.iterable(values):
        refuse("at", values, "a list of rounds")
    return [whole("at", value, 1, horizon) for value in values]
