/**
 * A steady load of calls of several kinds through a load balancer: each has to be answered as it is
 * when nothing else happens.
 */
import { acceptedId, call, rest, describeEnd, type CallEnd } from '../support/fault-calls.ts'
import { mailTo, type World } from '../support/fault-world.ts'
import { at } from '../support/json.ts'
import { message } from '../support/mcp.ts'
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

/** Its opens and its clicks are counted. */
const tracked = {
  html: '<p>Read <a href="https://example.com/more">more</a>.</p>',
  track_opens: true,
  track_clicks: true,
}

/**
 * The pause of a client between two calls: the load is there to meet each moment of the upgrade,
 * not to fill the machine.
 */
const restMs = 15

/**
 * Each client sends a mail, a scheduled one and one to an address of another kind, reads the first,
 * and adds a subscriber; then a batch or a tool call of MCP, in turn.
 *
 * `name`: its calls have it as their `X-Request-Id`, its recipients in their addresses.
 */
export function startSteadyLoad(
  world: World,
  { port, clients, name = 'load' }: { port: number; clients: number; name?: string },
): SteadyLoad {
  const record: LoadRecord = { answered: 0, accepted: new Map(), subscribers: [], failures: [] }
  const stopped = new AbortController()
  const ask = async (
    line: string,
    expected: number,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<CallEnd> => {
    const to = { url: world.addressOf(port), apiKey: world.apiKey, requestId: name }
    const end = await call({ ...to, line, headers, body })
    if (typeof end !== 'string' && end.status === expected) record.answered++
    else record.failures.push(`${line}: ${describeEnd(end)}`)
    return end
  }
  const accept = (id: unknown, to: string): void => {
    if (typeof id === 'string') record.accepted.set(id, to)
    else record.failures.push(`no id for ${to}`)
  }
  const send = async (to: string, more: object = {}): Promise<string | null> => {
    const id = acceptedId(
      await ask('POST /api/v1/emails', 202, { body: { ...mailTo(world, to), ...more } }),
    )
    if (id !== null) accept(id, to)
    return id
  }
  const sendBatch = async (address: string): Promise<void> => {
    const to = [`batch-one-${address}`, `batch-two-${address}`]
    const end = await ask('POST /api/v1/emails/batch', 202, {
      body: to.map((entry) => mailTo(world, entry)),
    })
    for (const [index, entry] of to.entries())
      if (end !== 'lost' && end !== 'late') accept(at(end.body, 'data', String(index), 'id'), entry)
  }
  const sendByTool = async (address: string): Promise<void> => {
    const to = `tool-${address}`
    const params = { name: 'send_email', arguments: mailTo(world, to) }
    const body: unknown = JSON.parse(message('tools/call', params))
    const headers = {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    }
    const end = await ask('POST /api/mcp', 200, { body, headers })
    if (end !== 'lost' && end !== 'late')
      accept(at(end.body, 'result', 'structuredContent', 'id'), to)
  }
  const client = async (number: number): Promise<void> => {
    for (let count = 0; !stopped.signal.aborted; count++) {
      const address = `${name}-${number}-${count}@example.test`
      const id = await send(`now-${address}`)
      await send(`later-${address}`, {
        scheduled_at: new Date(Date.now() + scheduledMs).toISOString(),
      })
      if (id !== null) await ask(`GET /api/v1/emails/${id}`, 200)
      await (count % 4 === 0 ? send(`bounces-${address}`) : send(`reads-${address}`, tracked))
      const subscriber = `reader-${address}`
      const created = await ask('POST /api/v1/subscribers', 201, {
        body: { email: subscriber, double_opt_in: false },
      })
      if (typeof created !== 'string' && created.status === 201) record.subscribers.push(subscriber)
      await (count % 2 === 0 ? sendBatch(address) : sendByTool(address))
      await rest(restMs)
    }
  }
  const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  return {
    goesOn(calls) {
      const enough = record.answered + calls
      // A failure ends the wait too: the test has its answer.
      return until(() => record.answered >= enough || record.failures.length > 0)
    },
    async stop() {
      stopped.abort()
      await all
      return record
    },
  }
}
