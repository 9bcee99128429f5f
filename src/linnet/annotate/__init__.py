"""The annotation tool: people correct what the linker is least sure of, and it learns from the corrections.

    api/      REST: a route checks the user, calls one function of the domain, and answers
    archive/  backups of a project and of a server
    jobs/     predicting and training, in a process of their own
    domain/   the rules: accounts, projects, annotations, curation, …
    store/    tables, migrations, the append-only log
    review/   the server of `linnet map review`, over linnet.mapping instead of a database

Each imports only those below it (`pyproject.toml` has the contract).
Needs the `annotate` extra; importing this package alone loads none of it.
"""
