/** `facteur backup`: copies a running installation, and proves that a copy can be restored. */
import { resolve } from 'node:path'
import { outputError, writeArchive } from '../../database/transport/backup/archive-writer.ts'
import {
  keyTextNextTo,
  openBackup,
  type BackupReader,
} from '../../database/transport/backup/backup-reader.ts'
import type { Config } from '../../ground/config.ts'
import { backUpToFolder } from '../../database/transport/backup/back-up-to-folder.ts'
import { readBackupKey, verifyBackup } from '../../database/transport/backup/verify-backup.ts'
import {
  writeBackup,
  type BackupProgress,
  type WrittenBackup,
} from '../../database/transport/backup/write-backup.ts'
import { isInData } from '../../database/embedded/postgres-location.ts'
import { readSecretFile } from '../../ground/secret-file.ts'
import { createSecrets, readMasterKey } from '../../ground/secrets.ts'
import { defineCommand, type Surroundings } from './command.ts'
import { argument, textFlag } from './parameters.ts'
import { createProgressLine } from './progress-line.ts'
import { CommandRefusal } from './refusal.ts'
import { shownNumber, printed, type PrintedValue, type Result } from './result.ts'
import { readText } from './values.ts'

export const keyFlag = textFlag(
  'FILE',
  'The file of the master key. Default: the one in the archive, or beside the backup.',
)

const backup = defineCommand({
  name: 'backup',
  summary:
    'Copy the database and the master key, as they are at one moment, while the service runs',
  note: `DIR gets a folder for each backup, named by its time, and the key once in a file of its own beside them (\`master-….key\`, mode 600): move that
file to another place than the data. With - one archive goes to standard output, and progress to standard error; it has the key only with --with-key.`.replaceAll(
    '\n',
    ' ',
  ),
  arguments: { DIR: argument('The folder of backups; - is standard output.', readText) },
  flags: {
    'with-key': {
      text: 'With -: the archive holds the master key too. Who has it can read every secret in it.',
    },
  },
  checkLine({ DIR, 'with-key': withKey }) {
    if (withKey && DIR !== '-')
      throw new CommandRefusal(
        'usage',
        '--with-key goes with -: a folder gets the key in a file of its own.',
      )
  },
  examples: [
    'backup /backups',
    'backup - > facteur.tar',
    'backup - --with-key | ssh backup.example "cat > facteur.tar"',
  ],
  run: async (surroundings, { DIR, 'with-key': withKey }) => {
    const config = surroundings.readConfig()
    if (DIR !== '-') refuseOwnFolder(resolve(DIR), config)
    const key =
      config.masterKey ?? (config.databaseUrl === null ? readMasterKey(config.dataFolder) : null)
    if (withKey && !key)
      throw new CommandRefusal('refused', `There is no master key here: ${whereKeyIs(config)}`)
    const onProgress = showProgress(surroundings)
    return surroundings.withDatabase(config, surroundings.progress, async (connectionString) => {
      await surroundings.checkMasterKey(config, connectionString)
      const common = {
        connectionString,
        isScheduled: false,
        onProgress,
        signal: surroundings.signal,
      }
      if (DIR === '-')
        return streamed(
          await toOutput(surroundings, { ...common, key: withKey ? key : null }),
          config,
          withKey,
        )
      return stored(await backUpToFolder({ ...common, key, folder: resolve(DIR) }), config)
    })
  },
})

/** One disk that is lost, or one folder that is deleted, would take both. */
function refuseOwnFolder(folder: string, { databaseUrl, dataFolder }: Config): void {
  if (databaseUrl === null && isInData(folder, dataFolder))
    throw new CommandRefusal(
      'refused',
      `${folder} lies in the data folder (${dataFolder}), and would be lost with it: name a folder elsewhere, best on another disk.`,
    )
}

/** The time counts from the first rows: the database for them may have to be made before. */
export function showProgress(
  surroundings: Pick<Surroundings, 'meter' | 'clock'>,
): (progress: BackupProgress) => void {
  let line: ReturnType<typeof createProgressLine> | null = null
  return ({ share, rows }) => (line ??= createProgressLine(surroundings, 'rows')).show(share, rows)
}

type ToOutput = Omit<Parameters<typeof writeBackup>[0], 'openWriter'>

function toOutput({ stdout }: Surroundings, output: ToOutput): Promise<WrittenBackup> {
  const gone = new AbortController()
  // The reader of the archive may go away; the write would wait for it for ever.
  stdout.once('close', () => gone.abort(outputError(null)))
  stdout.once('error', (error) => gone.abort(outputError(error)))
  const signal = AbortSignal.any([output.signal, gone.signal])
  return writeBackup({
    ...output,
    signal,
    openWriter: ({ name, takenAt }) =>
      Promise.resolve(writeArchive(stdout, { folder: name, at: takenAt, signal })),
  })
}

const jsonOf = ({ manifest, rows, bytes, checksum }: WrittenBackup) => ({
  id: manifest.name,
  taken_at: manifest.takenAt,
  ...{
    tables: manifest.tables.length,
    rows,
    bytes,
    checksum,
    key_fingerprint: manifest.keyFingerprint,
  },
})

function stored(written: Awaited<ReturnType<typeof backUpToFolder>>, config: Config): PrintedValue {
  const { path, keyPlace } = written
  const keyLine =
    keyPlace === null
      ? `The master key is not here: ${whereKeyIs(config)} Without it the backup cannot be used.`
      : `The master key is in ${keyPlace}: move it to another place than the data. Without it the backup cannot be used.`
  return printed(
    { ...jsonOf(written), folder: path, key_file: keyPlace },
    [`${path}: ${summaryOf(written)}`, keyLine, `Next: facteur backup verify ${path}`].join('\n'),
  )
}

function streamed(written: WrittenBackup, config: Config, withKey: boolean): Result {
  const keyLine = withKey
    ? 'The archive holds the master key: who has it can read every secret in it.'
    : `The archive does not hold the master key, and without it cannot be used: ${whereKeyIs(config)}`
  return {
    kind: 'aside',
    json: { ...jsonOf(written), with_key: withKey },
    text: `${written.manifest.name}: ${summaryOf(written)}\n${keyLine}`,
  }
}

const summaryOf = ({ manifest, rows, bytes, checksum }: WrittenBackup): string =>
  `${shownNumber(rows)} rows of ${manifest.tables.length} tables, ${shownNumber(bytes)} bytes, SHA-256 of the manifest ${checksum}`

function whereKeyIs({ masterKey, databaseUrl, dataFolder }: Config): string {
  if (masterKey) return 'it is in FACTEUR_MASTER_KEY; keep a copy of that.'
  if (databaseUrl !== null) return 'set FACTEUR_MASTER_KEY, or keep a copy of it elsewhere.'
  return `it is ${dataFolder}/master.key; keep a copy of that file.`
}

const backupVerify = defineCommand({
  name: 'backup verify',
  summary:
    'Prove that a backup can be restored: load it into a scratch database, compare every row, and remove it again',
  note: 'It needs no service and changes none. Room for the whole database is needed beside the backup, or else in the temporary folder.',
  arguments: { PLACE: argument('The folder of one backup, or the file of an archive.', readText) },
  flags: { key: keyFlag },
  examples: [
    'backup verify /backups/facteur-20261123T051553Z',
    'backup verify facteur.tar --key /safe/master.key',
  ],
  run: async (surroundings, { PLACE, key }) => {
    const reader = await openBackup(resolve(PLACE))
    try {
      const backupKey = await findBackupKey(surroundings, reader, key)
      const { signal } = surroundings
      const { tables, rows, bytes } = await verifyBackup(reader, {
        onProgress: showProgress(surroundings),
        signal,
      })
      const { name, takenAt, facteur, postgres, keyFingerprint } = reader.manifest
      return printed(
        {
          ...{
            id: name,
            taken_at: takenAt,
            tables,
            rows,
            bytes,
            facteur,
            postgres,
            key_fingerprint: keyFingerprint,
          },
          checksum: reader.checksum,
          key: backupKey === null ? 'absent' : 'verified',
        },
        [
          `${name} can be restored: ${shownNumber(rows)} rows of ${tables} tables were loaded and read back, each as it was at ${takenAt}.`,
          `SHA-256 of the manifest: ${reader.checksum}. Compare it with the one that facteur backup printed; a different one means that the backup was changed.`,
          backupKey === null
            ? `The master key was not checked, since it is not here: the backup needs the one whose fingerprint begins with ${keyFingerprint.slice(0, 8)}. Give it with --key.`
            : `The master key (${backupKey.from}) is the one that its secrets are sealed with.`,
        ].join('\n'),
      )
    } finally {
      await reader.close()
    }
  },
})

export const backupCommands = [backupVerify, backup]

/**
 * The key of a backup: the named file, the archive's own, the file beside it, or the setting.
 * Throws for a wrong file.
 */
export async function findBackupKey(
  surroundings: Pick<Surroundings, 'surveySettings'>,
  reader: BackupReader,
  file: string | null,
): Promise<{ key: Buffer; from: string } | null> {
  if (file !== null)
    return { key: readBackupKey(readSecretFile('--key', file), reader), from: file }
  const { keyFingerprint } = reader.manifest
  const beside = await keyTextNextTo(reader.path, keyFingerprint)
  const [text, from] =
    reader.keyText === null ? [beside, 'beside the backup'] : [reader.keyText, 'in the archive']
  if (text !== null) return { key: readBackupKey(text, reader), from }
  const { masterKey } = (await surroundings.surveySettings()).config
  // That of another installation says nothing about this backup.
  if (!masterKey || createSecrets(masterKey).fingerprint !== keyFingerprint) return null
  return { key: masterKey, from: 'FACTEUR_MASTER_KEY' }
}
