"""The oldest tables that linnet upgrades. New databases are made from `tables/`, so nothing makes these."""

revision = "0010"
down_revision = None
