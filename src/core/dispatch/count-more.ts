/** Counts the further requests of a call that is several requests of the rate. */
import type { Scope } from '../../contract/scopes.ts'
import type { CallContext } from '../context.ts'
import { readCredentials } from '../read-key.ts'
import { rateExceeded, type Answer, type Call } from './call.ts'
import type { CountRequest } from './count-request.ts'
import { addRateHeaders } from './identify.ts'

/** Requests that the rate grants pass first; the headers of the answer are those of the last one. */
export async function countFurther(
  countRequest: CountRequest,
  { call, scope, answer }: { call: Call; scope: Scope | null; answer: Answer },
  requests: number,
): ReturnType<NonNullable<CallContext['countMore']>> {
  const credentials = readCredentials(call.headers)
  if (credentials.kind !== 'key') throw new Error('A call without a key has no rate')
  const { workspaceId, digest } = credentials
  // Those of one turn are counted by one statement.
  const counted = await Promise.all(
    Array.from({ length: requests }, () => countRequest(workspaceId, { digest, scope })),
  )
  const last = counted.at(-1)
  if (last) addRateHeaders(answer, last.rate)
  return counted.map(({ rate }) => (rate.passes ? null : rateExceeded(rate)))
}
