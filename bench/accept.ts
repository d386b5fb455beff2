/**
 * How fast messages are accepted: POST /emails with 2 KB of HTML, one recipient, every rule on, and
 * the capture provider. The yardstick is a Fastify route that inserts one row with the same body
 * and commits, on the same PostgreSQL, in alternating runs.
 *
 * Facteur runs as `start --role api`, the yardstick as it is: neither does anything else meanwhile.
 * The last figures are the cost of the workers: a worker process then captures the accepted
 * messages.
 */
import { serviceFlags } from '../bin/flags.mjs'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { programFile } from '../test/support/program.ts'
import { alternate, figuresOf } from './accept/alternate.ts'
import {
  apiSettings,
  makeLogFiles,
  measureRun,
  postMessage,
  sendMessage,
  startMeasuredApi,
  type Run,
} from './accept/measured-api.ts'
import { memoryOf, startProgram } from './accept/processes.ts'

const json = process.argv.includes('--json')
const say = (line: string): void => (json ? console.error(line) : console.log(line))

const postgres = await startPostgres({ durable: true })
const env = apiSettings(postgres.connectionString)
const facteur = await startMeasuredApi(postgres.connectionString)
const referencePort = await freePort()
const serveReference = new URL('accept/serve-reference.ts', import.meta.url).pathname
const reference = await startProgram(
  [serveReference, String(referencePort)],
  env,
  (line) => line === 'ready',
)
await makeLogFiles(postgres)

const targets = {
  facteur: { pid: facteur.pid, port: facteur.port, request: sendMessage(facteur) },
  reference: {
    pid: reference.pid,
    port: referencePort,
    request: postMessage(referencePort, '/reference', ''),
  },
}
const measure = (who: keyof typeof targets, connections: number, ms: number): Promise<Run> => {
  const { pid, ...load } = targets[who]
  return measureRun(postgres, pid, { ...load, connections, ms })
}

const { ratio, figures } = await alternate({ way: 'facteur', yardstick: 'reference', measure, say })
figures['memory_mib'] = { facteur: memoryOf(facteur.pid), reference: memoryOf(reference.pid) }
const worker = await startProgram(
  [...serviceFlags, programFile, 'start', '--role', 'worker'],
  env,
  (line) => line.includes('"msg":"ready"'),
)
const beside = await measure('facteur', 16, 2500)
figures['16_with_a_worker'] = figuresOf(beside)
say(
  `16 connections while a worker captures: ${beside.perSecond}/s, p50 ${beside.p50Ms} ms, p99 ${beside.p99Ms} ms`,
)
await Promise.all([worker.stop(), facteur.stop(), reference.stop()])
await postgres.stop()
if (json) console.log(JSON.stringify({ bench: 'accept', ratio, figures }))
