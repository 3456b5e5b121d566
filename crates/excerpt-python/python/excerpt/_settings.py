"""Keyword arguments as JSON."""

from __future__ import annotations

import json
import operator
from typing import Any

from ._errors import ConfigError


def dumps(settings: dict[str, Any]) -> str:
    """The settings as JSON. Whole numbers of other libraries are numbers, too."""

    def written(value: Any) -> Any:
        try:
            return operator.index(value)
        except TypeError:
            raise TypeError(type(value).__name__) from None

    for name, value in settings.items():
        try:
            json.dumps(value, default=written, allow_nan=False)
        except (TypeError, ValueError) as error:
            kind = str(error) if isinstance(error, TypeError) else repr(value)
            raise ConfigError(f"`{name}` is of type {kind}, expected text, a number, a truth value or a list") from None
    return json.dumps(settings, default=written, allow_nan=False)
