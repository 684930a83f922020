"""Decide from the command line: `python -m analysis decide SCENARIO.json|- [--db PATH]`; `inputs` lists the inputs."""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from analysis.errors import ScenarioError
from analysis.model.decision import decide
from analysis.model.evidence import decide_filled, fill_scenario, gather_evidence
from analysis.model.ranges import input_ranges
from analysis.model.reading import inputs_markdown, parse_scenario, read_scenario
from analysis.model.scenario import Scenario
from analysis.model.sensitivity import analyse_sensitivity
from analysis.model.timing import plan_timing
from analysis.model.uncertainty import simulate


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 for an input error, which is printed as JSON on standard output."""
    options = _parser().parse_args(arguments)
    if options.command == "inputs":
        print(inputs_markdown())
        return 0
    try:
        result = _decide(options)
    except ScenarioError as error:
        print(json.dumps({"error": error.message, "field": error.field}))
        return 2
    print(json.dumps(result, indent=1, allow_nan=False))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m analysis", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("inputs", help="print every input with unit, default and bounds, as a table")
    command = commands.add_parser("decide", help="print the best next act and all that supports it, as JSON")
    command.add_argument("scenario", help="a scenario file, or - for standard input")
    command.add_argument("--db", type=Path, help="complete the scenario from the uploads in this store")
    command.add_argument("--model", help="model to compare (default: the newest with runs on both platforms)")
    command.add_argument("--baseline", help="platform in use (default: cuda)")
    command.add_argument("--candidate", help="platform being judged (default: neuron)")
    command.add_argument("--metric", help="unit of work, a throughput column (default: the first both platforms have)")
    doubt = command.add_argument_group("doubt", "each adds one part to the output")
    doubt.add_argument("--uncertainty", action="store_true", help="all uncertain inputs drawn jointly")
    doubt.add_argument(
        "--sensitivity", action="store_true", help="tornado, elasticities, Sobol indices, frontiers, value"
    )
    doubt.add_argument("--timing", action="store_true", help="when to act: wait, test or migrate, by month")
    doubt.add_argument("--draws", type=_count, default=None, help="number of draws (a power of two is best)")
    doubt.add_argument("--seed", type=_seed, default=0, help="seed of the draws")
    return parser


def _count(text: str) -> int:
    count = int(text)
    if not 2 <= count <= 1_000_000:
        raise argparse.ArgumentTypeError("between 2 and 1,000,000")
    return count


def _seed(text: str) -> int:
    seed = int(text)
    if not 0 <= seed < 2**31:
        raise argparse.ArgumentTypeError("between 0 and 2,147,483,647")
    return seed


def _decide(options: argparse.Namespace) -> dict[str, Any]:
    text = _read(options.scenario)
    parse_scenario(text)
    stated: dict[str, Any] = json.loads(text)
    for side in ("baseline", "candidate"):
        stated |= {side: getattr(options, side)} if getattr(options, side) else {}
    chosen = {name: getattr(options, name) for name in ("model", "metric") if getattr(options, name)}
    if chosen:
        stated["benchmarks"] = {**(stated.get("benchmarks") or {}), **chosen}
    scenario = read_scenario(stated)
    input_ranges(scenario)  # a wrong range is said whether or not the doubt is asked for
    if options.db is None:
        return decide(scenario).as_dict() | _doubt(scenario, options)
    # The command line is where the two sides meet: analysis itself knows no store.
    from data.errors import DataError
    from data.evidence import StoreEvidence
    from data.store import open_store

    if not options.db.exists():
        raise ScenarioError("--db", f"there is no store at {options.db}; `python -m data load` makes one")
    try:
        with closing(open_store(options.db)) as store:
            evidence = gather_evidence(StoreEvidence(store), scenario)
    except DataError as error:
        raise ScenarioError("--db", str(error)) from None
    filled = fill_scenario(stated, evidence)
    return decide_filled(filled).as_dict() | _doubt(filled.scenario, options)


def _doubt(scenario: Scenario, options: argparse.Namespace) -> dict[str, Any]:
    """Return the parts of the output that were asked for; torch is loaded only for those that need it."""
    found: dict[str, Any] = {}
    draws = {} if options.draws is None else {"draws": options.draws}
    if options.timing:
        found["timing"] = plan_timing(scenario).as_dict()
    if options.uncertainty:
        found["uncertainty"] = simulate(scenario, seed=options.seed, **draws).as_dict()
    if options.sensitivity:
        found["sensitivity"] = analyse_sensitivity(scenario, seed=options.seed, **draws)
    return found


def _read(path: str) -> str:
    if path == "-":
        return sys.stdin.read()
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError("", f"cannot read {path}: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
