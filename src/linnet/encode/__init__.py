"""Strings → vectors: a static hashed n-gram encoder, and transformers in ONNX Runtime, without torch."""

from linnet.encode.encoder import Encoder, unit
from linnet.encode.load import encoder_digest, encoder_of_model, encoders, load_encoder

__all__ = ["Encoder", "encoder_digest", "encoder_of_model", "encoders", "load_encoder", "unit"]
