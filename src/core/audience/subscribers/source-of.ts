/**
 * Determines how a subscriber is added or removed: by a program with its key, or by a user by hand.
 */
import type { CallContext } from '../../context.ts'

/** The source as evidence stores it. */
export interface SubscriberSource {
  source: 'api' | 'workspace'
  apiKeyId: string | null
  /** The user's address. */
  person: string | null
}

export const sourceOf = ({
  user,
  apiKey,
}: Pick<CallContext, 'user' | 'apiKey'>): SubscriberSource =>
  user === null
    ? { source: 'api', apiKeyId: apiKey.id, person: null }
    : { source: 'workspace', apiKeyId: null, person: user.email }
