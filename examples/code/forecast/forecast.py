#!/usr/bin/env python3
"""Predicts the tide at Fish Quay.

The level of the water is the mean level plus a sum of cosines, one for each tidal constituent. Each constituent has a speed, which astronomy gives, and an amplitude and a phase, which were
fitted to two years of readings. Wind and air pressure are not in it: what they add is the residual that the gauges show.

    $ python3 forecast.py 2026-03-04 --days 2
    $ python3 forecast.py 2026-03-04 --days 14 --above 5.50
"""

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone

UTC = timezone.utc

# Mean level at Fish Quay, in metres above chart datum.
MEAN = 3.12

# Phases are relative to this moment.
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Constituent:
    """One regular part of the tide."""

    name: str
    speed: float
    """In degrees an hour."""
    amplitude: float
    """In metres."""
    phase: float
    """In degrees, at the epoch."""

    def height(self, hours: float) -> float:
        """What this constituent adds to the mean level, so many hours after the epoch."""
        return self.amplitude * math.cos(math.radians(self.speed * hours - self.phase))


CONSTITUENTS = [
    Constituent("M2", 28.9841042, 1.70, 196.0),  # the moon
    Constituent("S2", 30.0000000, 0.58, 310.0),  # the sun
    Constituent("N2", 28.4397295, 0.20, 15.0),  # the distance of the moon
    Constituent("K1", 15.0410686, 0.09, 118.0),  # both, once a day
    Constituent("O1", 13.9430356, 0.07, 349.0),  # the moon, once a day
]


def level(time: datetime) -> float:
    """The level at a time, in metres above chart datum.

    >>> 0.0 < level(datetime(2026, 3, 4, 12, tzinfo=UTC)) < 6.5
    True
    """
    hours = (time - EPOCH).total_seconds() / 3600
    return MEAN + sum(constituent.height(hours) for constituent in CONSTITUENTS)


def extremes(begin: datetime, end: datetime) -> Iterator[tuple[datetime, float, bool]]:
    """High and low waters between two times: when, how high, and whether it is a high one.

    Looks at every tenth minute and refines where the direction changes. Two extremes are about six hours apart, so none is missed.

    >>> begin = datetime(2026, 3, 4, tzinfo=UTC)
    >>> kinds = [is_high for _, _, is_high in extremes(begin, begin + timedelta(days=2))]
    >>> all(first != second for first, second in zip(kinds, kinds[1:]))
    True
    """
    step = timedelta(minutes=10)
    time = begin
    while time < end:
        before, here, after = level(time - step), level(time), level(time + step)
        if before < here >= after or before > here <= after:
            is_high = here > before
            best = refine(time - step, time + step, is_high)
            yield best, level(best), is_high
        time += step


def refine(begin: datetime, end: datetime, is_high: bool) -> datetime:
    """The minute of the highest or lowest level between two times."""
    minutes = int((end - begin).total_seconds() // 60)
    times = [begin + timedelta(minutes=minute) for minute in range(minutes + 1)]
    return max(times, key=level) if is_high else min(times, key=level)


def main() -> None:
    """Prints high and low waters, or only the high ones above a level."""
    parser = argparse.ArgumentParser(description="Predicts the tide at Fish Quay.")
    parser.add_argument("begin", type=date.fromisoformat, help="the first day, such as 2026-03-04")
    parser.add_argument("--days", type=int, default=1, help="how many days")
    parser.add_argument("--above", type=float, help="only high waters above this level, in metres")
    options = parser.parse_args()

    begin = datetime(options.begin.year, options.begin.month, options.begin.day, tzinfo=UTC)
    for time, height, is_high in extremes(begin, begin + timedelta(days=options.days)):
        if options.above is None or (is_high and height > options.above):
            print(f"{time:%a %d %b %H:%M}Z  {'high' if is_high else 'low ':4}  {height:.2f} m")


if __name__ == "__main__":
    main()
