/**
 * A process `start --role api`, or with further roles, to be measured, with the key of its first start, and what a run of
 * load costs it.
 */
import pg from 'pg'
import { serviceFlags } from '../../bin/flags.mjs'
import { connect } from '../../src/database/client/connect.ts'
import { setRatePerMinute } from '../../src/db/workspaces/workspaces.ts'
import { freePort } from '../../test/support/free-port.ts'
import type { TestPostgres } from '../../test/support/postgres.ts'
import { programFile } from '../../test/support/program.ts'
import { runLoad, type Load, type Measured } from './load.ts'
import { cpuOf, cpuOfPostgres, startProgram, type Measurable } from './processes.ts'

export interface MeasuredApi extends Measurable {
  port: number
  /** The key of the first workspace, whose requests no rate refuses. */
  key: string
}

/** The settings that processes on one database share. */
export const apiSettings = (databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
})

/** On a database without tables. */
export async function startMeasuredApi(
  databaseUrl: string,
  settings: Record<string, string> = {},
  roles = 'api',
): Promise<MeasuredApi> {
  const port = await freePort()
  let key = ''
  const program = await startProgram(
    [...serviceFlags, programFile, 'start', '--role', roles],
    { ...settings, ...apiSettings(databaseUrl), FACTEUR_PORT: String(port) },
    (line) => {
      key ||= /fct_live_\S+/.exec(line)?.[0] ?? ''
      return line.includes('"msg":"ready"')
    },
  )
  const db = connect({ connectionString: databaseUrl, poolSize: 1 })
  // Every request is counted against the rate; none is to be refused by it.
  await setRatePerMinute(db, 1, 100_000_000)
  await db.end()
  return { ...program, port, key }
}

/**
 * A server that has run for a while has log files to write into; a new one makes them while it is
 * measured.
 */
export async function makeLogFiles({ connectionString }: TestPostgres): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  for (let file = 0; file < 40; file++) {
    await client.query(
      "select pg_switch_wal() from (select pg_logical_emit_message(false, '', '')) written",
    )
  }
  await client.query('checkpoint')
  await client.end()
}

/** A message of 2 KB of HTML to one recipient, as a call of any address that takes it. */
export const postMessage =
  (port: number, path: string, headers: string, from = 'Demo <hello@demo.test>') =>
  (sequence: number): Buffer => {
    const text = JSON.stringify({
      ...{ from, to: [`person${sequence}@example.com`], subject: 'Bonjour', html },
    })
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}Content-Type: application/json\r\n`
    return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }

export const html = `<p>${'Bonjour tout le monde, voici un message. '.repeat(60).slice(0, 2041)}</p>`

export const sendMessage = ({ port, key }: Pick<MeasuredApi, 'port' | 'key'>, from?: string) =>
  postMessage(port, '/api/v1/emails', `Authorization: Bearer ${key}\r\n`, from)

/** Processor time in microseconds a request. */
export interface Run extends Measured {
  cpuUs: number
  postgresCpuUs: number
}

/** Throws when a request was refused. */
export async function measureRun(postgres: TestPostgres, pid: number, load: Load): Promise<Run> {
  const [cpuBefore, postgresBefore] = [cpuOf(pid), cpuOfPostgres(postgres.pid())]
  const measured = await runLoad(load)
  if (measured.refused > 0)
    throw new Error(`${measured.refused} requests were refused: ${measured.firstRefusal}`)
  const per = (used: number): number => Math.round((used / measured.answered) * 10) / 10
  return {
    ...measured,
    cpuUs: per(cpuOf(pid) - cpuBefore),
    postgresCpuUs: per(cpuOfPostgres(postgres.pid()) - postgresBefore),
  }
}
