/**
 * `facteur restore`: loads a backup into an empty installation, and says what is held and what is
 * lost.
 */
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { openBackup, type BackupReader } from '../../../database/transport/backup/backup-reader.ts'
import type { Config } from '../../../ground/config.ts'
import { checkVersion } from '../../../database/transport/backup/load-backup.ts'
import { checkFiles } from '../../../database/transport/backup/check-files.ts'
import { restoreBackup } from '../../../core/restore/restore-backup.ts'
import { withheldByWorkspace } from '../../../db/restore/withheld-counts.ts'
import { shownBytes } from '../../../ground/shown-values.ts'
import { connect } from '../../../database/client/connect.ts'
import { isFullDisk, lostConnection } from '../../../database/client/database-errors.ts'
import { hasNoRoom } from '../../../database/embedded/full-disk.ts'
import {
  markRestoreBegun,
  markRestoreLoaded,
} from '../../../database/embedded/unfinished-restore.ts'
import { fileError } from '../../../ground/file-error.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { createSecrets, makeMasterKey, readMasterKey } from '../../../ground/secrets.ts'
import { findBackupKey, keyFlag, showProgress } from '../backup-commands.ts'
import { defineCommand } from '../command.ts'
import { argument } from '../parameters.ts'
import { createProgressLine } from '../progress-line.ts'
import { CommandRefusal } from '../refusal.ts'
import { printed, type PrintedValue } from '../result.ts'
import { readText } from '../values.ts'
import { withheldLines, jsonOfWithheld } from './withheld-words.ts'

export const restoreCommand = defineCommand({
  name: 'restore',
  summary:
    'Load a backup into an empty data folder, or an empty database; nothing that was pending in it leaves by itself',
  note: `What was pending when the backup was made may have left since, so it is held until facteur restore release or discard. Mail accepted after the
restore leaves at once. Users sign in again.`.replaceAll('\n', ' '),
  arguments: { PLACE: argument('The folder of one backup, or the file of an archive.', readText) },
  flags: { key: keyFlag },
  examples: [
    'restore /backups/facteur-20261123T051553Z',
    'restore facteur.tar --key /safe/master.key',
  ],
  run: async (surroundings, { PLACE, key: file }) => {
    const config = surroundings.readConfig()
    const backup = await openBackup(resolve(PLACE))
    try {
      checkVersion(backup.manifest)
      const key = checkKey(
        config,
        backup,
        (await findBackupKey(surroundings, backup, file))?.key ?? null,
      )
      const folder = config.databaseUrl === null ? config.dataFolder : null
      if (folder !== null) refuseStrangeFolder(folder)
      const { progress, signal } = surroundings
      const checking = createProgressLine(surroundings, 'bytes checked')
      await checkFiles(backup, {
        signal,
        onProgress: (share, bytes) => checking.show(share, bytes),
      })
      // Without a database it has no installation either.
      if (folder !== null && !hasDatabase(folder)) markRestoreBegun(folder)
      const restore = async (connectionString: string): Promise<PrintedValue> => {
        await restoreBackup({
          ...{ connectionString, backup, progress, signal, onProgress: showProgress(surroundings) },
          onBegin() {
            if (folder !== null) markRestoreBegun(folder)
          },
          beforeCommit() {
            if (folder !== null && config.masterKey === null) makeMasterKey(folder, key)
          },
          onLoaded() {
            if (folder !== null) markRestoreLoaded(folder)
          },
        })
        const db = connect({ connectionString, poolSize: 1, applicationName: 'facteur restore' })
        try {
          const withheld = await withheldByWorkspace(db)
          const { name, takenAt, keyFingerprint } = backup.manifest
          return printed(
            {
              ...{
                id: name,
                taken_at: takenAt,
                restored_at: surroundings.clock.now().toISOString(),
                key_fingerprint: keyFingerprint,
              },
              held: withheld.map(jsonOfWithheld),
              lost: lostSince(takenAt),
            },
            [
              `${name} was restored. It shows ${takenAt}; what happened since then is not in it:`,
              ...lostSince(takenAt).map((line) => `- ${line}`),
              ...withheldLines(withheld, { now: surroundings.clock.now(), isReview: false }),
              `Next: facteur start`,
            ].join('\n'),
          )
        } finally {
          await db.end()
        }
      }
      return await surroundings
        .withDatabase(config, progress, restore, { isRestore: true })
        .catch((error: unknown) => {
          const isFull =
            isFullDisk(error) || (folder !== null && lostConnection(error) && hasNoRoom(folder))
          throw isFull ? new OperatorError(fullDisk(folder, backup)) : error
        })
    } finally {
      await backup.close()
    }
  },
})

/**
 * The key that a start on this database will have. Throws `CommandRefusal` without one, and for
 * another one.
 */
function checkKey(config: Config, backup: BackupReader, result: Buffer | null): Buffer {
  const { keyFingerprint } = backup.manifest
  const begins = `the key whose fingerprint begins with ${keyFingerprint.slice(0, 8)}`
  const own =
    config.masterKey ?? (config.databaseUrl === null ? readMasterKey(config.dataFolder) : null)
  if (own && createSecrets(own).fingerprint !== keyFingerprint) {
    const where = config.masterKey ? 'FACTEUR_MASTER_KEY' : `${config.dataFolder}/master.key`
    throw new CommandRefusal(
      'refused',
      `${where} is another key than that of the backup, which needs ${begins}. Nothing was changed.`,
    )
  }
  const key = result ?? own
  if (key === null)
    throw new CommandRefusal(
      'refused',
      `The backup cannot be used without its master key, ${begins}: name its file by --key.`,
    )
  if (config.databaseUrl !== null && config.masterKey === null)
    throw new CommandRefusal(
      'refused',
      'Set FACTEUR_MASTER_KEY to the key of the backup: every start with DATABASE_URL needs it.',
    )
  return key
}

/** The rows alone are named: what indexes and the log of the database take is not known before. */
function fullDisk(folder: string | null, { manifest }: BackupReader): string {
  const rows = shownBytes(manifest.tables.reduce((sum, { bytes }) => sum + bytes, 0))
  const why = `the disk ${folder === null ? 'of the database' : `of ${folder}`} is full: the rows of this backup take ${rows}, and their indexes as much again or more.`
  const elsewhere =
    folder === null ? 'into a new database elsewhere' : 'with FACTEUR_DATA on another disk'
  return `The restore ended in its middle, since ${why} Nothing of it is in use. Make room there and give the same line again, or restore ${elsewhere}.`
}

/** An unfinished restore leaves a database without an installation: another one may go on there. */
export function refuseStrangeFolder(folder: string): void {
  const names = namesIn(folder).filter((name) => !ofFirstMoments.test(name))
  if (names.length === 0 || names.some(isOfDatabase)) return
  throw new CommandRefusal(
    'refused',
    `${folder} is not empty, and holds no database of Facteur: name an empty folder. Nothing was changed.`,
  )
}

const isOfDatabase = (name: string): boolean =>
  name === 'database.json' || name === 'database.json.new'

const hasDatabase = (folder: string): boolean => namesIn(folder).some(isOfDatabase)

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw code === 'ENOTDIR'
      ? new CommandRefusal(
          'refused',
          `${folder} is a file, or lies below one: name an empty folder. Nothing was changed.`,
        )
      : fileError(folder, 'read', error)
  }
}

/** Of the file system, and of a command that was killed before it made a database. */
const ofFirstMoments = /^(?:lost\+found|\.probe.*|owner\.json.*|restore\.unfinished)$/

/** What no backup can know. */
const lostSince = (takenAt: string): string[] => [
  `Mail accepted since ${takenAt} is gone, with its status. Mail that has left cannot be called back.`,
  'Idempotency keys of that time are unknown: a caller who repeats such a call sends twice.',
  'Suppressions, unsubscriptions, bounces and complaints of that time are gone: a log of webhook calls gives them back by facteur restore events, a list of addresses by facteur suppression import.',
  'Bounces and clicks of mail that left in that time belong to no mail here: they are stored as unknown, or answered as invalid.',
  'Subscribers, campaigns, users and settings are as they were then. Keys, members and webhooks that were removed since are back. Open invitations are withdrawn.',
]
