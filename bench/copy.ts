/**
 * Moves an installation with many messages to another database under a steady load of calls: rows a
 * second as a ratio of plain binary COPY through Node between the same two servers in the same run,
 * the time of each step, and for how long nothing was accepted.
 */
import { parseArgs } from 'node:util'
import { systemClock } from '../src/ground/clock.ts'
import { activateTarget } from '../src/core/restore/activate-target.ts'
import { moveInstallation } from '../src/database/transport/copy/move-installation.ts'
import { connect } from '../src/database/client/connect.ts'
import { withCopyClient } from '../src/database/transport/copy-client.ts'
import { passRows } from '../src/database/transport/copy-rows.ts'
import { sealTarget } from '../src/main/move-file.ts'
import { createSecrets } from '../src/ground/secrets.ts'
import { playScenario } from '../test/faults/scenario.ts'
import { startRepeatingLoad } from '../test/moves/repeating-load.ts'
import { runOn } from '../test/support/database.ts'
import { restartPort } from '../test/support/fault-port.ts'
import { settingsOf } from '../test/support/fault-process.ts'
import { openWorld } from '../test/support/fault-world.ts'
import { fillMessages } from '../test/support/filled-database.ts'
import { prepareDatabase, startPostgres } from '../test/support/postgres.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    size: { type: 'string', default: '1000000' },
  },
})
const size = Number(values.size)
const atOnce = 100_000
const say = (line: string): void => console.error(line)

const [source, target] = [
  await startPostgres({ durable: true }),
  await startPostgres({ durable: true }),
]
const [from, to] = [source.connectionString, target.connectionString]
try {
  await prepareDatabase(from)
  for (let created = 0; created < size; created += atOnce)
    await fillMessages(from, Math.min(atOnce, size - created), `filled-${created}`)
  await runOn(from, 'vacuum analyze')
  say(`${size} messages are there`)
  const plain = await copyPlainly()
  say(`plain COPY: ${Math.round(plain.rowsPerSecond)} rows/s`)
  await playScenario(
    { name: 'copy', promise: '', broken: [], play: (run) => moveUnderLoad(run, plain) },
    { seed: 1, whole: false },
  )
} finally {
  await Promise.all([source.stop(), target.stop()])
}

/** The three tables that hold almost all of it, into tables without a key or an index. */
async function copyPlainly(): Promise<{ rowsPerSecond: number }> {
  let rows = 0
  const beganAtMs = performance.now()
  await withCopyClient(from, (reader) =>
    withCopyClient(to, async (writer) => {
      for (const table of ['message', 'message_body', 'recipient']) {
        const { rows: columns } = await reader.query<{ column: string }>(
          `select quote_ident(attname) || ' ' || format_type(atttypid, atttypmod) as column from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped order by attnum`,
        )
        await writer.query(
          `create table plain_${table} (${columns.map(({ column }) => column).join(', ')})`,
        )
        rows += await passRows({
          from: reader,
          to: writer,
          source: `(select * from ${table})`,
          target: `plain_${table}`,
        })
        await writer.query(`drop table plain_${table}`)
      }
    }),
  )
  return { rowsPerSecond: (rows / (performance.now() - beganAtMs)) * 1_000 }
}

async function moveUnderLoad(
  run: Parameters<typeof openWorld>[0],
  plain: { rowsPerSecond: number },
): Promise<string[]> {
  const connection = connect({ connectionString: from, poolSize: 5 })
  run.after(() => connection.end())
  const world = await openWorld(run, { database: { url: from, connection } })
  const port = await restartPort()
  await world.start({ role: 'all', port })
  const load = startRepeatingLoad(world, [port], { restMs: 20 })
  await load.goesOn(20)
  const key =
    settingsOf({ databaseUrl: from, port, smtpUrl: null, failpoints: [], settings: {} })[
      'FACTEUR_MASTER_KEY'
    ] ?? ''
  const steps: [name: string, atMs: number][] = []
  const moved = await moveInstallation({
    ...{ from, to, targetName: 'the target', servesOne: false, clock: systemClock },
    sealedTarget: sealTarget(createSecrets(Buffer.from(key, 'base64')), { url: to }),
    failpoints: null,
    progress(text) {
      steps.push([text, performance.now()])
      say(text)
    },
    ...{
      onProgress: () => undefined,
      beforeSwitch: () => Promise.resolve(),
      onMoved: () => undefined,
      activate: activateTarget,
    },
    signal: new AbortController().signal,
  })
  steps.push(['end', performance.now()])
  await load.goesOn(20)
  const { accepted, repeated, failures } = await load.stop()
  const seconds = Object.fromEntries(
    steps
      .slice(0, -1)
      .map(([name, atMs], at) => [name, ((steps[at + 1]?.[1] ?? atMs) - atMs) / 1_000]),
  )
  const rowsPerSecond = moved.rows / (seconds['Copying the rows'] ?? Number.NaN)
  const figures = {
    ...{ size, rows: moved.rows, bytes: moved.bytes, changes: moved.changes },
    ...{
      plainRowsPerSecond: plain.rowsPerSecond,
      rowsPerSecond,
      ratio: rowsPerSecond / plain.rowsPerSecond,
    },
    ...{ seconds, downtimeMs: moved.downtimeMs, differing: moved.differing },
    ...{ accepted: accepted.size, repeated, failures: failures.length },
  }
  if (values.json) console.log(JSON.stringify(figures))
  else
    console.log(
      [
        `${moved.rows} rows, of them ${size} messages: ${Math.round(rowsPerSecond)} rows/s, ${figures.ratio.toFixed(2)} of plain COPY (${Math.round(plain.rowsPerSecond)} rows/s)`,
        ...Object.entries(seconds).map(([name, took]) => `${name}: ${took.toFixed(1)} s`),
        `Nothing was accepted for ${((moved.downtimeMs ?? 0) / 1_000).toFixed(2)} s; ${accepted.size} calls accepted, ${repeated} repeated after 503, ${failures.length} failed`,
        moved.differing.length === 0
          ? 'Counts and digests equal'
          : `Differing: ${moved.differing.join(', ')}`,
      ].join('\n'),
    )
  return []
}
