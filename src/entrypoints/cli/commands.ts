/**
 * The operator's commands: the one table that parsing, help and docs/command-line.md are derived
 * from.
 */
import type { Command } from './command.ts'
import { backupCommands } from './backup-commands.ts'
import { bouncesCommand } from './bounces-command.ts'
import { campaignCommands } from './campaign/campaign-commands.ts'
import { capturedCommands } from './captured-commands.ts'
import { cellCommands } from './cell-commands.ts'
import { databaseCommands } from './database-commands.ts'
import { doctorCommand } from './doctor-command.ts'
import { domainCommands } from './domain-commands.ts'
import { fieldCommands } from './field-commands.ts'
import { formCommands } from './form-commands.ts'
import { topicCommands } from './topic-commands.ts'
import { initCommand } from './init-command.ts'
import { keyCommands } from './key-commands.ts'
import { memberCommands } from './member-commands.ts'
import { migrateCommand } from './migrate-command.ts'
import { contactCommands } from './contact-commands.ts'
import { planCommands } from './plan-commands.ts'
import { providerCommands } from './provider-commands.ts'
import { restoreCommands } from './restore/restore-commands.ts'
import { reputationCommands } from './reputation-commands.ts'
import { retentionCommands } from './retention-commands.ts'
import { requestCommands } from './request-commands.ts'
import { segmentCommands } from './segment-commands.ts'
import { senderCommands } from './sender-commands.ts'
import { startCommand } from './start-command.ts'
import { subscriberCommands } from './subscriber-commands.ts'
import { suppressionCommands } from './suppression-commands.ts'
import { webhookCommands } from './webhook-commands.ts'
import { workspaceCommands } from './workspace-commands.ts'

/** In the order in which an operator meets them. */
export const commands: readonly Command[] = [
  startCommand,
  ...workspaceCommands,
  ...memberCommands,
  ...keyCommands,
  ...requestCommands,
  ...domainCommands,
  ...senderCommands,
  ...providerCommands,
  ...formCommands,
  ...planCommands,
  ...fieldCommands,
  ...topicCommands,
  ...subscriberCommands,
  ...segmentCommands,
  ...campaignCommands,
  ...suppressionCommands,
  bouncesCommand,
  ...webhookCommands,
  ...contactCommands,
  ...reputationCommands,
  ...capturedCommands,
  ...retentionCommands,
  initCommand,
  migrateCommand,
  ...backupCommands,
  ...restoreCommands,
  ...databaseCommands,
  ...cellCommands,
  doctorCommand,
]
