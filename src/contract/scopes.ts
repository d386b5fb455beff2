/**
 * Defines the permissions of an API key, which are fixed at its creation (spec: Authentication).
 */
export const scopes = {
  'emails:send': 'Send single e-mails and read their status.',
  'subscribers:read': 'Read subscribers and the suppression list.',
  'subscribers:write': 'Add, update and unsubscribe subscribers; add to the suppression list.',
  'subscribers:export': 'Export everything that is known about one contact.',
  'subscribers:erase': 'Erase one contact for good.',
  'campaigns:read': 'Read campaigns and their statistics.',
  'campaigns:write': 'Create and send campaigns.',
  'webhooks:read': 'List and read webhooks and their deliveries.',
  'webhooks:write': 'Create, update, delete, test and replay webhooks.',
  'captured:read': 'Read captured mails and wait for them, while no provider delivers for real.',
  'captured:write': 'Delete captured mails, while no provider delivers for real.',
  'domains:read': 'Read domains and their DNS records.',
  'domains:write': 'Add domains and have their DNS records checked.',
  'logs:read': 'Read the log of calls.',
} as const

export type Scope = keyof typeof scopes

/** All of them, in display order. */
export const allScopes: readonly Scope[] = Object.keys(scopes).filter(isScope)

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text)
}
