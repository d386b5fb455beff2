/**
 * The tables that the installation has once, in the schema of cell 1. Each other table is of a
 * cell, and every cell has it (docs/decisions/0060-cells.md).
 */

/**
 * What cells are made with, and what the migrations note of themselves: read before anybody knows a
 * workspace.
 */
const ofInstallation = [
  'backup_state',
  'cell',
  'compatible_migration',
  'database_copy',
  'database_copy_process',
  'database_identity',
  'destination',
  'inbound_probe',
  'installation',
  'plan',
  'platform_suppression',
  'postmaster_state',
  'provider_pace',
  'provider_rate',
  'report_tally',
  'retention',
  'schema_migration',
  'sender_volume',
  'ses_notice',
  'ses_topic',
  'sts_policy',
  'tls_session',
  'workspace',
  'workspace_move',
]

/**
 * A user may be in several workspaces, and signs in before anybody knows one. So their memberships
 * are here too.
 */
const ofUsers = [
  'sign_in_rate',
  'user_account',
  'user_link',
  'user_passkey',
  'user_passkey_challenge',
  'user_session',
  'workspace_member',
]

export const globalTables: readonly string[] = [...ofInstallation, ...ofUsers]
