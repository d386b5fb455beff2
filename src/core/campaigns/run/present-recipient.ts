/** Presents a campaign's recipient for its pages: the outcome and the reason, as codes with texts in both languages. */
import type { CampaignRecipient } from '../../../contract/workspace/campaign-recipients.ts'
import { recipientOutcomes } from '../../../contract/workspace/campaign-recipients.ts'
import type { ListedRecipient } from '../../../db/campaigns/campaign-recipient-pages.ts'
import { readAnswer } from '../../../mail/reports/read-answer.ts'
import { rfc3339 } from '../../input/read-time.ts'

export function presentRecipient(row: ListedRecipient): CampaignRecipient {
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

/** The outcome; while it is open, its current state. */
function outcomeOf({ place, status, error }: ListedRecipient): CampaignRecipient['outcome'] {
  if (place === 'failed' && error === 'cancelled') return 'cancelled'
  const word = place === 'pending' || place === 'in_doubt' ? place : status
  return recipientOutcomes.find((outcome) => outcome === word) ?? place
}

type Reason = NonNullable<CampaignRecipient['reason']>

/**
 * Derived from the notes of the ledger's writers (db/campaigns/campaign-outcomes.ts, db/campaigns/campaign-claims.ts,
 * db/campaigns/campaign-control.ts).
 */
function reasonOf(row: ListedRecipient): Reason | null {
  const { place, status, error, response } = row
  switch (place) {
    case 'pending':
      return row.nextAt !== null && response !== null ? answered('put_off', response) : null
    case 'in_doubt':
      return response === null ? noted('worker_lost') : noted('no_answer', response)
    case 'suppressed':
      return noted('suppressed', behind(error, 'suppressed: '))
    case 'sent':
      if (status === 'bounced') return answered('bounced', error)
      if (status === 'complained') return noted('complained', error)
      return status === 'failed' ? answered('failed_later', error) : null
    case 'failed':
      if (error === 'cancelled') return noted('cancelled')
      if (error === 'erased') return noted('suppressed', error)
      if (error?.startsWith('parked: ')) return noted('parked', behind(error, 'parked: '))
      if (error?.startsWith(spent)) return answered('gave_up', behind(error, spent))
      return answered('refused', error ?? response)
    default:
      return place satisfies never
  }
}

const noted = (kind: Reason['kind'], detail: string | null = null): Reason => ({ kind, detail, meaning: null })

/** `detail` is the mail server's reply. */
const answered = (kind: Reason['kind'], detail: string | null): Reason => ({
  ...{ kind, detail },
  meaning: detail === null ? null : readAnswer(detail).meaning,
})

const spent = 'gave up after the last temporary refusal: '

const behind = (text: string | null, start: string): string | null =>
  text?.startsWith(start) && text.length > start.length ? text.slice(start.length) : text
