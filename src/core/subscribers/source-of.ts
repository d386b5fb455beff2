/** By whom and by which door somebody is added or taken out: a program by its key, or a member of the workspace by hand. */
import type { CallContext } from '../context.ts'

/** As evidence keeps it. */
export interface SubscriberSource {
  source: 'api' | 'workspace'
  apiKeyId: string | null
  /** The address of the member. */
  person: string | null
}

export const sourceOf = ({ user, apiKey }: Pick<CallContext, 'user' | 'apiKey'>): SubscriberSource =>
  user === null
    ? { source: 'api', apiKeyId: apiKey.id, person: null }
    : { source: 'workspace', apiKeyId: null, person: user.email }
