"""The tables. New databases are made from them; a change needs a migration in `migrations/versions/` for existing ones.

    users ─┬─ sign_ins
           ├─ devices            browsers in which they have signed in
           └─ api_tokens         of their scripts
    reserved_names               for existing annotations without an account
    invitations ── invitation_uses
    projects ─┬─ documents ─┬─ sheets ── annotations
              │             ├─ assignments   to members
              │             └─ comments
              ├─ members         accounts, each with a role
              ├─ versions        of the model
              ├─ corrections     of what was learnt
              ├─ jobs
              └─ mappings ─┬─ mapping_settings, mapping_versions
                           └─ mapping_rows ── mapping_states, mapping_codes, mapping_proposals, mapping_log
    log        append-only, refers to the others by id but outlives them

Each document has one sheet without an owner, the shared one: uploaded annotations, the model's predictions, and in shared projects
all user annotations. In independent projects each annotator who opens the document also gets their own sheet, and a curator makes
a curated one.
"""

from linnet.annotate.store.tables.accounts import Device, SignIn, User
from linnet.annotate.store.tables.base import Base
from linnet.annotate.store.tables.comments import Comment
from linnet.annotate.store.tables.documents import CURATED, Annotation, Assignment, Document, Sheet
from linnet.annotate.store.tables.entrance import ApiToken, Invitation, InvitationUse, ReservedName
from linnet.annotate.store.tables.history import LogEntry
from linnet.annotate.store.tables.mappings import MAPPING_LOG, MAPPING_TABLES, Mapping
from linnet.annotate.store.tables.projects import Correction, Job, Member, Project, Version

__all__ = [
    "CURATED",
    "MAPPING_LOG",
    "MAPPING_TABLES",
    "Annotation",
    "ApiToken",
    "Assignment",
    "Base",
    "Comment",
    "Correction",
    "Device",
    "Document",
    "Invitation",
    "InvitationUse",
    "Job",
    "LogEntry",
    "Mapping",
    "Member",
    "Project",
    "ReservedName",
    "Sheet",
    "SignIn",
    "User",
    "Version",
]
