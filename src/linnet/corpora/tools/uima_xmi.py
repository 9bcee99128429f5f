"""The feature structures of a CAS in XMI, read without a type system.

In XMI, each structure is an element: the namespace is the package (`http:///webanno/custom.ecore` is `webanno.custom`), the
local name the type, attributes the features; arrays of strings are child elements. `dkpro-cassis` would need the
TypeSystem.xml, which is often lost, and drops what it does not define.
"""

from __future__ import annotations

from linnet.advice import Step
from linnet.corpora.reading import FileReading
from linnet.corpora.tools.uima_layers import Structure

__all__ = ["xmi_structures"]

_XMI = "{http://www.omg.org/XMI}"
_CAS = "http:///uima/cas.ecore"


def xmi_structures(content: bytes, reading: FileReading) -> list[Structure]:
    """All feature structures in file order. Raises DataError for other content."""
    from lxml import etree

    if any("<!DOCTYPE".encode(encoding) in content for encoding in ("utf-8", "utf-16-le", "utf-16-be")):
        raise reading.error("has a document type declaration, which XMI does not allow. Export it again.")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise reading.error(f"not valid XML: {error}. Is the file complete?") from None
    if root is None or root.tag != f"{_XMI}XMI":
        name = "" if root is None else etree.QName(root).localname
        advice = " Name the .xmi file instead." if name == "typeSystemDescription" else ""
        raise reading.error(
            f"expected UIMA CAS XMI, whose root is <xmi:XMI>; got <{name}>.{advice} Is it an export of INCEpTION?",
            Step.NAME_FORMAT(),
        )
    structures = []
    for element in root:
        if not isinstance(element.tag, str):
            continue  # a comment
        tag = etree.QName(element)
        if tag.namespace == _CAS and tag.localname in ("NULL", "View"):
            continue
        features: dict[str, str | list[str]] = {
            str(key): str(value) for key, value in element.attrib.items() if not str(key).startswith("{")
        }
        for child in element:
            if isinstance(child.tag, str):
                values = features.setdefault(etree.QName(child).localname, [])
                if isinstance(values, list):
                    values.append(child.text or "")
        structures.append(
            Structure(str(element.get(f"{_XMI}id", "")), _type(tag.namespace or "", tag.localname), features)
        )
    return structures


def _type(namespace: str, local: str) -> str:
    package = namespace.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
    return f"{package}.{local}" if package else local
