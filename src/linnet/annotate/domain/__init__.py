"""What the annotation tool is about, without the web: rules over the rows of `linnet.annotate.store`.

    accounts/         users, passwords, sessions, API tokens
    projects/         finding a project, its members, invitations, and who sees what of it
    learning/         the queue of jobs, versions of a project's model, corrections of it
    attributes/       of mentions: definitions, first guesses, uploaded values
    assignments/      who annotates which documents, and how far each person is
    annotations/      changing the annotations of a sheet: undo, redo, conflicts
    documents/        listing and ordering a project's documents
    mentions/         of all documents: searching, and changing many
    curation/         settling disagreements of independent annotators
    comments          on documents and mentions
    agreement/        of annotators
    uploads/          received within limits, read, added, and reported
    exports/          corpus formats and the table of annotations
    project_settings  creating and changing projects

Functions take a session of their caller, so a request is one transaction; those that need several take the database.
"""
