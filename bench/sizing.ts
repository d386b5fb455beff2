/**
 * The figures of docs/sizing.md for memory and disk: the program with its embedded database, at
 * rest and after 10,000 mails of 4 KB from 16 connections. Memory is the proportional set size of
 * all processes, so that shared pages count once.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { serviceFlags } from '../bin/flags.mjs'
import { connect } from '../src/database/client/connect.ts'
import { sql } from '../src/database/client/sql.ts'
import { withDatabase } from '../src/database/embedded/embedded-postgres.ts'
import { setRatePerMinute } from '../src/db/workspaces/workspaces.ts'
import { freePort } from '../test/support/free-port.ts'
import { programFile } from '../test/support/program.ts'
import { databaseHome, postmasterPid } from '../test/support/service.ts'
import { startProgram } from './accept/processes.ts'

const mails = 10_000
const connections = 16
const html = `<p>${'Bonjour tout le monde, voici un message. '.repeat(100).slice(0, 4089)}</p>`

const root = mkdtempSync(join(tmpdir(), 'facteur-bench-'))
const folder = join(root, 'data')
const port = await freePort()
let key = ''
const facteur = await startProgram(
  [...serviceFlags, programFile, 'start'],
  { FACTEUR_DATA: folder, FACTEUR_PORT: String(port), DATABASE_URL: '' },
  (line) => {
    key ||= /fct_live_\S+/.exec(line)?.[0] ?? ''
    return line.includes('"msg":"ready"')
  },
)
const db = connect({
  connectionString: await withDatabase({ folder }, (address) => Promise.resolve(address)),
  poolSize: 1,
})
await setRatePerMinute(db, 1, 100_000_000)
await setTimeout(10_000)
const installation = bytesOf(databaseHome(folder))
const idle = memory()
const rowsBefore = await bytesOfRows()

const began = performance.now()
let sent = 0
await Promise.all(
  Array.from({ length: connections }, async () => {
    while (sent < mails) {
      const body = JSON.stringify({
        from: 'Demo <hello@demo.test>',
        to: `person${sent++}@example.com`,
        subject: 'Bonjour',
        html,
      })
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/emails`, {
        method: 'POST',
        headers,
        body,
      })
      await answer.arrayBuffer()
      if (answer.status !== 202) throw new Error(`A mail was answered ${answer.status}`)
    }
  }),
)
const seconds = Math.round((performance.now() - began) / 1000)
const loaded = memory()
// By then the workers have written everything about these mails.
await setTimeout(15_000)
const rows = Math.round(((await bytesOfRows()) - rowsBefore) / sent)
const figures = { idle, loaded, installation_mb: installation, bytes_of_rows: rows, seconds }
if (process.argv.includes('--json')) console.log(JSON.stringify({ bench: 'sizing', figures }))
else {
  for (const [when, { facteur: ours, postgres }] of Object.entries({
    idle,
    [`after ${sent} mails`]: loaded,
  }))
    console.log(
      `${when}: Facteur ${ours} MB, PostgreSQL ${postgres} MB, together ${ours + postgres} MB`,
    )
  console.log(
    `an empty installation: ${installation} MB; rows and indexes of a message: ${rows} bytes`,
  )
}
await db.end()
await facteur.stop()
rmSync(root, { recursive: true })

/** Megabytes of the service and of its database. */
function memory(): { facteur: number; postgres: number } {
  const postmaster = postmasterPid(folder)
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && parentOf(name) === postmaster,
  )
  return {
    facteur: shareOf(String(facteur.pid)),
    postgres: [String(postmaster), ...children].reduce((sum, pid) => sum + shareOf(pid), 0),
  }
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

/** Proportional set size in megabytes (proc(5), smaps_rollup). */
function shareOf(pid: string): number {
  return Math.round(
    Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1000,
  )
}

function bytesOf(path: string): number {
  return Math.round(
    Number(execFileSync('du', ['-sk', path], { encoding: 'utf8' }).split('\t')[0]) / 1000,
  )
}

/** Of all tables with their indexes but those that hold texts, files and captured mails. */
async function bytesOfRows(): Promise<number> {
  const [row] = await db.rows<{ bytes: number }>(sql`
    select sum(pg_total_relation_size(c.oid))::int8 as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind = 'r' and c.relname <> all (array['message_body', 'attachment', 'captured_mail'])`)
  return row?.bytes ?? 0
}
