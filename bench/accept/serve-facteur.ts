/** Facteur's own API, as `--role api` runs it, with the capture provider and the rate raised so that it never refuses. */
import { systemClock } from '../../src/clock.ts'
import { createService } from '../../src/core/create-service.ts'
import { prepareDemo } from '../../src/core/workspaces/prepare-demo.ts'
import { connect } from '../../src/db/connect.ts'
import { setRatePerMinute } from '../../src/db/workspaces.ts'
import { serveApi } from '../../src/entrypoints/api/serve.ts'
import { startWorkers } from '../../src/entrypoints/workers/start-workers.ts'
import type { Workers } from '../../src/entrypoints/workers/start-workers.ts'
import { makeIds } from '../../src/ids.ts'
import { createLocalCapture } from '../../src/providers/local-capture.ts'

const connectionString = process.env['DATABASE_URL'] ?? ''
const silent = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error }
let workers: Workers | null = null
const service = createService({
  db: connect({ connectionString }),
  countingDb: connect({ connectionString, poolSize: 3, durable: false }),
  clock: systemClock,
  makeId: makeIds(() => Date.now()),
  log: silent,
  provider: createLocalCapture(systemClock),
  settings: {
    baseUrl: 'http://127.0.0.1',
    language: 'fr',
    inlineSeconds: 10,
    leaseSeconds: 90,
    retryFirstSeconds: 60,
    retryMaxSeconds: 14_400,
    queueLifeSeconds: 172_800,
    deliveredAfterSeconds: 900,
    inDoubt: 'repeat',
    ratePerSecond: null,
    diskFreeMin: 0,
  },
  failpoints: { hit: () => undefined, broken: () => false },
  wake: (lane) => workers?.wake(lane),
})
const demo = await prepareDemo(service)
await setRatePerMinute(service.db, 1, 100_000_000)
if (process.env['WORKERS'] === '1') workers = startWorkers(service)
await serveApi(service, { host: '127.0.0.1', port: Number(process.env['PORT']), trustProxy: false })
process.on('message', (message) => {
  if (message === 'usage') process.send?.(process.resourceUsage())
  if (message === 'stop') process.exit(0)
})
process.send?.({ key: demo?.key })
