"""Keyword arguments as JSON."""

from __future__ import annotations

import json
import operator
from typing import Any

from ._errors import ConfigError


def dumps(settings: dict[str, Any]) -> str:
    """The settings as JSON. Whole numbers of other libraries are numbers, too."""
    for name, value in settings.items():
        try:
            json.dumps(value, default=_written, allow_nan=False, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ConfigError(f"`{name}` has a lone surrogate, which is no character") from None
        except TypeError as error:
            raise ConfigError(f"`{name}` is of type {error}, expected text, a number, a truth value or a list") from None
        except ValueError:
            raise ConfigError(f"`{name}` is {value!r}, expected a finite number, and no list that contains itself") from None
    return json.dumps(settings, default=_written, allow_nan=False, ensure_ascii=False)


def _written(value: Any) -> Any:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(type(value).__name__) from None
