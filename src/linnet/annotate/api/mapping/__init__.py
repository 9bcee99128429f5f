"""The API of a mapping's review: of one person's on their own machine (`linnet.annotate.review`), and of a project's.

access   the mapping of a request, and who decides
routes   rows and decisions; `many` approves in bulk; `concepts` looks concepts up
team     what only hosted mappings have: making, newer tables, new releases, import, agreement
schemas  bodies of requests and answers; `views` makes them of rows
"""
