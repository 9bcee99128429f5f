"""The bodies of requests and responses, as the OpenAPI document shows them.

Offsets count Unicode code points from the beginning of the document's text, `end` exclusive, as in Python and in every
corpus format; JavaScript, which counts UTF-16 code units, converts them where it receives and sends them.
Times are UTC in ISO 8601. A refused request is answered with a `Problem`.
"""
