"""The table and the curves of a run, from its lines of JSON."""

import math

SECONDS, MEGABYTES, MILLISECONDS = "seconds", "MB", "ms"
COLOURS = ["#2a78d6", "#d1642a", "#1b8a5a", "#8a4fc7", "#b8860b", "#c0396b"]
FIRST_OF_PAIR, SECOND_OF_PAIR = {"clock", "p50", "peak"}, {"CPU", "p99", "without a file"}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 400, 64, 230, 44, 48
# A curve may leave its axes by this share of a power of ten, so that 9,600 chunks begin at 10,000.
TOLERANCE = 0.05

# The rows of the table: what is shown, the measurement, its figure, and the unit.
ROWS = [
    ("files", "corpus", "files", "count"),
    ("chunks", "first index, vectors", "chunks", "count"),
    ("text in the index", "first index, vectors", "text_bytes", MEGABYTES),
    ("first index, clock", "first index, vectors", "seconds", SECONDS),
    ("first index, CPU", "first index, vectors", "cpu_seconds", SECONDS),
    ("first index, peak memory", "first index, vectors", "peak_bytes", MEGABYTES),
    ("first index, peak of memory without a file", "first index, vectors", "anonymous_peak_bytes", MEGABYTES),
    ("index", "first index, vectors", "index_bytes", MEGABYTES),
    ("keywords alone: first index, clock", "first index, keywords", "seconds", SECONDS),
    ("keywords alone: first index, CPU", "first index, keywords", "cpu_seconds", SECONDS),
    ("keywords alone: peak memory", "first index, keywords", "peak_bytes", MEGABYTES),
    ("keywords alone: peak of memory without a file", "first index, keywords", "anonymous_peak_bytes", MEGABYTES),
    ("keywords alone: index", "first index, keywords", "index_bytes", MEGABYTES),
    ("check, nothing changed", "check, nothing changed", "seconds", SECONDS),
    ("answer, nothing changed", "answer, nothing changed", "seconds", SECONDS),
    ("answer, nothing checked", "answer, nothing checked", "seconds", SECONDS),
    ("answer after the first change", "answer, first change", "seconds", SECONDS),
    ("answer after the second change", "answer, second change", "seconds", SECONDS),
    ("answer after the third change", "answer, third change", "seconds", SECONDS),
    *[
        (f"search, {heat}, {channels}, {p}", f"search, {heat}, {channels}", f"{p}_ms", MILLISECONDS)
        for heat in ["warm", "cold"]
        for channels in ["both", "keywords", "vectors"]
        for p in ["p50", "p99"]
    ],
    ("memory of the server, without a file", "search, warm, both", "anonymous_bytes", MEGABYTES),
    ("`git status`", "git status", "seconds", SECONDS),
    ("`rg --files`", "rg --files", "seconds", SECONDS),
    ("`git grep` of a word", "git grep", "seconds", SECONDS),
    ("`rg` of a word", "rg", "seconds", SECONDS),
]

# The ratios: what is shown, a measurement and its figure, and what it is divided by.
RATIOS = [
    ("index / text", ("first index, vectors", "index_bytes"), ("first index, vectors", "text_bytes")),
    ("keywords alone: index / text", ("first index, keywords", "index_bytes"), ("first index, keywords", "text_bytes")),
    ("first index, CPU / `rg`, CPU", ("first index, vectors", "cpu_seconds"), ("rg", "cpu_seconds")),
    ("check / `rg --files`", ("check, nothing changed", "seconds"), ("rg --files", "seconds")),
    ("check / `git status`", ("check, nothing changed", "seconds"), ("git status", "seconds")),
    ("answer, nothing changed / `rg`", ("answer, nothing changed", "seconds"), ("rg", "seconds")),
    ("answer, nothing changed / `git grep`", ("answer, nothing changed", "seconds"), ("git grep", "seconds")),
    ("answer, nothing checked / `rg`", ("answer, nothing checked", "seconds"), ("rg", "seconds")),
    ("answer after the first change / `rg`", ("answer, first change", "seconds"), ("rg", "seconds")),
    ("answer after the second change / `rg`", ("answer, second change", "seconds"), ("rg", "seconds")),
]

# The pictures: file, title, unit, and curves of a name, a measurement, and its figure.
PICTURES = [
    (
        "first-index.svg",
        "First index",
        SECONDS,
        [
            ("with vectors, clock", "first index, vectors", "seconds"),
            ("with vectors, CPU", "first index, vectors", "cpu_seconds"),
            ("keywords alone, clock", "first index, keywords", "seconds"),
            ("keywords alone, CPU", "first index, keywords", "cpu_seconds"),
        ],
    ),
    (
        "changes.svg",
        "Checks and changes",
        SECONDS,
        [
            ("check, nothing changed", "check, nothing changed", "seconds"),
            ("answer, first change", "answer, first change", "seconds"),
            ("answer, second change", "answer, second change", "seconds"),
            ("git status", "git status", "seconds"),
            ("rg --files", "rg --files", "seconds"),
            ("rg of a word", "rg", "seconds"),
        ],
    ),
    (
        "memory.svg",
        "Memory",
        MEGABYTES,
        [
            ("first index, peak", "first index, vectors", "peak_bytes"),
            ("first index, without a file", "first index, vectors", "anonymous_peak_bytes"),
            ("keywords alone, peak", "first index, keywords", "peak_bytes"),
            ("keywords alone, without a file", "first index, keywords", "anonymous_peak_bytes"),
            ("server, without a file", "search, warm, both", "anonymous_bytes"),
        ],
    ),
    (
        "size.svg",
        "Size",
        MEGABYTES,
        [
            ("index with vectors", "first index, vectors", "index_bytes"),
            ("index of keywords alone", "first index, keywords", "index_bytes"),
            ("text", "first index, vectors", "text_bytes"),
        ],
    ),
    *[
        (
            f"search-{heat}.svg",
            f"Search, {heat}",
            MILLISECONDS,
            [
                (f"{channels}, {p}", f"search, {heat}, {channels}", f"{p}_ms")
                for channels in ["both", "keywords", "vectors"]
                for p in ["p50", "p99"]
            ],
        )
        for heat in ["warm", "cold"]
    ],
]

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #333 } .title { font-size: 16px; font-weight: 600 }
.ground { fill: #fff } .grid { stroke: #ddd } path { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd } .ground { fill: #14171a } .grid { stroke: #3a3f45 } .curve { filter: brightness(1.35) }
}"""


def write(rows, folder):
    """Writes the pictures and the page of a run."""
    figures = by_corpus(rows)
    shown = [picture for picture in PICTURES if draw(picture, figures, folder)]
    (folder / "README.md").write_text(page(figures, shown), encoding="utf-8")


def by_corpus(rows):
    """The measurements of each corpus by name; mixed corpora come first, by size."""
    figures = {}
    for row in rows:
        figures.setdefault(row["corpus"], {})[row["measured"]] = row
    return dict(sorted(figures.items(), key=lambda it: (not is_mixed(it[0]), chunks_of(it[1]))))


def is_mixed(corpus):
    return corpus.startswith("mixed-")


def chunks_of(measured):
    return measured.get("first index, vectors", {}).get("chunks", 0)


def figure(measured, name, field):
    return measured.get(name, {}).get(field)


def page(figures, pictures):
    machines = [measured["machine"] for measured in figures.values() if "machine" in measured]
    loads = [row["load"] for measured in figures.values() for row in measured.values() if "load" in row]
    parts = [f"# {machines[-1]['date']}, scale", *described(machines, loads), "\n".join(table(figures))]
    parts += [f"![{title}: {unit} by the number of chunks, on logarithmic axes]({file})" for file, title, unit, _ in pictures]
    return "\n\n".join(parts) + "\n"


def described(machines, loads):
    last = machines[-1]
    versions = ", ".join(f"{name} {version}" for name, version in last["versions"].items())
    yield f"{last['cpu']} ({last['cores']} cores, {last['gigabytes']} GB), {last['system']}; {versions}, Python {last['python']}."
    if last["packages"]:
        yield "Texts: " + ", ".join(f"`{package}`" for package in last["packages"]) + "."
    commands = "\n".join(dict.fromkeys(machine["command"] for machine in machines))
    yield f"```sh\n{commands}\n```"
    yield (
        "`benches/scale/run.py` describes what is measured, and `scale.jsonl` has every measurement. Times are those of the clock unless CPU is "
        "named. The p99 of less than 100 searches is the slowest of them. MB are millions of bytes."
    )
    busy = " Other processes ran, so CPU seconds and ratios say more than times of the clock." if max(loads) > last["cores"] else ""
    yield from dict.fromkeys(note for machine in machines if (note := machine["note"]))
    yield f"The load of the machine was {min(loads)} to {max(loads)}.{busy}"


def table(figures):
    yield "| | " + " | ".join(figures) + " |"
    yield "| --- |" + " ---: |" * len(figures)
    for shown, name, field, unit in ROWS:
        cells = [cell(figure(measured, name, field), unit) for measured in figures.values()]
        if any(cells):
            yield f"| {shown} | " + " | ".join(cells) + " |"
    for shown, above, below in RATIOS:
        cells = [ratio(figure(measured, *above), figure(measured, *below)) for measured in figures.values()]
        if any(cells):
            yield f"| {shown} | " + " | ".join(cells) + " |"


def cell(value, unit):
    if value is None:
        return ""
    if unit == "count":
        return f"{value:,}"
    if unit == SECONDS:
        return f"{short(value)} s" if value >= 1 else f"{short(value * 1000)} ms"
    return f"{short(value / 1e6 if unit == MEGABYTES else value)} {unit}"


def ratio(above, below):
    return f"{short(above / below)} x" if above is not None and below else ""


def short(value):
    """A number with three digits that say something."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def draw(picture, figures, folder):
    """Draws the curves of the mixed corpora; false if there are less than two of them."""
    file, title, unit, names = picture
    mixed = [measured for corpus, measured in figures.items() if is_mixed(corpus)]
    curves = [(name, points(mixed, measured, field, unit)) for name, measured, field in names]
    curves = [(name, found) for name, found in curves if len(found) > 1]
    if curves:
        (folder / file).write_text(svg(f"{title} ({unit} by chunks)", curves), encoding="utf-8")
    return bool(curves)


def points(mixed, name, field, unit):
    factor = 1e-6 if unit == MEGABYTES else 1
    found = [(chunks_of(measured), figure(measured, name, field)) for measured in mixed]
    return [(chunks, value * factor) for chunks, value in found if chunks and value]


def svg(title, curves):
    xs = [x for _, found in curves for x, _ in found]
    ys = [y for _, found in curves for _, y in found]
    across, up = Axis(xs, LEFT, WIDTH - RIGHT), Axis(ys, HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
        f"<style>{STYLE}\n</style>",
        f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="title" x="{LEFT}" y="24">{title}</text>',
        *grid(across, up),
    ]
    heights = label_heights([up.place(found[-1][1]) for _, found in curves])
    strokes = strokes_of([name for name, _ in curves])
    for (name, found), stroke, height in zip(curves, strokes, heights):
        parts += curve(name, found, across, up, stroke, height)
    return "\n".join([*parts, "</svg>", ""])


def strokes_of(names):
    """The colour and the dashes of each curve: two figures of one thing have one colour."""
    colours = {}
    for name in names:
        thing, _, last = name.rpartition(", ")
        is_pair = last in FIRST_OF_PAIR | SECOND_OF_PAIR
        colour = colours.setdefault(thing if is_pair else name, COLOURS[len(colours) % len(COLOURS)])
        yield colour, "5 4" if last in SECOND_OF_PAIR else "none"


class Axis:
    """A logarithmic axis from the power of ten below all values to the one above."""

    def __init__(self, values, begin, end):
        self.low = math.floor(math.log10(min(values)) + TOLERANCE)
        self.high = max(self.low + 1, math.ceil(math.log10(max(values)) - TOLERANCE))
        self.begin, self.end = begin, end

    def place(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return round(self.begin + share * (self.end - self.begin), 1)

    def ticks(self):
        return [10.0**power for power in range(self.low, self.high + 1)]


def grid(across, up):
    for value in across.ticks():
        x = across.place(value)
        yield f'<line class="grid" x1="{x}" y1="{up.begin}" x2="{x}" y2="{up.end}"/>'
        yield f'<text x="{x}" y="{up.begin + 20}" text-anchor="middle">{value:,.0f}</text>'
    for value in up.ticks():
        y = up.place(value)
        yield f'<line class="grid" x1="{across.begin}" y1="{y}" x2="{across.end}" y2="{y}"/>'
        yield f'<text x="{across.begin - 8}" y="{y + 4}" text-anchor="end">{value:,g}</text>'


def label_heights(wanted, apart=17):
    """Where the names of the curves stand: next to their ends, and never on each other."""
    heights, last = [0.0] * len(wanted), -math.inf
    for number in sorted(range(len(wanted)), key=lambda number: wanted[number]):
        last = heights[number] = max(wanted[number], last + apart)
    over = max(0.0, last - (HEIGHT - 12))
    return [height - over for height in heights]


def curve(name, found, across, up, stroke, height):
    colour, dashes = stroke
    places = [(across.place(x), up.place(y)) for x, y in found]
    line = " L".join(f"{x} {y}" for x, y in places)
    yield f'<g class="curve"><path d="M{line}" stroke="{colour}" stroke-dasharray="{dashes}"/>'
    yield "".join(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in places)
    x, y = places[-1]
    label = across.end + 22
    yield f'<path d="M{x + 5} {y} L{label - 4} {height:.1f}" stroke="{colour}" stroke-opacity="0.5" style="stroke-width:1"/>'
    yield f'<text x="{label}" y="{height + 4:.1f}" style="fill:{colour}">{name}</text></g>'
