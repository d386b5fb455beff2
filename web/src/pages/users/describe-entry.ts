/**
 * These functions word the details and the subject of an audit entry; they leave out ids and empty
 * values.
 */
import { sayDate } from '../../say-date.ts'
import type { AnswerOf } from '../../../../src/contract/operations.ts'

export type AuditLogEntry = AnswerOf<'listAudit'>['body']['data'][number]

/** Words of the area `users` by their key; empty where there is none. */
type Say = (key: string, filled?: Record<string, string>) => string

/** These details lead to the object itself (`leadOf`), so the words leave them out. */
const ids = new Set(['id', 'campaign', 'message', 'again', 'digest'])

export function describeDetails(
  { details }: Pick<AuditLogEntry, 'details'>,
  say: Say,
  language: string,
): string[] {
  return Object.entries(details)
    .filter(
      ([name, value]) => !ids.has(name) && value !== null && value !== undefined && value !== '',
    )
    .map(([name, value]) =>
      say('detail', {
        name: say(`detail_${name}`) || name,
        value: describeValue(name, value, say, language),
      }),
    )
}

function describeValue(name: string, value: unknown, say: Say, language: string): string {
  if (typeof value === 'boolean') return say(value ? 'yes' : 'no')
  if (typeof value === 'number') return value.toLocaleString(language)
  const text = String(value)
  if (name === 'since' || name === 'until' || name === 'at')
    return sayDate(new Date(text), language, {})
  return say(`value_${text}`) || text
}

/** Names the subject of the act; exports and erasures name no contact. */
export function describeSubject(
  { act, subject, details = {} }: Pick<AuditLogEntry, 'act' | 'subject'> & Partial<AuditLogEntry>,
  say: Say,
): string {
  if (act === 'subscribers.exported' && !('contacts' in details))
    return subject === '' ? say('everybody') : say('filtered', { filter: subject })
  if (act.startsWith('subscriber.')) return say('pageOfPerson')
  if (act === 'person.erased') return say('someErased')
  if (act === 'settings.changed' && subject === 'webhooks') return say('ofWebhooks')
  if (act === 'retention.changed') return say(`value_${subject}`) || subject
  return subject
}

/** The page of the object, below the workspace. Null if it has none, or none any more. */
export function leadOf({
  act,
  subject,
  details,
}: Pick<AuditLogEntry, 'act' | 'subject' | 'details'>): string | null {
  const known = new Map<string, unknown>(Object.entries(details))
  const of = (name: string): string | null => {
    const value = known.get(name)
    return typeof value === 'string' ? encodeURIComponent(value) : null
  }
  const campaign = of('campaign')
  if (campaign !== null) return `campaigns/${campaign}`
  if (act.startsWith('subscriber.')) return `subscribers/${encodeURIComponent(subject)}`
  if (act === 'message.sent' || act === 'message.canceled')
    return of('message') && `emails/${of('message')}`
  if (act === 'message.sent_again') return of('again') && `emails/${of('again')}`
  if (act === 'subscribers.imported' || act === 'subscribers.import_ended')
    return of('id') && `subscribers/import/${of('id')}`
  if (act === 'domain.added' || act === 'domain.keys_rotated')
    return `settings/domains/${encodeURIComponent(subject)}`
  return null
}
