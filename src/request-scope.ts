/**
 * The current request: every log line that is written while it is answered carries its identifier.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

const scope = new AsyncLocalStorage<string>()

/** Runs `work`, and all that it starts, as part of the request. */
export const inRequest = <T>(requestId: string, work: () => T): T => scope.run(requestId, work)

/** The request that this code runs for; undefined in background work. */
export const currentRequestId = (): string | undefined => scope.getStore()

/**
 * The caller's own `X-Request-Id` when it can stand in a log line and a header, and holds no key,
 * else a new one.
 */
export function chooseRequestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^(?!.*fct_)[A-Za-z0-9._-]{1,100}$/i.test(given)
    ? given
    : randomUUID()
}
