/**
 * A steady load of single sends, which remembers every 202 and every call that was not answered.
 */
import { acceptedId, call, rest } from './fault-calls.ts'
import { mailTo, type World } from './fault-world.ts'
import { until } from './until.ts'

export interface Load {
  /** Until so many more calls were accepted. */
  goesOn(calls: number): Promise<unknown>
  /** Lets the calls under way end. */
  stop(): Promise<LoadResult>
}

export interface LoadResult {
  /** Recipient by the id that a 202 gave. */
  accepted: Map<string, string>
  /** Calls that hang. */
  late: string[]
}

export function startLoad(
  world: World,
  { port, clients }: { port: number; clients: number },
): Load {
  const result: LoadResult = { accepted: new Map(), late: [] }
  const stopped = new AbortController()
  const client = async (number: number): Promise<void> => {
    for (let count = 0; !stopped.signal.aborted; count++) {
      const to = `load-${number}-${count}@example.test`
      const body = mailTo(world, to)
      const end = await call({
        url: world.addressOf(port),
        apiKey: world.apiKey,
        line: 'POST /api/v1/emails',
        body,
      })
      const id = acceptedId(end)
      if (id !== null) result.accepted.set(id, to)
      else if (end === 'late') result.late.push(`the call for ${to} was not answered`)
      else await rest(50)
    }
  }
  const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  return {
    goesOn(calls) {
      const enough = result.accepted.size + calls
      return until(() => result.accepted.size >= enough)
    },
    async stop() {
      stopped.abort()
      await all
      return result
    },
  }
}

/** Every 202 is a row, and every call was answered. */
export function checkLoad({ accepted, late }: LoadResult, messageIds: string[]): string[] {
  const known = new Set(messageIds)
  const gone = [...accepted]
    .filter(([id]) => !known.has(id))
    .map(([id, to]) => `gone: ${to} was answered 202 with ${id}, and there is no such row`)
  return accepted.size === 0 ? ['nothing was accepted at all'] : [...late, ...gone]
}
