"""What `teresa train data` does: list a store, add to it, check it, merge it, thin it."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from engine.cli.console import Column, cut, new_console, print_lines, print_warnings, table_of
from engine.cli.progress import ProgressDisplay
from engine.system.files import printable
from engine.training.data.manifest import POLICIES, VISITS, Chunk
from engine.training.data.new_chunk import inspect
from engine.training.data.store import ADDED, KNOWN, MENDED, ChunkOutcome, Store, store_to_write, surplus
from engine.training.data.store_check import check_store
from perft.exits import DONE, FAILED

NAME_LETTERS = 12  # of the name of a chunk, in tables


@dataclass
class Done:
    """What a command has done, or found."""

    lines: list[str] = field(default_factory=list)
    found: dict[str, Any] = field(default_factory=dict)  # as JSON
    status: int = DONE


def run_data(arguments: argparse.Namespace) -> int:
    """Do what was asked for, and show it."""
    if arguments.force and not (arguments.thin or arguments.remove):
        raise ValueError("--force is for --thin and --remove")
    if arguments.add:
        done = add(arguments)
    elif arguments.merge:
        done = merge(arguments)
    elif arguments.thin or arguments.remove:
        done = take_out(arguments)
    elif arguments.check:
        done = check(arguments)
    else:
        done = Done()
    store = Store(arguments.store)
    if not arguments.check:  # which says so itself
        print_warnings(store.warnings())
    show(store, done, as_json=arguments.json, with_table=not (arguments.check or done.lines))
    return done.status


# The work


def add(arguments: argparse.Namespace) -> Done:
    """Add files, after all of them were checked."""
    given = []
    with ProgressDisplay("checking", len(arguments.add)) as progress:
        for path in arguments.add:
            given.append(inspect(path))
            progress.advance()
    done = Done(found={"chunks_given": []})
    with store_to_write(arguments.store, create=True) as store:
        for path, new in zip(arguments.add, given, strict=True):
            note(done, str(path), store.add(new))
    return done


def merge(arguments: argparse.Namespace) -> Done:
    """Take in the chunks of other stores; status 1 if some of them are damaged there."""
    others = [Store(folder) for folder in arguments.merge]
    done = Done(found={"chunks_given": []})
    total = sum(len(other.chunks) for other in others)
    with store_to_write(arguments.store, create=True) as store, ProgressDisplay("merging", total) as progress:
        for other in others:
            print_warnings(other.warnings())
            for outcome in store.merge(other):
                note(done, str(other.path(outcome.chunk.name)), outcome)
                progress.advance()
    return done


def note(done: Done, place: str, outcome: ChunkOutcome) -> None:
    """Say what became of a chunk."""
    chunk, what = outcome
    is_damaged = what not in (ADDED, KNOWN, MENDED)
    text = f"{what}: not taken in" if is_damaged else f"{what}, {chunk.positions:,} positions"
    done.lines.append(f"{printable(place)}: {text} (chunk {chunk.name[:NAME_LETTERS]})")
    done.found["chunks_given"].append({"from": place, "chunk": chunk.name, "outcome": what})
    done.status = FAILED if is_damaged else done.status


def take_out(arguments: argparse.Namespace) -> Done:
    """Take chunks out, if --force is there; else say which. The same request finishes one that was interrupted."""
    request = request_of(arguments)
    with ExitStack() as stack:
        store = stack.enter_context(store_to_write(arguments.store)) if arguments.force else Store(arguments.store)
        if unfinished := store.unfinished(request):
            return finish(store, unfinished, request, force=arguments.force)
        chosen = to_remove(store, arguments)
        if not chosen:
            return Done(["nothing to delete"], {"removed": []})
        text = f"{len(chosen)} of {len(store.chunks)} chunks, {positions_of(chosen):,} of {store.positions:,} positions"
        left = store.positions - positions_of(chosen)
        kept = f"{left:,} positions ({left / store.positions:.1%})".replace("%", " %")
        if not arguments.force:
            names = ", ".join(chunk.name[:NAME_LETTERS] for chunk in chosen)
            raise ValueError(
                f"this deletes {text}, and keeps {kept}: {names}; if that is right, repeat it with --force"
            )
        if not arguments.json:
            print(f"kept: {kept}", flush=True)
        store.remove(chosen, request)
    return Done([f"deleted: {text}"], {"removed": [chunk.name for chunk in chosen], "kept_positions": left})


def finish(store: Store, names: Sequence[str], request: str, *, force: bool) -> Done:
    """Finish a removal that was interrupted."""
    text = f"{len(names)} chunks that an interrupted `{request}` had taken out"
    if not force:
        raise ValueError(f"this deletes {text}, and no others; repeat it with --force")
    store.finish_removal()
    return Done([f"deleted: {text}; the next `{request}` is a new request"], {"removed": list(names)})


def request_of(arguments: argparse.Namespace) -> str:
    """What is to be taken out, as the manifest notes it."""
    if arguments.remove:
        return " ".join(("--remove", *arguments.remove))
    keep = arguments.thin
    return f"--thin {100 * keep:.10g}%" if isinstance(keep, float) else f"--thin {keep}"


def to_remove(store: Store, arguments: argparse.Namespace) -> list[Chunk]:
    """The chunks to take out."""
    if arguments.remove:
        found = {chunk.name: chunk for chunk in map(store.find, arguments.remove)}
        return list(found.values())
    keep = arguments.thin
    return surplus(store, int(keep * store.positions) if isinstance(keep, float) else keep)


def check(arguments: argparse.Namespace) -> Done:
    """Read everything again; status 1 if anything is wrong."""
    store = Store(arguments.store)
    with ProgressDisplay("checking", len(store.chunks)) as progress:
        report = check_store(store, progress.advance)
    lines = [f"{printable(place)}: {kind}: {printable(advice)}" for kind, place, advice in report.faults]
    if store.manifest.damaged_lines:
        lines.append(f"lines of the manifest that are damaged: {store.manifest.damaged_lines}; they are skipped")
    if report.doubled:
        lines.append(f"games that are in several chunks: {report.doubled:,} of {report.games:,}")
    lines.append("faults: " + (str(len(report.faults)) if report.faults else "none"))
    faults = [fault._asdict() for fault in report.faults]
    return Done(lines, {"faults": faults, "doubled_games": report.doubled}, FAILED if faults else DONE)


# What is shown


def positions_of(chunks: Sequence[Chunk]) -> int:
    """The positions of some chunks."""
    return sum(chunk.positions for chunk in chunks)


def show(store: Store, done: Done, *, as_json: bool, with_table: bool) -> None:
    """What was done, the chunks if they were asked for, and what is there now."""
    chunks = store.chunks
    totals = {"games": sum(chunk.games for chunk in chunks), "positions": store.positions}
    totals["bytes"] = sum(chunk.bytes for chunk in chunks)
    if as_json:
        listed = [chunk.entry() for chunk in chunks]
        state = {
            "damaged_lines": store.manifest.damaged_lines,
            "not_recorded": [path.name for path in store.unrecorded()],
        }
        print(json.dumps({"store": str(store.folder), **state, **done.found, "chunks": listed, **totals}))
        return
    console = new_console(is_terminal=sys.stdout.isatty())
    print_lines(console, done.lines)
    if with_table and chunks:
        console.print(table_of(columns_of(chunks), console.width, cut))
    whole = ", ".join(f"{number:,} {name}" for name, number in totals.items())
    print_lines(console, [f"{printable(str(store.folder))}: {len(chunks):,} chunks, {whole}"])


def columns_of(chunks: Sequence[Chunk]) -> list[Column]:
    """The table of chunks."""
    return [
        Column("chunk", [chunk.name[:NAME_LETTERS] for chunk in chunks], 1, "left"),
        Column("games", [f"{chunk.games:,}" for chunk in chunks], 4),
        Column("positions", [f"{chunk.positions:,}" for chunk in chunks], 2),
        Column("with moves", [f"{chunk.labelled:,}" for chunk in chunks], 5),
        Column("visits", [visits_text(chunk) for chunk in chunks], 6, "left"),
        Column("bytes", [f"{chunk.bytes:,}" for chunk in chunks], 7),
        Column("from", [printable(source_text(chunk.source)) for chunk in chunks], 3, "left", least=12),
    ]


def visits_text(chunk: Chunk) -> str:
    """Has a chunk visits, or policies in few bytes?"""
    return "yes" if VISITS in chunk.files else "compact" if POLICIES in chunk.files else ""


def source_text(source: Mapping[str, Any]) -> str:
    """Where the games of a chunk came from: a file, or a run of `generate`."""
    plan = source.get("plan")
    if not isinstance(plan, dict):
        return str(source.get("name", ""))
    limit = plan.get("limit", plan.get("visits"))
    if "command" in plan:
        teacher = f"{plan['command']} {limit}"
    else:
        teacher = f"{plan['net']} {limit} visits" if "net" in plan else f"self-play {limit} visits"
    trees = f", trees of {plan['trees_visits']}" if "trees_visits" in plan else ""
    value_only = ", value only" if plan.get("value_only") else ""
    return f"generate: {teacher}{trees}{value_only}, seed {plan.get('seed')}"
