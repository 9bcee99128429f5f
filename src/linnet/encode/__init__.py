"""Strings → vectors: a static hashed n-gram encoder, and transformers in ONNX Runtime, without torch."""

from linnet.encode.encoder import Encoder, unit
from linnet.encode.load import encoders, load_encoder

__all__ = ["Encoder", "encoders", "load_encoder", "unit"]
