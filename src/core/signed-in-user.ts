/** Returns the user of a call that requires one. */
import type { CallContext, SignedIn } from './context.ts'

export function signedInUser({ user }: Pick<CallContext, 'user'>): SignedIn {
  if (!user) throw new Error('A call of a person came without one')
  return user
}
