"""Called by Alembic with the connection that `linnet.annotate.store.migrate` opened."""

from alembic import context

from linnet.annotate.store.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
