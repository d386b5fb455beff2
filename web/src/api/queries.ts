/** What was read of the service, kept while the page is open: when it is asked again, and where a lost session leads. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { Refusal, refusalCode } from './refusal.ts'

/** Refusals stay what they are; only a service that did not answer is asked again by itself. */
const isWorthAnother = (failures: number, error: Error): boolean =>
  failures < 2 && error instanceof Refusal && (error.status === 0 || error.status >= 502)

export function createQueries(): QueryClient {
  const onError = (error: Error): void => {
    if (refusalCode(error) === 'not_signed_in') leadToSignIn()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: { staleTime: 5_000, retry: isWorthAnother }, mutations: { retry: false } },
  })
}

/** A full load, so that nothing that was read stays behind; afterwards the person comes back to where they were. */
function leadToSignIn(): void {
  const { pathname, search } = window.location
  if (pathname.startsWith('/app/sign-in')) return
  window.location.assign(`/app/sign-in?to=${encodeURIComponent(pathname + search)}`)
}
