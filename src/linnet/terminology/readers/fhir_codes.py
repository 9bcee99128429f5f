"""The codes of FHIR resources as concepts: names, parents, state, and whose codes they are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from linnet.curies import curie
from linnet.plural import counted
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entries, Entry
from linnet.terminology.readers.fhir_systems import known_prefix, last_part
from linnet.terminology.readers.json_objects import inner, objects, text
from linnet.terminology.readers.options import ReadOptions
from linnet.terminology.readers.semantic_tag import FULLY_SPECIFIED_NAME, untagged

__all__ = ["Gathering", "Resource"]

_DEFINITIONS = {"900000000000550004", "definition"}
# Names of a property (in lower case) → what it means here. Concept properties of FHIR, and usual ones of servers.
_MEANINGS = {
    "parent": "parent",
    "subsumedby": "parent",
    "broader": "parent",
    "child": "child",
    "narrower": "child",
    "inactive": "state",
    "deprecated": "state",
    "status": "state",
    "synonym": "synonym",
    "replacedby": "successor",
    "replaced-by": "successor",
    "replaced_by": "successor",
}
_DEAD = {"true", "inactive", "retired", "deprecated", "withdrawn", "obsolete", "entered-in-error"}
# Tags of SNOMED CT's fully specified names; a display that ends in one is such a name.
_TAGS = frozenset({
    "assessment scale", "attribute", "body structure", "cell", "cell structure", "clinical drug", "disorder", "dose form",
    "environment", "event", "finding", "medicinal product", "medicinal product form", "morphologic abnormality", "observable entity",
    "occupation", "organism", "person", "physical force", "physical object", "procedure", "product", "qualifier value",
    "record artifact", "regime/therapy", "situation", "social concept", "specimen", "staging scale", "substance", "tumor staging",
})  # fmt: skip


class Resource:
    """A CodeSystem, or a ValueSet with the codes of its expansion, else those its rules list.

    kind      "CodeSystem" or "ValueSet"
    title     what people call it
    codes     the outermost codes, each an object of the resource
    language  of the displays; "" where it is not said
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.kind: str = document["resourceType"]
        self.title = str(
            document.get("title") or document.get("name") or document.get("id") or document.get("url") or "?"
        )
        self.language = str(document.get("language") or "")
        expansion = inner(document, "expansion")
        if self.kind == "CodeSystem":
            self.codes: list[Any] = objects(document, "concept")
        elif expansion:
            self.codes = objects(expansion, "contains")
        else:
            self.codes = [
                {**code, "system": rule.get("system", "")}
                for rule in objects(inner(document, "compose"), "include")
                for code in objects(rule, "concept")
            ]
        for parameter in objects(expansion, "parameter"):
            if parameter.get("name") == "displayLanguage":
                self.language = str(_value(parameter) or self.language)
        self.is_a = document.get("hierarchyMeaning") != "part-of"
        self._document = document
        declared = [*objects(document, "property"), *objects(expansion, "property")]
        self._meanings = {str(item.get("code")): _meaning(item) for item in declared}

    @property
    def system(self) -> str:
        """The URI of a CodeSystem (of the one it supplements), or its name; "" for a ValueSet."""
        if self.kind == "ValueSet":
            return ""
        named = self._document.get("supplements") or self._document.get("url") or self._document.get("name")
        return str(named or self._document.get("id") or "").partition("|")[0]

    def own_prefix(self) -> str:
        """The prefix that a CodeSystem gives itself: its id or its name, unless those are numbers of a server."""
        named = [str(self._document.get(key) or "") for key in ("id", "name")]
        plain = [
            name for name in named if name and not name[0].isdigit() and " " not in name and len(name) < 36
        ]
        return plain[0] if plain else last_part(self.system)

    def meaning(self, property: Mapping[str, Any]) -> str:
        """What a property of a concept means here; "" for one that is not read."""
        code = str(property.get("code"))
        return self._meanings.get(code) or _MEANINGS.get(code.lower(), "")

    def nodes(self) -> Iterator[dict[str, Any]]:
        """All codes, those inside others too."""
        waiting = list(self.codes)
        while waiting:
            code = waiting.pop()
            yield code
            waiting.extend(self.below(code))

    def below(self, code: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The codes inside a code."""
        return objects(code, "concept" if self.kind == "CodeSystem" else "contains")

    def systems(self) -> list[str]:
        """The URIs of the systems that the codes are of, in order."""
        if self.kind == "CodeSystem":
            return [self.system]
        return sorted(
            {str(node.get("system") or "").partition("|")[0] for node in self.nodes() if node.get("code")}
        )

    def count(self) -> int:
        """Number of codes."""
        return sum(1 for _ in self.nodes())


class Gathering:
    """Takes the codes of resources into `entries`, and counts what is left out.

    prefixes  URI of a system → prefix of its codes
    """

    def __init__(
        self, entries: Entries, prefixes: Mapping[str, str], options: ReadOptions, path: Path
    ) -> None:
        self._entries, self._prefixes, self._options, self._path = entries, prefixes, options, path
        self._children: list[tuple[str, str]] = []  # (parent, child)
        self._dead = self._abstract = self._parts = 0
        self._wanted: set[str] = set()  # languages asked for
        self._languages: Counter[str] = Counter()  # of names left out

    def add(self, resource: Resource) -> None:
        """Take all codes of a resource. What is no code is malformed, as is a code that a CodeSystem has twice."""
        default = resource.language.partition("-")[0] or "en"
        wanted = {language.lower() for language in self._options.languages or {default}}
        self._wanted |= wanted
        seen: set[str] = set()
        waiting = [(code, "") for code in reversed(resource.codes)]
        while waiting:
            code, above = waiting.pop()
            if not code.get("code") and resource.kind == "CodeSystem":
                self._options.malformed(
                    f"{json.dumps(code)[:60]} is a concept without a code.", path=self._path
                )
                continue
            id = above
            if code.get("code"):
                id = self._id(str(code["code"]), str(code.get("system") or resource.system))
                if resource.kind == "CodeSystem" and id in seen:
                    self._options.malformed(f"the code '{code['code']}' occurs twice.", path=self._path)
                    continue
                seen.add(id)
                self._take(code, id, above, resource, wanted)
            waiting.extend((inner, id) for inner in reversed(resource.below(code)))

    def tell(self) -> None:
        """Settle the children that concepts name, and tell what was left out."""
        absent = 0
        for parent, child in self._children:
            if child in self._entries:
                self._entries[child].parents.append(parent)
            else:
                absent += 1
        suppressed = "--suppressed reads them"
        for count, what in (
            (self._dead, f"inactive, retired or deprecated codes left out; {suppressed}"),
            (
                self._abstract,
                f"abstract entries, which a ValueSet does not contain, left out; {suppressed}",
            ),
            (
                self._parts,
                "concepts listed inside others as their parts (hierarchyMeaning: part-of) got no parents",
            ),
            (absent, "children named by concepts, missing from the file"),
        ):
            if count:
                self._options.tell(f"{counted(count, what)}.", path=self._path)
        if self._languages:
            listed = ", ".join(
                f"{language} ({count:,})" for language, count in self._languages.most_common(20)
            )
            several = [language for language, _ in self._languages.most_common(3)]
            choices = " ".join(dict.fromkeys([*sorted(self._wanted), *several]))
            self._options.tell(
                f"names in other languages were left out: {listed}. To read some: --languages {choices}",
                path=self._path,
            )

    def _take(
        self, code: Mapping[str, Any], id: str, above: str, resource: Resource, wanted: set[str]
    ) -> None:
        system = str(code.get("system") or resource.system)
        properties: dict[str, list[Any]] = {}
        for property in objects(code, "property"):
            properties.setdefault(resource.meaning(property), []).append(_value(property))
        successors = [self._code(value, system) for value in properties.get("successor", ())]
        dead = bool(code.get("inactive")) or any(_is_dead(value) for value in properties.get("state", ()))
        if not self._options.suppressed:
            if dead:
                self._dead += 1
                if successors:
                    self._entries[id].replaced_by.extend(successors)
                return
            if code.get("abstract") and resource.kind == "ValueSet":
                self._abstract += 1
                return
        entry = self._entries[id]
        self._name(entry, code, resource, wanted, snomed=id.startswith("SNOMEDCT:"))
        entry.definition = entry.definition or clean(text(code, "definition"))
        for value in properties.get("synonym", ()):
            if isinstance(value, str) and " " in value:
                entry.names.append(clean(value))
        if above and resource.is_a:
            entry.parents.append(above)
        elif above:
            self._parts += 1
        entry.parents.extend(self._code(value, system) for value in properties.get("parent", ()))
        self._children.extend((id, self._code(value, system)) for value in properties.get("child", ()))

    def _name(
        self, entry: Entry, code: Mapping[str, Any], resource: Resource, wanted: set[str], *, snomed: bool
    ) -> None:
        display = clean(text(code, "display"))
        shown = bool(display) and self._speaks(resource.language, wanted)
        spoken: list[str] = []  # in a language asked for
        unsaid: list[str] = []  # in a language that is not said
        full: list[str] = []
        for designation in objects(code, "designation"):
            name = clean(text(designation, "value"))
            use = text(inner(designation, "use"), "code")
            language = text(designation, "language")
            if not name or not self._speaks(language, wanted):
                continue
            if use in _DEFINITIONS:
                entry.definition = entry.definition or name
                continue
            if snomed and use == FULLY_SPECIFIED_NAME:
                plain, tag = untagged(name)
                entry.types.append(tag)
                full.append(plain)
                shown = shown and display != name
            else:
                (spoken if language else unsaid).append(name)
        if shown and snomed and untagged(display)[1] in _TAGS:
            display, tag = untagged(display)
            entry.types.append(tag)
        entry.names.extend([*([display] if shown else []), *spoken, *unsaid, *full])

    def _speaks(self, language: str, wanted: set[str]) -> bool:
        plain = language.lower()
        if not plain or any(plain == name or plain.startswith(f"{name}-") for name in wanted):
            return True
        self._languages[language] += 1
        return False

    def _code(self, value: Any, system: str) -> str:
        """The id of a code that a property names, as a code or as a Coding with a system of its own."""
        if isinstance(value, dict):
            return self._id(str(value.get("code")), str(value.get("system") or system))
        return self._id(str(value), system)

    def _id(self, code: str, system: str) -> str:
        system = system.partition("|")[0]
        prefix = self._prefixes.get(system) or known_prefix(system) or last_part(system)
        return curie(code if code.lower().startswith(f"{prefix.lower()}:") else f"{prefix}:{code}")


def _meaning(declared: Mapping[str, Any]) -> str:
    """What a declared property means, by the URIs of FHIR's concept properties."""
    uri = str(declared.get("uri") or "")
    return _MEANINGS.get(uri.rpartition("#")[2].lower(), "") if "concept-properties#" in uri else ""


def _value(item: Mapping[str, Any]) -> Any:
    return next((value for key, value in item.items() if key.startswith("value")), None)


def _is_dead(value: Any) -> bool:
    """Whether a property of state says so: a flag, a word, or the date since when it is deprecated."""
    text = str(value).lower()
    return text in _DEAD or text[:4].isdigit()
