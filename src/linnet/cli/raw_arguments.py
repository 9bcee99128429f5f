"""Command lines, before they are parsed: options with several values in a row (`--types Disease Chemical`), lists of names, and
options that have become keys of a pipeline."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

__all__ = ["MOVED", "moved_option", "names_in", "spread_values"]

# Option → a line of a pipeline's file that stands for it.
MOVED = {
    "--encoder": 'encoder = "ngram"',
    "--memory": "memory = true",
    "--min-probability": "min_probability = 0.8",
    "--no-memory": "memory = false",
    "--recogniser": 'recogniser = "recogniser"',
    "--reranker": 'reranker = "none"',
    "--retriever": 'retrievers = ["exact", "dense"]',
}


def moved_option(args: Sequence[str], known: Collection[str]) -> str:
    """What to write instead of an option that is a key of a pipeline, for a command that takes --pipeline; "" without one."""
    words = (word.partition("=")[0] for word in args)
    option = next((word for word in words if word in MOVED and word not in known), "")
    if not option or "--pipeline" not in known:
        return ""
    line = MOVED[option]
    advice = f"Put a line such as '{line}' into a file, and name the file: --pipeline FILE.toml"
    if option == "--no-memory":
        advice = "Write: --pipeline no-memory"
    return f"No such option: {option}. It is the key '{line.partition(' ')[0]}' of the pipeline. {advice}"


def names_in(value: str) -> tuple[str, ...]:
    """The names in a list joined by commas.

    >>> names_in("exact, dense")
    ('exact', 'dense')
    """
    return tuple(name.strip() for name in value.split(",") if name.strip())


def spread_values(args: Sequence[str], *, repeatable: set[str], valued: set[str], required: int) -> list[str]:
    """`--types A B` rewritten as `--types A --types B`, the only form that the parser knows.

    repeatable  repeatable options                 valued    all other options that take a value
    required    number of required positional arguments

    The words after a repeatable option are its values. If too few positional arguments remain, the last of these words that
    exists as a file (or is `-`), else the last one, becomes the argument.

    >>> spread_values(["in.txt", "-t", "a", "b"], repeatable={"-t"}, valued=set(), required=1)
    ['in.txt', '-t', 'a', '-t', 'b']
    >>> spread_values(["-t", "a", "in.txt"], repeatable={"-t"}, valued=set(), required=1)
    ['-t', 'a', 'in.txt']
    """
    parts: list[tuple[str, ...]] = []  # (option, value), (option,) or (word,)
    extras: list[int] = []  # positions in `parts` of further values, which might be arguments
    option = ""
    words = iter(args)
    for word in words:
        if word == "--":
            parts.extend([(word,), *((rest,) for rest in words)])
            break
        if word.startswith("-") and word != "-":
            option = word if word in repeatable else ""
            takes = word in repeatable or word in valued
            value = next(words, None) if takes else None
            parts.append((word,) if value is None else (word, value))
        elif option:
            extras.append(len(parts))
            parts.append((option, word))
        else:
            parts.append((word,))
    missing = required - sum(len(part) == 1 and not _is_option(part[0]) for part in parts)
    for _ in range(min(missing, len(extras))):
        place = next((p for p in reversed(extras) if _is_input(parts[p][1])), extras[-1])
        extras.remove(place)
        parts[place] = parts[place][1:]
    return [word for part in parts for word in part]


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _is_input(word: str) -> bool:
    return word == "-" or Path(word).exists()
