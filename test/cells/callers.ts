/** Many callers of one workspace, each of which repeats a call that is answered by 503 and `Retry-After` with the same Idempotency-Key. */
import { rest } from '../support/fault-calls.ts'
import { mailTo, type Run, type World } from '../support/fault-world.ts'
import { until } from '../support/until.ts'

export interface CallersEnd {
  /** Recipient by the id that a 202 gave. */
  accepted: Map<string, string>
  repeated: number
  /** Calls that ended otherwise, in words. */
  failures: string[]
}

/** They stop with the run at the latest. */
export function startCallers(run: Run, { world, ports }: { world: World; ports: readonly number[] }, count: number) {
  const end: CallersEnd = { accepted: new Map(), repeated: 0, failures: [] }
  const stopping = new AbortController()
  const send = async (port: number, recipient: string): Promise<void> => {
    for (;;) {
      const answer = await fetch(`${world.addressOf(port)}/api/v1/emails`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json', 'idempotency-key': recipient },
        body: JSON.stringify(mailTo(world, recipient)),
      }).catch((error: unknown) => String(error))
      if (typeof answer === 'string') return void end.failures.push(`${recipient}: ${answer}`)
      const body = (await answer.json()) as { id: string }
      if (answer.status === 202) return void end.accepted.set(body.id, recipient)
      if (answer.status !== 503 || !(Number(answer.headers.get('retry-after')) > 0))
        return void end.failures.push(`${recipient}: ${answer.status} ${JSON.stringify(body)}`)
      end.repeated++
      await rest(100)
    }
  }
  const clients = Array.from({ length: count }, async (_, client) => {
    for (let at = 0; !stopping.signal.aborted; at++) {
      await send(ports[client % ports.length] ?? 0, `caller-${client}-${at}@example.test`)
      await rest(20)
    }
  })
  run.after(async () => stopping.abort())
  return {
    /** Until so many more calls were accepted, or one failed. */
    goesOn(calls: number): Promise<unknown> {
      const enough = end.accepted.size + calls
      return until(() => end.accepted.size >= enough || end.failures.length > 0, Boolean, 60_000)
    },
    async stop(): Promise<CallersEnd> {
      stopping.abort()
      await Promise.all(clients)
      return end
    },
  }
}
