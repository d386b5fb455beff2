/** The person of a call that only somebody who is signed in can make. */
import type { CallContext, SignedIn } from '../context.ts'

export function theirs({ person }: Pick<CallContext, 'person'>): SignedIn {
  if (!person) throw new Error('A call of a person came without one')
  return person
}
