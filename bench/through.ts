/**
 * How fast messages go through: POST /emails handed to a relay before the answer, divided by POST
 * /emails that is answered when the message is accepted (the capture provider). Both are `start
 * --role api` on databases of one PostgreSQL, in alternating runs; the relay is Postfix's
 * `smtp-sink`, a process of its own.
 */
import pg from 'pg'
import { startPostgres } from '../test/support/postgres.ts'
import { startSink, whyNoSink } from '../test/support/smtp-sink.ts'
import { alternate } from './accept/alternate.ts'
import {
  makeLogFiles,
  measureRun,
  sendMessage,
  startMeasuredApi,
  type MeasuredApi,
  type Run,
} from './accept/measured-api.ts'

const json = process.argv.includes('--json')
const say = (line: string): void => (json ? console.error(line) : console.log(line))

if (whyNoSink !== null) {
  console.error(`through: ${whyNoSink}; nothing was measured`)
  process.exit(2)
}

const postgres = await startPostgres({ durable: true })
const sink = await startSink()

/** Each on a database of its own. */
async function startOn(
  database: string,
  settings: Record<string, string> = {},
): Promise<MeasuredApi & { url: string }> {
  const admin = new pg.Client({ connectionString: postgres.connectionString })
  await admin.connect()
  await admin.query(`create database ${database}`)
  await admin.end()
  const url = postgres.connectionString.replace('/facteur?', `/${database}?`)
  return { ...(await startMeasuredApi(url, settings)), url }
}

const services = {
  accepted: await startOn('accepted'),
  through: await startOn('through', {
    FACTEUR_PROVIDER: 'smtp-relay',
    FACTEUR_SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    // One for each connection of the largest run.
    FACTEUR_SMTP_CONNECTIONS: '64',
  }),
}
await makeLogFiles(postgres)

const measure = (way: keyof typeof services, connections: number, ms: number): Promise<Run> => {
  const service = services[way]
  return measureRun(postgres, service.pid, {
    port: service.port,
    request: sendMessage(service),
    connections,
    ms,
  })
}

const { ratio, figures } = await alternate({ way: 'through', yardstick: 'accepted', measure, say })
await checkHandedOver()
await Promise.all([services.accepted.stop(), services.through.stop()])
sink.stop()
await postgres.stop()
if (json) console.log(JSON.stringify({ bench: 'through', ratio, figures }))

/**
 * No worker runs, so a call that found no connection free would have been answered without its
 * hand-off.
 */
async function checkHandedOver(): Promise<void> {
  const client = new pg.Client({ connectionString: services.through.url })
  await client.connect()
  const { rows } = await client.query<{ status: string; count: number }>(
    'select status, count(*)::int as count from recipient group by status',
  )
  await client.end()
  const waiting = rows.find(({ status }) => status !== 'sent')
  if (waiting) throw new Error(`${waiting.count} messages were answered and are ${waiting.status}`)
}
