/**
 * A steady load of a client that repeats, with the same Idempotency-Key, each call that is answered
 * by 503 and `Retry-After`.
 */
import { rest } from '../support/fault-calls.ts'
import { mailTo, type World } from '../support/fault-world.ts'
import { until } from '../support/until.ts'

export interface LoadEnd {
  /** Recipient by the id that a 202 gave. */
  accepted: Map<string, string>
  /** Calls that were refused for a moment, and repeated. */
  repeated: number
  /** Calls that ended otherwise, in words. */
  failures: string[]
}

export function startRepeatingLoad(
  world: Pick<World, 'apiKey' | 'domain'>,
  ports: readonly number[],
  { to = 'load', restMs = 10 } = {},
) {
  const end: LoadEnd = { accepted: new Map(), repeated: 0, failures: [] }
  const stopping = new AbortController()
  const send = async (port: number, recipient: string): Promise<void> => {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/emails`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': recipient,
        },
        body: JSON.stringify(mailTo(world as World, recipient)),
      }).catch((error: unknown) => String(error))
      if (typeof answer === 'string') return void end.failures.push(`${recipient}: ${answer}`)
      const body: unknown = await answer.json()
      if (answer.status === 202) {
        end.accepted.set((body as { id: string }).id, recipient)
        return
      }
      const isPassing = answer.status === 503 && Number(answer.headers.get('retry-after')) > 0
      const isOurs =
        (body as { error?: { details?: { reason?: string } } }).error?.details?.reason === 'moving'
      if (!isPassing || !isOurs)
        return void end.failures.push(`${recipient}: ${answer.status} ${JSON.stringify(body)}`)
      end.repeated++
      await rest(100)
    }
  }
  const clients = ports.map(async (port, client) => {
    for (let count = 0; !stopping.signal.aborted; count++) {
      await send(port, `${to}-${client}-${count}@example.test`)
      await rest(restMs)
    }
  })
  return {
    /** Until so many more calls were accepted, or one failed. */
    goesOn(calls: number): Promise<unknown> {
      const enough = end.accepted.size + calls
      return until(() => end.accepted.size >= enough || end.failures.length > 0)
    },
    async stop(): Promise<LoadEnd> {
      stopping.abort()
      await Promise.all(clients)
      return end
    },
  }
}
