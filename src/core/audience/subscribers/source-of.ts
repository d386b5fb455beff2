/**
 * Determines how a subscriber is added or removed: by a program with its key, or by a user by hand.
 */
import type { CallContext } from '../../context.ts'

/** The source as evidence stores it. */
export interface SubscriberSource {
  source: 'api' | 'workspace'
  apiKeyId: string | null
  /** The user's address. */
  contact: string | null
}

export const sourceOf = ({
  user,
  apiKey,
}: Pick<CallContext, 'user' | 'apiKey'>): SubscriberSource =>
  user === null
    ? { source: 'api', apiKeyId: apiKey.id, contact: null }
    : { source: 'workspace', apiKeyId: null, contact: user.email }
