/**
 * Many callers of one workspace, each of which repeats a call that is answered by 503 and
 * `Retry-After` with the same Idempotency-Key.
 */
import { rest } from './fault-calls.ts'
import { mailTo, type Run, type World } from './fault-world.ts'
import { until } from './until.ts'

export interface CallersEnd {
  /** Recipient by the id that a 202 gave. */
  accepted: Map<string, string>
  repeated: number
  /** From the first try of a call to its 202. */
  longestMs: number
  /** Calls that ended otherwise, in words. */
  failures: string[]
}

export interface Callers {
  count: number
  /** Of each, between two calls. */
  restMs?: number
}

/**
 * For the whole size: callers enough, and a campaign that goes on beside their mail for longer than
 * a move takes.
 */
export const whole = {
  contacts: 20_000,
  callers: { count: 50, restMs: 500 },
  settings: { FACTEUR_RATE_PER_SECOND: 400 },
}

/**
 * Times of the service as they are by themselves: a statement that waits for a move must not
 * outlast the lease of its mail.
 */
export const patient = { FACTEUR_LEASE_SECONDS: 90, FACTEUR_INLINE_SECONDS: 10 }

/** They stop with the run at the latest. */
export function startCallers(
  run: Run,
  { world, ports }: { world: World; ports: readonly number[] },
  { count, restMs = 100 }: Callers,
) {
  const end: CallersEnd = { accepted: new Map(), repeated: 0, longestMs: 0, failures: [] }
  const stopping = new AbortController()
  const send = async (port: number, recipient: string): Promise<void> => {
    const beganAtMs = performance.now()
    for (;;) {
      const answer = await fetch(`${world.addressOf(port)}/api/v1/emails`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': recipient,
        },
        body: JSON.stringify(mailTo(world, recipient)),
      }).catch((error: unknown) => String(error))
      if (typeof answer === 'string') return void end.failures.push(`${recipient}: ${answer}`)
      const body = (await answer.json()) as { id: string }
      if (answer.status === 202) {
        end.longestMs = Math.max(end.longestMs, Math.round(performance.now() - beganAtMs))
        return void end.accepted.set(body.id, recipient)
      }
      if (answer.status !== 503 || !(Number(answer.headers.get('retry-after')) > 0))
        return void end.failures.push(`${recipient}: ${answer.status} ${JSON.stringify(body)}`)
      end.repeated++
      await rest(100)
    }
  }
  const clients = Array.from({ length: count }, async (_, client) => {
    for (let at = 0; !stopping.signal.aborted; at++) {
      await send(ports[client % ports.length] ?? 0, `caller-${client}-${at}@example.test`)
      await rest(restMs)
    }
  })
  run.after(async () => stopping.abort())
  return {
    /** Until so many more calls were accepted, or one failed. */
    goesOn(calls: number): Promise<unknown> {
      const enough = end.accepted.size + calls
      return until(() => end.accepted.size >= enough || end.failures.length > 0)
    },
    soFar: (): Readonly<CallersEnd> => end,
    /** What waits from now on is of another move. */
    forgetLongest(): void {
      end.longestMs = 0
    },
    async stop(): Promise<CallersEnd> {
      stopping.abort()
      await Promise.all(clients)
      return end
    },
  }
}
