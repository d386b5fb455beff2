/** One of a campaign's recipients as its pages show it: what became of the mail, and why, in kinds that have words in both languages. */
import type { CampaignRecipient } from '../../../contract/workspace/campaign-recipients.ts'
import { recipientOutcomes } from '../../../contract/workspace/campaign-recipients.ts'
import type { ListedRecipient } from '../../../db/campaign-recipient-pages.ts'
import { rfc3339 } from '../../emails/read-time.ts'

export function showRecipient(row: ListedRecipient): CampaignRecipient {
  const name = [row.firstName, row.lastName].filter((part) => part !== null && part !== '').join(' ')
  return {
    object: 'campaign_recipient',
    subscriberId: row.subscriberId,
    email: row.email,
    name: name === '' ? null : name,
    place: row.place,
    outcome: outcomeOf(row),
    reason: reasonOf(row),
    bounce: row.bounce,
    response: row.response,
    attempts: row.attempts,
    nextTryAt: row.nextAt && rfc3339(row.nextAt),
    sentAt: row.sentAt && rfc3339(row.sentAt),
    deliveredAt: row.deliveredAt && rfc3339(row.deliveredAt),
    deliveredBy: row.deliveredBy,
    openedAt: row.openedAt && rfc3339(row.openedAt),
    clickedAt: row.clickedAt && rfc3339(row.clickedAt),
    unsubscribedAt: row.unsubscribedAt && rfc3339(row.unsubscribedAt),
  }
}

/** What became of it; while that is open, where it stands. */
function outcomeOf({ place, status }: ListedRecipient): CampaignRecipient['outcome'] {
  const word = place === 'pending' || place === 'in_doubt' ? place : status
  return recipientOutcomes.find((outcome) => outcome === word) ?? place
}

/** Told apart by what the ledger's writers note (db/campaign-outcomes.ts, db/campaign-claims.ts, db/campaign-control.ts). */
function reasonOf(row: ListedRecipient): CampaignRecipient['reason'] {
  const { place, status, error, response } = row
  switch (place) {
    case 'pending':
      return row.nextAt !== null && response !== null ? { kind: 'put_off', detail: response } : null
    case 'in_doubt':
      return response === null ? { kind: 'worker_lost', detail: null } : { kind: 'no_answer', detail: response }
    case 'suppressed':
      return { kind: 'suppressed', detail: behind(error, 'suppressed: ') }
    case 'sent':
      if (status === 'bounced' || status === 'complained') return { kind: status, detail: error }
      return status === 'failed' ? { kind: 'failed_later', detail: error } : null
    case 'failed':
      if (error === 'cancelled') return { kind: 'cancelled', detail: null }
      if (error?.startsWith('parked: ')) return { kind: 'parked', detail: behind(error, 'parked: ') }
      if (error?.startsWith(spent)) return { kind: 'gave_up', detail: behind(error, spent) }
      return { kind: 'refused', detail: error ?? response }
    default:
      return place satisfies never
  }
}

const spent = 'gave up after the last temporary refusal: '

const behind = (text: string | null, start: string): string | null =>
  text?.startsWith(start) && text.length > start.length ? text.slice(start.length) : text
