/** The person of a call that only somebody who is signed in can make. */
import type { CallContext, SignedIn } from './context.ts'

export function signedInUser({ user }: Pick<CallContext, 'user'>): SignedIn {
  if (!user) throw new Error('A call of a person came without one')
  return user
}
