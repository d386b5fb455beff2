/**
 * A worker frozen during its calls (SIGSTOP), past its lease, and thawed while another holds its
 * deliveries: it writes nothing of them.
 */
import { createServer, type ServerResponse } from 'node:http'
import { sql } from '../../src/database/client/sql.ts'
import { moveClock } from '../support/database.ts'
import { call, describeEnd } from '../support/fault-calls.ts'
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import type { Scenario } from './scenario.ts'
import { until } from '../support/until.ts'

/** So many calls a worker makes at once to a host that it does not know. */
const contacts = 4
const lastEmail = 'last@example.test'

export const webhookFrozen: Scenario = {
  name: 'webhook-frozen',
  promise:
    'a worker frozen during its calls, past its lease, writes nothing of deliveries that another holds',
  broken: ['webhooks.fence'],
  async play(run) {
    const wrong: string[] = []
    for (const status of run.whole ? [200, 500] : [run.seed % 2 === 0 ? 200 : 500])
      wrong.push(
        ...(await playFreeze(run, status)).map(
          (what) => `frozen before the answer ${status}: ${what}`,
        ),
      )
    return wrong
  },
}

async function playFreeze(run: Run, status: number): Promise<string[]> {
  const world = await openWorld(run)
  const port = await world.serve({ smtpUrl: null })
  const receiver = await openReceiver(run)
  await ask(world, port, 'POST /api/v1/webhooks', {
    url: receiver.url,
    events: ['subscriber.created'],
  })
  const addUser = (email: string) =>
    ask(world, port, 'POST /api/v1/subscribers', { email, double_opt_in: false })
  for (let index = 0; index < contacts; index++) await addUser(`person-${index}@example.test`)

  // The database's clock ends its lease.
  const zombie = await world.start({
    role: 'worker',
    smtpUrl: null,
    settings: { FACTEUR_LEASE_SECONDS: 60 },
  })
  await until(() => receiver.waiting.length === contacts)
  zombie.signal('SIGSTOP')
  for (const response of receiver.waiting) response.writeHead(status).end()
  await moveClock(world.url, '2 minutes')
  const other = await world.start({
    role: 'worker',
    smtpUrl: null,
    settings: { FACTEUR_LEASE_SECONDS: 3_600 },
  })
  await until(() => receiver.waiting.length === 2 * contacts)
  // Its lease outlives it, so that only the first worker can write from here on.
  await other.kill()
  const before = await readDeliveries(world)
  zombie.signal('SIGCONT')
  // It reads the old answers first: it has recorded those when a later event of its own is
  // recorded.
  await addUser(lastEmail)
  await until(async () => (await readDeliveries(world)).some(isDeliveredOf(lastEmail)))
  const after = await readDeliveries(world)

  const wrong = zombie.isAlive() ? [] : [`the worker ended:\n${zombie.lastLines()}`]
  for (const row of before) {
    const [was, is] = [
      JSON.stringify(row),
      JSON.stringify(after.find((item) => item['eventId'] === row['eventId'])),
    ]
    if (was !== is) wrong.push(`it wrote: ${was} became ${is}`)
  }
  if (before.length !== contacts || !before.every((row) => row['isLeased'] === true))
    wrong.push('the second worker holds none')
  return wrong
}

interface Receiver {
  url: string
  /** Calls that are not answered yet, and those that were, in the order in which they came. */
  waiting: ServerResponse[]
}

/** Answers the event of the last subscriber at once, and no other. */
async function openReceiver(run: Run): Promise<Receiver> {
  const waiting: ServerResponse[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () =>
      body.includes(lastEmail) ? void response.end() : void waiting.push(response),
    )
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  run.after(async () => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`,
    waiting,
  }
}

type Row = Record<string, unknown>

const readDeliveries = ({ db, workspaceId }: World): Promise<Row[]> =>
  db.rows<Row>(sql`
    select d.*, e.body::json -> 'data' ->> 'email' as email from webhook_delivery d
    join event e on e.workspace_id = ${workspaceId} and e.id = d.event_id
    where d.workspace_id = ${workspaceId} order by d.event_id`)

const isDeliveredOf =
  (email: string) =>
  (row: Row): boolean =>
    row['email'] === email && row['status'] === 'delivered'

async function ask(world: World, port: number, line: string, body: object): Promise<void> {
  const end = await call({ url: world.addressOf(port), apiKey: world.apiKey, line, body })
  if (typeof end === 'string' || end.status >= 300)
    throw new Error(`${line} was answered ${describeEnd(end)}`)
}
