/**
 * What a mail by SMTP costs: processor time of the process and of PostgreSQL a mail, by that of the
 * same mails by `POST /emails` over as many connections, in turns; above 1.5 it exits with 1. The
 * connections are those of nodemailer's pool: five, of a hundred mails each. Printed beside it: 16
 * connections, with which REST keeps two processors busy and SMTP, which takes two round trips for
 * a mail, does not, so that it pays for waking; and one mail a connection, with TLS and a login.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { testCertificate } from '../test/support/test-certificate.ts'
import {
  html,
  makeLogFiles,
  measureRun,
  sendMessage,
  startMeasuredApi,
} from './accept/measured-api.ts'
import { median } from './accept/median.ts'
import { cpuOf, cpuOfPostgres } from './accept/processes.ts'
import { handInFor } from './submission/hand-in.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    warm: { type: 'string', default: '10' },
  },
})
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))
const [pooled, many, runMs, ratioMax] = [5, 16, 3_000, 1.5]

const postgres = await startPostgres({ durable: true })
const folder = mkdtempSync(join(tmpdir(), 'facteur-bench-'))
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
writeFileSync(cert, testCertificate.cert)
writeFileSync(key, testCertificate.key, { mode: 0o600 })
const [port, tlsPort] = [await freePort(), await freePort()]
const api = await startMeasuredApi(
  postgres.connectionString,
  {
    FACTEUR_SUBMISSION_HOST: '127.0.0.1',
    FACTEUR_SUBMISSION_PORT: String(port),
    FACTEUR_SUBMISSION_TLS_PORT: String(tlsPort),
    FACTEUR_SUBMISSION_TLS_CERT: cert,
    FACTEUR_SUBMISSION_TLS_KEY: key,
  },
  'api,submission',
)
await makeLogFiles(postgres)

/** No line of a mail is longer than 998 bytes (RFC 5322 2.1.1). */
const lines = html.replaceAll('. ', '.\r\n')
const mail = (sequence: number) => {
  const to = `person${sequence}@example.com`
  const headers = [
    'From: Demo <hello@demo.test>',
    `To: ${to}`,
    'Subject: Bonjour',
    `Message-ID: <${sequence}@bench.test>`,
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
  ]
  return { to, bytes: [...headers, '', lines].join('\r\n') }
}

interface Cost {
  cpuUs: number
  postgresCpuUs: number
  perSecond: number
}

const byCall = (connections: number, ms: number): Promise<Cost> => {
  // A mail by SMTP is sent once by its Message-ID, as a call is by its key. Its digest and a UUID
  // both come in no order, so that the index of keys costs both alike.
  const request = (sequence: number): Buffer =>
    sendMessage({ ...api, key: `${api.key}\r\nIdempotency-Key: ${randomUUID()}` })(sequence)
  return measureRun(postgres, api.pid, { port: api.port, connections, ms, request })
}

const ways = new Map<string, (ms: number) => Promise<Cost>>()
for (const connections of [pooled, many]) {
  const inPlain = { secure: false, mailsPerConnection: 100, connections }
  ways.set(`rest, ${connections} connections`, (ms) => byCall(connections, ms))
  ways.set(`smtp, ${connections} connections`, (ms) => byMail(ms, inPlain))
}
ways.set('smtp, one mail a connection with TLS', (ms) =>
  byMail(ms, { secure: true, mailsPerConnection: 1, connections: pooled }),
)

async function byMail(
  ms: number,
  how: { secure: boolean; mailsPerConnection: number; connections: number },
): Promise<Cost> {
  const [cpu, postgresCpu] = [cpuOf(api.pid), cpuOfPostgres(postgres.pid())]
  const server = { port: how.secure ? tlsPort : port, key: api.key }
  const taken = await handInFor({ ...how, ...server, mail, ms })
  const per = (used: number): number => Math.round((used / taken) * 10) / 10
  return {
    cpuUs: per(cpuOf(api.pid) - cpu),
    postgresCpuUs: per(cpuOfPostgres(postgres.pid()) - postgresCpu),
    perSecond: Math.round((taken / ms) * 1_000),
  }
}

say(`Warming up for ${values.warm} s each`)
for (const measure of ways.values()) await measure(Number(values.warm) * 1_000)
const runs = new Map<string, Cost[]>()
for (let round = 0; round < Number(values.rounds); round++)
  for (const [name, measure] of ways)
    runs.set(name, [...(runs.get(name) ?? []), await measure(runMs)])
const medians = Object.fromEntries(
  [...runs].map(([name, costs]) => [
    name,
    {
      cpuUs: median(costs.map(({ cpuUs }) => cpuUs)),
      postgresCpuUs: median(costs.map(({ postgresCpuUs }) => postgresCpuUs)),
      perSecond: median(costs.map(({ perSecond }) => perSecond)),
    },
  ]),
)
for (const [name, { cpuUs, postgresCpuUs, perSecond }] of Object.entries(medians))
  say(`${name}: ${cpuUs} µs a mail, ${postgresCpuUs} µs of PostgreSQL, ${perSecond}/s`)
/** Of both processes: mails that are admitted together cost the database less. */
const together = (name: string): number => {
  const { cpuUs = NaN, postgresCpuUs = NaN } = medians[name] ?? {}
  return cpuUs + postgresCpuUs
}
const ratioOf = (connections: number): number => {
  const by = (way: string): number => together(`${way}, ${connections} connections`)
  return Math.round((by('smtp') / by('rest')) * 100) / 100
}
const ratio = ratioOf(pooled)
say(`SMTP by REST: ${ratio} (at most ${ratioMax})`)
say(`With ${many} connections: ${ratioOf(many)}`)
if (values.json) console.log(JSON.stringify({ bench: 'submission', ratio, figures: medians }))
await api.stop()
await postgres.stop()
rmSync(folder, { recursive: true })
if (!(ratio <= ratioMax)) process.exitCode = 1
