"""Bodies of requests and responses, as the OpenAPI document shows them.

Offsets count Unicode code points from the start of the document's text, `end` exclusive, as in Python and the corpus formats;
the page converts them to JavaScript's UTF-16 code units. Times are UTC in ISO 8601. The answer to a refused request is a
`Problem`. `fields.tsv` describes the fields and parameters; a test fails for one that it leaves out.
"""
