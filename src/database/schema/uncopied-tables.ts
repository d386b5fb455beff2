/** Tables that no copy holds, and why. */
export const uncopiedTables: Readonly<Record<string, string>> = {
  schema_migration: 'the manifest lists the migrations, and a restore applies each',
  compatible_migration: 'the same',
  database_identity: 'each database has its own',
  database_copy: 'it says of this database alone what a copy of it does',
  database_copy_process: 'the same',
  clean_up_failure: 'each round of the clean-up finds it out again',
  workspace_move:
    'it says how far the move of a workspace from cell to cell is, which is begun again in a copy',
  move_gate: 'the same',
  move_change: 'the same',
}

/** A database without this table is older than backups (migrations/0064_after_a_restore.sql). */
export const tableOfBackups = 'held_work'
