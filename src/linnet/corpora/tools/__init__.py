"""Readers for exports of annotation tools, one file for each. linnet does not write these formats."""
