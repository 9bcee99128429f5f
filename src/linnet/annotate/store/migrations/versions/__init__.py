"""Migrations, one file each, in order. `downgrade` drops what `upgrade` added: a backup is restored into tables of its version."""
