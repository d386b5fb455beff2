/** A steady load of calls of several kinds through a load balancer: each has to be answered as it is when nothing else happens. */
import { acceptedId, call, rest, tellEnd, type CallEnd } from '../support/fault-calls.ts'
import { mailTo, type World } from '../support/fault-world.ts'
import { until } from '../support/until.ts'

export interface SteadyLoad {
  /** Until so many more calls were answered. */
  goesOn(calls: number): Promise<unknown>
  /** Lets the calls under way end. */
  stop(): Promise<LoadRecord>
}

export interface LoadRecord {
  /** How many calls were answered as they should be. */
  answered: number
  /** Recipient by the id that a 202 gave. */
  accepted: Map<string, string>
  /** Subscribers whose creation was answered. */
  subscribers: string[]
  /** Each call that was not answered so, in words. */
  failures: string[]
}

/** How long a scheduled mail waits: some of them pass from one version to the other. */
const scheduledMs = 4_000

/** The pause of a client between two calls: the load is there to meet each moment of the upgrade, not to fill the machine. */
const restMs = 15

/** `name`: its calls have it as their `X-Request-Id`, its recipients in their addresses. */
export function startSteadyLoad(
  world: World,
  { port, clients, name = 'load' }: { port: number; clients: number; name?: string },
): SteadyLoad {
  const record: LoadRecord = { answered: 0, accepted: new Map(), subscribers: [], failures: [] }
  const stopped = new AbortController()
  const ask = async (line: string, expected: number, body?: object): Promise<CallEnd> => {
    const to = { url: world.addressOf(port), apiKey: world.apiKey, requestId: name }
    const end = await call({ ...to, line, ...(body && { body }) })
    if (typeof end !== 'string' && end.status === expected) record.answered++
    else record.failures.push(`${line}: ${tellEnd(end)}`)
    return end
  }
  const send = async (to: string, scheduledAt?: string): Promise<string | null> => {
    const body = { ...mailTo(world, to), ...(scheduledAt !== undefined && { scheduled_at: scheduledAt }) }
    const id = acceptedId(await ask('POST /api/v1/emails', 202, body))
    if (id !== null) record.accepted.set(id, to)
    return id
  }
  const client = async (number: number): Promise<void> => {
    for (let count = 0; !stopped.signal.aborted; count++) {
      const address = `${name}-${number}-${count}@example.test`
      const id = await send(`now-${address}`)
      await send(`later-${address}`, new Date(Date.now() + scheduledMs).toISOString())
      if (id !== null) await ask(`GET /api/v1/emails/${id}`, 200)
      const subscriber = `reader-${address}`
      const created = await ask('POST /api/v1/subscribers', 201, { email: subscriber, double_opt_in: false })
      if (typeof created !== 'string' && created.status === 201) record.subscribers.push(subscriber)
      await rest(restMs)
    }
  }
  const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  return {
    goesOn(calls) {
      const enough = record.answered + calls
      // A failure ends the wait too: the test has its answer.
      return until(
        () => record.answered >= enough || record.failures.length > 0,
        (seen) => seen,
        60_000,
      )
    },
    async stop() {
      stopped.abort()
      await all
      return record
    },
  }
}
