/**
 * `facteur database copy`: moves an installation to another database while its service runs, or
 * gives a copy up.
 */
import { resolve } from 'node:path'
import type { Config } from '../../ground/config.ts'
import { activateTarget } from '../../core/restore/activate-target.ts'
import { abandonCopy } from '../../database/transport/copy/abandon-copy.ts'
import type { MoveProgress } from '../../database/transport/copy/move.ts'
import {
  moveInstallation,
  type MovedInstallation,
} from '../../database/transport/copy/move-installation.ts'
import { connect } from '../../database/client/connect.ts'
import { migrate } from '../../database/schema/migrate.ts'
import { pingDatabase } from '../../database/client/ping-database.ts'
import { findMove } from '../../database/transport/copy/find-move.ts'
import { startEmbedded, withDatabase } from '../../database/embedded/embedded-postgres.ts'
import { findLocation, isInData } from '../../database/embedded/postgres-location.ts'
import { createFailpoints } from '../../ground/failpoints.ts'
import { isInFolder } from '../../ground/make-folder.ts'
import { createSecrets, makeMasterKey, readMasterKey, type Secrets } from '../../ground/secrets.ts'
import { databaseUrl } from '../../ground/setting-readers.ts'
import { defineCommand, type Surroundings } from './command.ts'
import { confirm, requireTerminal } from './confirm.ts'
import { flag, textFlag } from './parameters.ts'
import { createProgressLine } from './progress-line.ts'
import { readSecret } from './read-secret.ts'
import { CommandRefusal } from './refusal.ts'
import { refuseStrangeFolder } from './restore/restore-command.ts'
import { shownNumber, printed, type PrintedValue } from './result.ts'

const databaseCopyCommand = defineCommand({
  name: 'database copy',
  summary: 'Copy the installation to another database while the service runs, and switch to it',
  note: `URL is an empty database of a PostgreSQL 15 or newer, DIR an empty data folder for an embedded one. Every row is compared before the switch. At the
switch, calls that write get 503 with Retry-After for a few seconds; the processes follow by themselves. A copy that is cut off goes on when the line is given
again. The old database stays as it is.`.replaceAll('\n', ' '),
  flags: {
    to: flag('URL|DIR', 'Where the installation goes.', readTarget),
    'to-env': textFlag(
      'NAME',
      'The environment variable that holds the URL; other users of the machine do not see its password.',
    ),
    'to-file': textFlag('FILE', 'The file that holds the URL; - is standard input.'),
    yes: { text: 'Switches without asking.' },
    abort: {
      text: 'Gives up a copy that is not finished, and takes away what it left in this database.',
    },
  },
  checkLine({ to, abort, ...secret }) {
    if (
      [to !== null, secret['to-env'] !== null, secret['to-file'] !== null, abort].filter(Boolean)
        .length !== 1
    )
      throw new CommandRefusal(
        'usage',
        'Give one of --to-env NAME, --to-file FILE, --to URL, --to DIR and --abort.',
      )
  },
  examples: [
    'database copy --to-env TARGET_URL',
    'database copy --to /var/lib/facteur-2 --yes',
    'database copy --abort',
  ],
  run: (surroundings, { to: shown, yes, abort, ...secret }) => {
    if (!abort && !yes)
      requireTerminal('When the copy is complete, the command asks before it switches.')
    const hidden = readSecret(surroundings, secret['to-env'], secret['to-file'], 'to')
    const to =
      hidden === null ? shown : { url: databaseUrl(hidden, secret['to-env'] ?? '--to-file') }
    const config = surroundings.readConfig(to)
    if (to !== null && 'folder' in to) {
      refuseOwnFolder(to.folder, config)
      refuseStrangeFolder(to.folder)
    }
    return surroundings.withDatabase(config, surroundings.progress, async (from) => {
      if (abort || to === null) return abandon(surroundings, from)
      const hasMoved = await prepareSource(surroundings, from, placeOf(to))
      const db = connect({ connectionString: from, poolSize: 1, applicationName: 'facteur copy' })
      const secrets = await surroundings.openSecrets(config, db)
      await db.end()
      return withTarget(surroundings, { config, to, secrets, hasMoved }, (target) =>
        move(surroundings, { config, from, to, target, secrets, yes }),
      )
    })
  },
})

export const databaseCommands = [databaseCopyCommand]

type Target = { url: string } | { folder: string }

function readTarget(text: string): Target {
  if (!/^\w+:\/\//.test(text)) return { folder: resolve(text) }
  return { url: databaseUrl(text, '--to') }
}

/** Without user and password. */
function placeOf(target: Target): string {
  if ('folder' in target) return target.folder
  // A socket's folder stands in the query, and then no host before the path.
  const [, host = '', database = '', query = ''] =
    /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)\/?([^?#]*)\??(.*)$/.exec(target.url) ?? []
  return `${host || (new URLSearchParams(query).get('host') ?? '')}/${database}`
}

async function abandon({ progress, signal }: Surroundings, from: string): Promise<PrintedValue> {
  const location = await abandonCopy({ from, progress, signal })
  return location === null
    ? printed({ id: null, data: [] }, 'No copy of this database was left behind.')
    : printed(
        { id: location, data: [] },
        `Given up: nothing of the copy to ${location} is left in this database. The rows that it has copied are still there.`,
      )
}

/**
 * The service may be of a version that knows no copies yet. Answers whether an earlier run has
 * switched.
 */
async function prepareSource(
  { progress, signal }: Surroundings,
  from: string,
  location: string,
): Promise<boolean> {
  const { movedTo, isUnfinished } = await findMove(from)
  if (isUnfinished)
    throw new CommandRefusal(
      'refused',
      'This database is itself an unfinished copy of another one.',
    )
  if (movedTo !== null && movedTo !== location)
    throw new CommandRefusal(
      'refused',
      `This installation has moved to ${movedTo} already. Nothing was changed.`,
    )
  if (movedTo === null) await migrate(from, { completesStatistics: false, progress, signal })
  return movedTo !== null
}

interface OpenTarget {
  connectionString: string
  /** The processes of the service take it over. */
  handOver(): void
}

async function withTarget<T>(
  surroundings: Surroundings,
  {
    config,
    to,
    secrets,
    hasMoved,
  }: { config: Config; to: Target; secrets: Secrets; hasMoved: boolean },
  work: (target: OpenTarget) => Promise<T>,
): Promise<T> {
  if ('url' in to) {
    await pingDatabase(to.url).catch((error: unknown) => {
      throw new CommandRefusal(
        'refused',
        `The target cannot be reached: ${(error as Error).message || 'nothing answers'}.`,
      )
    })
    return work({ connectionString: to.url, handOver: () => undefined })
  }
  const { folder } = to
  const { progress, signal } = surroundings
  // After the switch the service has it.
  if (hasMoved)
    return withDatabase({ folder, progress, signal }, (connectionString) =>
      work({ connectionString, handOver: () => undefined }),
    )
  const database = await startEmbedded({ folder, kind: 'command', progress, signal })
  let isHandedOver = false
  try {
    copyKey(config, folder, secrets)
    return await work({
      connectionString: database.connectionString,
      handOver() {
        isHandedOver = true
        database.leave()
      },
    })
  } finally {
    if (!isHandedOver) await database.stop()
  }
}

/** The old data is deleted one day, and the new data must not go with it. */
function refuseOwnFolder(
  folder: string,
  { databaseUrl: url, dataFolder, movedFrom }: Config,
): void {
  const own = url === null ? dataFolder : movedFrom
  if (own === undefined || !(isInData(folder, own) || isInFolder(own, folder))) return
  const how =
    isInFolder(folder, own) && isInFolder(own, folder)
      ? 'is'
      : isInFolder(own, folder)
        ? 'holds'
        : 'lies in'
  throw new CommandRefusal(
    'refused',
    `${folder} ${how} the data folder of this installation (${own}): name a folder outside of it. Nothing was changed.`,
  )
}

/** The secrets in the rows stay sealed with it. */
function copyKey(
  { masterKey, dataFolder }: Config,
  folder: string,
  { fingerprint }: Secrets,
): void {
  const key = masterKey ?? readMasterKey(dataFolder)
  const there = readMasterKey(folder)
  if (there !== null && createSecrets(there).fingerprint !== fingerprint)
    throw new CommandRefusal(
      'refused',
      `${folder}/master.key is another key than that of this installation. Nothing was changed.`,
    )
  if (there === null && key !== null) makeMasterKey(folder, key)
}

interface Move {
  config: Config
  from: string
  to: Target
  target: OpenTarget
  secrets: Secrets
  yes: boolean
}

async function move(
  surroundings: Surroundings,
  { config, from, to, target, secrets, yes }: Move,
): Promise<PrintedValue> {
  const { clock, progress, signal, meter } = surroundings
  const location = placeOf(to)
  const lines = new Map<string, ReturnType<typeof createProgressLine>>()
  // The time left of a step follows from the time that this step has taken.
  const lineOf = (step: MoveProgress['step']): ReturnType<typeof createProgressLine> => {
    const line =
      lines.get(step) ??
      createProgressLine({ meter, clock }, `rows${step.endsWith('check') ? ' to compare' : ''}`)
    lines.set(step, line)
    return line
  }
  const moved = await moveInstallation({
    ...{
      from,
      to: target.connectionString,
      targetName: location,
      servesOne: 'folder' in to,
      clock,
      signal,
    },
    failpoints: createFailpoints(config.failpoints, clock),
    sealedTarget: surroundings.sealTarget(secrets, to),
    progress,
    onProgress: ({ step, share, rows }) => lineOf(step).show(share, rows),
    async beforeSwitch() {
      meter.clear()
      if (yes) return
      await confirm(
        `The copy is complete, and every row was compared. The switch lets nothing in for a few seconds; the service works on ${location} from then on.`,
        'switch',
        'Nothing was switched. The copy stays ready and notes what changes: the same line goes on, and --abort gives it up.',
      )
    },
    onMoved(processes) {
      surroundings.writeMove(config, to)
      if (processes > 0) target.handOver()
    },
    activate: activateTarget,
  })
  meter.clear()
  return report(moved, { config, to, targetName: location })
}

function report(
  moved: MovedInstallation,
  { config, to, targetName: location }: Pick<Move, 'config' | 'to'> & { targetName: string },
): PrintedValue {
  const { tables, rows, bytes, changes, downtimeMs, processes, differing } = moved
  const lines = [
    differing.length === 0
      ? `Moved to ${location}: ${shownNumber(rows)} rows of ${tables} tables. Counts and digests of each are equal, before the switch and at its moment.`
      : `Moved to ${location}, but at the switch it did not have the same rows in ${differing.join(', ')}. Compare the old database before you delete it.`,
    ...(downtimeMs === null
      ? ['An earlier run had switched; this one has finished what it left.']
      : [
          `Intake stood still for ${(downtimeMs / 1_000).toFixed(1)} s; ${processes === 0 ? 'no process of the service was running' : `${processes} ${processes === 1 ? 'process follows' : 'processes follow'}`}. ${shownNumber(changes)} rows changed during the copy, and are there.`,
        ]),
    nextStart(config, to),
    oldData(config),
  ]
  return {
    ...printed(
      {
        ...{
          id: location,
          tables,
          rows,
          bytes,
          changes,
          processes,
          downtime_ms: downtimeMs,
          differing,
        },
      },
      lines.join('\n'),
    ),
    exitCode: differing.length === 0 ? 0 : 1,
  }
}

function nextStart({ databaseUrl: url, dataFolder, movedFrom }: Config, to: Target): string {
  const folder = url === null ? dataFolder : movedFrom
  if (folder !== undefined)
    return 'folder' in to
      ? `Later starts on ${folder} go there by themselves. Or set FACTEUR_DATA=${to.folder}, which has the master key too.`
      : `Later starts on ${folder} go there by themselves. The master key stays in ${folder}/master.key: a process that starts elsewhere needs DATABASE_URL and that key in FACTEUR_MASTER_KEY.`
  return 'folder' in to
    ? `Before the next start: remove DATABASE_URL, and set FACTEUR_DATA=${to.folder}, which has the master key too.`
    : 'Before the next start: set DATABASE_URL to the new address. FACTEUR_MASTER_KEY stays as it is.'
}

const oldData = ({ databaseUrl: url, dataFolder }: Config): string =>
  url === null
    ? `The old data is unchanged in ${findLocation(dataFolder)?.home ?? dataFolder}. When nothing is missing, stop the service once and delete that folder and ${dataFolder}/database.json.`
    : 'The old database is unchanged, and refuses every change. When nothing is missing, drop it.'
