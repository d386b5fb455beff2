/**
 * Two workers and an API process killed at random and around the POST, while a receiver on its own
 * disk writes down what it got.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from '../../src/database/client/sql.ts'
import { moveClock } from '../support/database.ts'
import { call, callUntilAnswered, rest } from '../support/fault-calls.ts'
import { thirdOf } from '../support/fault-draw.ts'
import { restartPort } from '../support/fault-port.ts'
import { startProgram } from '../support/fault-process.ts'
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import { readKept, type KeptCall } from '../support/webhook-referee.ts'
import { nothingShown, type Scenario } from './scenario.ts'
import { comes } from '../support/until.ts'

/** Between every two steps of a delivery. */
export const places = [
  'webhook.after_claim',
  'webhook.before_call',
  'webhook.after_call',
  'webhook.before_record',
]

export const webhookDelivered: Scenario = {
  name: 'webhook-delivered',
  promise:
    'workers killed before and after the POST: every change is delivered at least once, by one id and one body, and none that was not made',
  broken: ['webhooks.lease'],
  async play(run) {
    const world = await openWorld(run)
    const folder = mkdtempSync(join(tmpdir(), 'facteur-test-told-'))
    run.after(async () => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'calls')
    const refuse = String(run.draw.pick([0, 0.1]))
    const receiver = await startProgram(
      join(import.meta.dirname, '../support/webhook-referee.ts'),
      [...['--file', file, '--refuse', refuse, '--seed', String(run.seed)]],
    )
    run.after(() => receiver.kill())
    const apiPort = await subscribe(world, receiver.firstLine)
    const over = new AbortController()
    const changing = changeThings(run, world, { firstPort: apiPort, over: over.signal })
    const lives = chooseLives(run)
    const wrong = await Promise.all([
      killAgainAndAgain(run, world, lives),
      killAgainAndAgain(run, world, lives),
    ])
    over.abort()
    await changing
    await world.start({ role: 'worker', smtpUrl: null })
    const open = await climbUntilReported(run, world)
    return [...wrong.flat(), ...open, ...(await checkKept(world, readKept(file)))]
  },
}

/** Opens the API and the one subscription; answers the port. */
async function subscribe(world: World, receiverPort: string): Promise<number> {
  const port = await world.serve({ smtpUrl: null })
  const body = {
    url: `http://127.0.0.1:${receiverPort}/`,
    events: ['subscriber.created', 'subscriber.unsubscribed'],
  }
  const requested = {
    url: world.addressOf(port),
    apiKey: world.apiKey,
    line: 'POST /api/v1/webhooks',
    body,
  }
  const end = await callUntilAnswered(requested)
  if (typeof end === 'string' || end.status !== 201)
    throw new Error(`The webhook was not made: ${JSON.stringify(end)}`)
  return port
}

/**
 * Subscribers come and leave, until the last life is over. The process of their calls is killed
 * midway, and no call is repeated.
 */
async function changeThings(
  run: Run,
  world: World,
  { firstPort, over }: { firstPort: number; over: AbortSignal },
): Promise<void> {
  const contacts = run.whole ? 400 : 96
  let port = firstPort
  for (let n = 0; n < contacts || !over.aborted; n += 8) {
    if (n >= contacts) await rest(100)
    if (n === 48) {
      port = await restartPort()
      const api = await world.start({ role: 'api', port, smtpUrl: null })
      void run.draw.moment(5, 80).then(() => api.kill())
    }
    const requested = { url: world.addressOf(port), apiKey: world.apiKey }
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const email = `person-${n + index}@example.test`
        await call({
          ...requested,
          line: 'POST /api/v1/subscribers',
          body: { email, double_opt_in: false },
        })
        if (index % 3 === 0)
          await call({ ...requested, line: `DELETE /api/v1/subscribers/${email}` })
      }),
    )
    if (n >= 48) port = firstPort
  }
}

/** Where each life ends; null is at random. */
const chooseLives = ({ seed, whole, draw }: Run): (string | null)[] =>
  whole
    ? Array.from({ length: 20 }, () => draw.pick(places))
    : thirdOf([...places, null, null], seed)

/**
 * One life of a worker after the other; answers unexpected ends, and failpoints that were not
 * reached.
 */
async function killAgainAndAgain(
  run: Run,
  world: World,
  lives: (string | null)[],
): Promise<string[]> {
  const wrong: string[] = []
  for (let failpoint = lives.shift(); failpoint !== undefined; failpoint = lives.shift()) {
    const hits =
      failpoint === 'webhook.after_claim'
        ? run.draw.between(1, 3)
        : run.draw.between(1, run.whole ? 25 : 8)
    const failpoints = failpoint === null ? [] : [`${failpoint}:kill@${hits}`]
    const worker = await world.start({ role: 'worker', smtpUrl: null, failpoints })
    if (failpoint === null || run.whole)
      await Promise.race([worker.ended, run.draw.moment(500, 900)])
    else await worker.ended
    await worker.kill()
    if ((await worker.ended) !== 'SIGKILL')
      wrong.push(`a worker ended by itself:\n${worker.lastLines()}`)
  }
  return wrong
}

/**
 * Moves the database's clock over leases and rungs until no event is pending; answers those that
 * still are.
 */
async function climbUntilReported(
  { broken }: Run,
  { url, db, workspaceId }: World,
): Promise<string[]> {
  let unsent: { event: string }[] = []
  const isAnnounced = async (): Promise<boolean> => {
    unsent = await db.rows<{ event: string }>(sql`
      select event_id::text || ' ' || status || ' ' || attempts as event from webhook_delivery
      where workspace_id = ${workspaceId} and status <> 'delivered'`)
    return unsent.length === 0
  }
  // The honest run has as long as any wait; a lease that never ends shows by the tenth.
  for (let leases = 1; leases <= (broken === null ? 200 : 10); leases++) {
    if (await comes(isAnnounced, 600)) return []
    await moveClock(url, `${leases * 10} minutes`)
  }
  return unsent.map(({ event }) => `not delivered: ${event}`)
}

async function checkKept({ db, workspaceId }: World, stored: KeptCall[]): Promise<string[]> {
  const wrong: string[] = []
  const events = await db.rows<{
    id: string
    body: string
    type: string
    email: string
    attempts: number
    logged: number
  }>(sql`
    select 'evt_' || replace(e.id::text, '-', '') as id, e.body, e.type, e.body::json -> 'data' ->> 'email' as email, d.attempts,
      jsonb_array_length(d.attempt_log) as logged
    from event e join webhook w on w.workspace_id = ${workspaceId}
    left join webhook_delivery d on d.workspace_id = ${workspaceId} and d.webhook_id = w.id and d.event_id = e.id
    where e.workspace_id = ${workspaceId}`)
  const byId = Map.groupBy(stored, ({ id }) => id)
  for (const event of events) {
    const calls = byId.get(event.id) ?? []
    if (!calls.some(({ status }) => status === 200))
      wrong.push(`${event.type} of ${event.email} was never received`)
    if (calls.some(({ body }) => body !== event.body))
      wrong.push(`${event.id} came with other bytes`)
    if (calls.length > event.attempts)
      wrong.push(`${event.id} came ${calls.length} times in ${event.attempts} attempts`)
    if (event.logged !== event.attempts)
      wrong.push(`${event.id}: ${event.attempts} attempts, ${event.logged} in the journal`)
  }
  for (const id of byId.keys())
    if (!events.some((event) => event.id === id)) wrong.push(`${id} is nobody's event`)
  const deliveriesOf = (type: string): string[] =>
    events
      .filter((event) => event.type === type)
      .map(({ email }) => email)
      .toSorted()
  const contacts = await db.rows<{ email: string; status: string }>(sql`
    select email, status from subscriber where workspace_id = ${workspaceId} order by email`)
  const come = contacts.map(({ email }) => email).toSorted()
  const left = contacts.filter(({ status }) => status === 'unsubscribed').map(({ email }) => email)
  if (deliveriesOf('subscriber.created').join() !== come.join())
    wrong.push('who came is not who was told of')
  if (deliveriesOf('subscriber.unsubscribed').join() !== left.toSorted().join())
    wrong.push('who left is not who was told of')
  if (come.length < 20 || left.length === 0) wrong.push(`too little happened${nothingShown}`)
  return wrong
}
