/**
 * The pages share this cache of answers. It decides when to ask the service again, and where a lost
 * session leads.
 */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { routes } from 'virtual:contract'
import { refusalCode } from './refusal.ts'
import { isAway, isAwayBy, markAway } from './service-away.ts'

/**
 * A repeated call does not change a refusal; the page repeats only calls that the service did not
 * answer.
 */
const isWorthAnother = (failures: number, error: Error): boolean => failures < 2 && isAway(error)

/** How often the page asks whether the service is there again, in milliseconds. */
const returnMs = 2_000
/**
 * The page repeats a call that keeps failing beside a service that answers more and more rarely, up
 * to this.
 */
const returnMsMax = 60_000

/**
 * Called when the service does not answer: asks until it does, once for the whole page, and then
 * says so once.
 */
function watchReturn(onReturn: () => void): { start: () => void; reset: () => void } {
  let watching = false
  let delayMs = returnMs
  const wait = (ms: number): void => void setTimeout(() => void poll(), ms)
  const poll = async (): Promise<void> => {
    const answer = await fetch(`/people${routes.getSession.path}`).catch(() => null)
    if (answer === null || isAwayBy(answer.status, answer.headers.has('Retry-After')))
      return wait(returnMs)
    watching = false
    markAway(false)
    delayMs = Math.min(returnMsMax, delayMs * 2)
    onReturn()
  }
  return {
    start() {
      if (!watching) wait(delayMs)
      watching = true
      markAway(true)
    },
    reset: () => void (delayMs = returnMs),
  }
}

export function createQueries(): QueryClient {
  const onError = (error: Error): void => {
    if (refusalCode(error) === 'not_signed_in') leadToSignIn()
  }
  const returning = watchReturn(
    () =>
      void queries.refetchQueries({
        type: 'active',
        predicate: ({ state }) => isAway(state.error),
      }),
  )
  const queries = new QueryClient({
    queryCache: new QueryCache({
      onError(error) {
        onError(error)
        if (isAway(error)) returning.start()
      },
      onSuccess() {
        const missing = queries
          .getQueryCache()
          .findAll({ type: 'active', predicate: ({ state }) => state.status !== 'success' })
        if (missing.length === 0) returning.reset()
      },
    }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: 5_000, retry: isWorthAnother },
      mutations: { retry: false },
    },
  })
  return queries
}

/**
 * A full load deletes all answers of the lost session; afterwards the user comes back to the same
 * page.
 */
function leadToSignIn(): void {
  const { pathname, search } = window.location
  if (pathname.startsWith('/app/sign-in')) return
  window.location.assign(`/app/sign-in?to=${encodeURIComponent(pathname + search)}`)
}
