"""What the columns of an unknown table seem to mean: a proposal to confirm, never a reading.

A unit is proposed only where a header or a cell states it; no size of a number says what it is measured in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from data import schema
from data.readers.cells import NOTHING, show
from data.readers.columns import plain, split
from data.readers.mapped import KIND, split_cell
from data.readers.reading import Grid
from data.readers.units import factors, read_unit

STATISTICS = ("mean", "p50", "p90", "p95", "p99")
_SAMPLES = 3
_LOOKED_AT = 200
_MAX_GUESSED = 2_000
_COLUMNS = schema.BY_NAME[KIND]
_LATENCIES = ("ttft_ms", "tpot_ms", "itl_ms", "e2e_ms")

# The first pattern that is found in a header counts. German and Portuguese words stand beside the English ones.
_MEANINGS: tuple[tuple[str, str], ...] = (
    (r"\bttft\b|first tok|time to first|erste[sn]? token|primeiro token", "ttft_ms"),
    (r"\btpot\b|per output tok|per tok|pro token|por token", "tpot_ms"),
    (r"\bitl\b|inter.?tok|between tok", "itl_ms"),
    (r"time to train|training time", "time_to_train_s"),
    (r"compil", "compile_s"),
    (r"(error|failure|fehler|erro)s?.*(rate|share|ratio|quote|pct|percent|%)|(taxa|rate) (of|de) err", "error_rate"),
    (r"total.*(input|prompt) tok", "total_input_tokens"),
    (r"total.*(output|generated|completion) tok(?!.*(/|per) ?s)", "total_output_tokens"),
    (r"total.*(tok.*(/|per) ?s|tps|throughput|durchsatz)", "total_tok_per_s"),
    (r"(seq|sequence)s?.*(/|per) ?(s|min|h)", "train_seq_per_s"),
    (r"(sample|image|inference|frame)s?.*(/|per) ?(s|min|h)|\bfps\b", "samples_per_s"),
    (r"(offered|target|request|arrival).?rate", "request_rate"),
    (r"(req|request|quer|anfrage|requisi)\w*.*(/|per|pro|por) ?(s|min|h)|\brps\b|\bqps\b", "req_per_s"),
    (r"tok\w*.*(/|per|pro|por) ?(s|min|h)|\btps\b|throughput|durchsatz|vaz[aã]o", "output_tok_per_s"),
    (r"latenc|latenz|lat[eê]nc|\blat\b|e2e|end.to.end|response time|antwortzeit|tempo de resposta", "e2e_ms"),
    (r"duration|elapsed|wall|laufzeit|dauer|dura[cç]", "duration_s"),
    (r"concurren|parallel|\busers?\b|clients?\b|nutzer|usu[aá]rio|nebenl|concorr", "concurrency"),
    (r"batch", "batch_size"),
    (r"\b(isl|input|prompt|eingabe|entrada)\b.*(len|tok|size|l[aä]nge)?", "input_tokens"),
    (r"\b(osl|output|generated|completion|ausgabe|sa[ií]da)\b.*(len|tok|size|l[aä]nge)?", "output_tokens"),
    (r"fail|error|fehler|falha|erros?\b", "failed"),
    (r"complet|success|succeeded|erfolg|sucesso", "completed"),
    (r"price|cost.*(h|hour)\b|preis|pre[cç]o|usd|\$", "price_usd_per_hour"),
    (r"instance|instanz|inst[aâ]ncia|machine type|\bsku\b", "instance_type"),
    (r"(\b(num|number|count|anzahl|n)\b|#).*(gpu|chip|accelerator|device)|gpus\b", "accelerator_count"),
    (r"platform|plattform|plataforma|backend", "platform"),
    (r"\bgpu|\bchip|accelerator|hardware|device|\bhw\b", "accelerator"),
    (r"precision|dtype|data type|quanti|pr[aä]zision|precis", "precision"),
    (r"model|modell|modelo|checkpoint", "model"),
    (r"(sdk|driver|cuda|neuron).*version", "sdk_version"),
    (r"(engine|framework|server|vllm).*version", "engine_version"),
    (r"engine|framework|server|runtime", "engine"),
    (r"data ?set|datensatz", "dataset"),
    (r"scenario|szenario|cen[aá]rio|workload", "scenario"),
    (r"date|timestamp|datum|data\b|measured", "measured_at"),
)
_STATISTIC = re.compile(
    r"\b(?:p|perc\w*|quantile)? ?(50|90|95|99)(?:th|st|%|p|\.0)?\b|"
    r"\b(mean|avg|average|mittel\w*|m[eé]dia|median\w*|mediana)\b"
)
_TAIL_UNIT = re.compile(r"(.+?)[\s_.-](ns|us|µs|ms|s|sec|secs|seconds|min|h|pct|percent|%)$", re.IGNORECASE)
_RATE_UNIT = re.compile(
    r"(tok\w*|req\w*|quer\w*|sample\w*|image\w*|inf\w*|seq\w*) ?(?:/|per) ?(s|sec|second|min|minute|h|hour)\b"
)
_THINGS = {"tok": "tokens", "req": "requests", "que": "requests", "seq": "sequences"}


@dataclass(frozen=True, slots=True)
class Guess:
    """Propose what a column is.

    `quantity` is a canonical name, without the statistic for a latency; `statistic` and `unit` are None where nothing
    states them.
    """

    label: str
    samples: tuple[str, ...]
    quantity: str | None = None
    statistic: str | None = None
    unit: str | None = None

    @property
    def name(self) -> str | None:
        """Return the canonical name; «?» stands for a statistic that has still to be said."""
        if self.quantity in _LATENCIES:
            return f"{self.quantity}_{self.statistic or '?'}"
        return self.quantity


def quantities() -> dict[str, str]:
    """Return what a column can be → in words: canonical names, latencies without their statistic."""
    words: dict[str, str] = {}
    for column in schema.BENCHMARK_COLUMNS:
        latency = next((name for name in _LATENCIES if column.name.startswith(f"{name}_")), None)
        words.setdefault(
            latency or column.name, column.description.rsplit(", ", 1)[0] if latency else column.description
        )
    return words


def needs_statistic(quantity: str) -> bool:
    """Tell whether a quantity is known only together with its statistic."""
    return quantity in _LATENCIES


def guess(cells: Grid) -> tuple[Guess, ...]:
    """Return a proposal for each column of a table; each canonical column is proposed once."""
    proposals: list[Guess] = []
    taken: set[str] = set()
    for place, label in enumerate(map(str, cells.frame.columns)):
        column = cells.frame[label].head(_LOOKED_AT)
        filled = [cell for cell in column if cell is not None and str(cell).strip().lower() not in NOTHING]
        samples = tuple(dict.fromkeys(show(cell)[1:-1] for cell in filled))[:_SAMPLES]
        proposal = Guess(label, samples)
        if place < _MAX_GUESSED and filled:
            proposal = _propose(label, samples, filled)
        if proposal.name in taken:
            proposal = Guess(label, samples)
        if proposal.name:
            taken.add(proposal.name)
        proposals.append(proposal)
    return tuple(proposals)


def _propose(label: str, samples: tuple[str, ...], filled: Sequence[object]) -> Guess:
    header = plain(re.sub(r"#\d+$", "", label))
    exact = "_".join(header.casefold().split())
    if exact in _COLUMNS:
        return _of_canonical(label, samples, exact)
    words = _words(header)
    quantity = next((name for pattern, name in _MEANINGS if re.search(pattern, words)), None)
    if quantity is None:
        return Guess(label, samples)
    column = _COLUMNS[f"{quantity}_mean" if quantity in _LATENCIES else quantity]
    if column.is_number and not any(re.search(r"\d", str(cell)) for cell in filled):
        return Guess(label, samples)
    statistic = _statistic(words) if quantity in _LATENCIES else None
    return Guess(label, samples, quantity, statistic, _unit(header, column, filled))


def _of_canonical(label: str, samples: tuple[str, ...], name: str) -> Guess:
    """Return the proposal for a header that is canonical: its unit is part of the name."""
    column = _COLUMNS[name]
    unit = column.unit if factors(column) else None
    quantity, _, statistic = name.rpartition("_")
    if quantity in _LATENCIES:
        return Guess(label, samples, quantity, statistic, unit)
    return Guess(label, samples, name, None, unit)


def _words(header: str) -> str:
    """Return a header as words: snake case and camel case parted, lower case."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", header)
    return " ".join(re.sub(r"[_.\-:()\[\]]+", " ", parted).casefold().split())


def _statistic(words: str) -> str | None:
    match = _STATISTIC.search(words)
    if match is None:
        return None
    if match[1]:
        return f"p{match[1]}"
    return "p50" if match[2].startswith("median") else "mean"


def _unit(header: str, column: schema.Column, filled: Sequence[object]) -> str | None:
    """Return the unit that a header states in brackets or at its end, else the one that every text cell carries."""
    if not factors(column):
        return None
    _, bracketed = split(header)
    candidates = [bracketed] if bracketed else []
    tail = _TAIL_UNIT.fullmatch(header)
    candidates += [tail[2]] if tail else []
    rate = _RATE_UNIT.search(_words(header))
    if rate:
        candidates.append(f"{_THINGS.get(rate[1][:3], 'samples')}/{rate[2]}")
    candidates += {"rps": ["requests/s"], "qps": ["requests/s"], "tps": ["tokens/s"], "fps": ["samples/s"]}.get(
        _words(header).split()[-1], []
    )
    candidates += ["%"] if "%" in header else []
    candidates += ["USD/h"] if re.search(r"(usd|\$).*(/|per) ?h", _words(header)) else []
    stated = next((unit for text in candidates if (unit := read_unit(column, text))), None)
    if stated:
        return stated
    carried = {split_cell(cell, column)[1] for cell in filled}
    return carried.pop() if len(carried) == 1 else None
