"""Retrieval: each index is built from a terminology and finds concepts for texts, as `Hits`."""

from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.index import Index
from linnet.retrieve.registry import build_retriever, open_retriever, retriever_class, retrievers

__all__ = ["Hits", "Index", "Origin", "build_retriever", "open_retriever", "retriever_class", "retrievers"]
