/**
 * Presents a campaign's recipient for its pages: the outcome and the reason, as codes with texts in
 * both languages.
 */
import {
  recipientOutcomes,
  type CampaignRecipient,
} from '../../../contract/workspace/campaign-recipients.ts'
import type { ListedRecipient } from '../../../db/campaigns/campaign-recipient-pages.ts'
import { detailOf } from '../../../db/sending/failure-causes.ts'
import { readAnswer } from '../../../mail/reports/read-answer.ts'
import { rfc3339 } from '../../input/read-time.ts'

export function presentRecipient(row: ListedRecipient): Omit<CampaignRecipient, 'captured'> {
  const name = [row.firstName, row.lastName]
    .filter((part) => part !== null && part !== '')
    .join(' ')
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
function outcomeOf({
  place: position,
  status,
  cause,
}: ListedRecipient): CampaignRecipient['outcome'] {
  if (position === 'failed' && cause === 'cancelled') return 'cancelled'
  const word = position === 'pending' || position === 'in_doubt' ? position : status
  return recipientOutcomes.find((outcome) => outcome === word) ?? position
}

type Reason = NonNullable<CampaignRecipient['reason']>

function reasonOf(row: ListedRecipient): Reason | null {
  const { place: position, status, cause, error, response } = row
  switch (position) {
    case 'pending':
      return row.nextAt !== null && response !== null ? answered('put_off', response) : null
    case 'in_doubt':
      return response === null ? withDetail('worker_lost') : withDetail('no_answer', response)
    case 'suppressed':
      return withDetail('suppressed', detailOf(row))
    case 'sent':
      if (status === 'bounced') return answered('bounced', error)
      if (status === 'complained') return withDetail('complained', error)
      return status === 'failed' ? answered('failed_later', error) : null
    case 'failed':
      if (cause === 'cancelled') return withDetail('cancelled')
      if (cause === 'erased') return withDetail('suppressed', error)
      if (cause === 'parked') return withDetail('parked', detailOf(row))
      if (cause === 'spent') return answered('gave_up', detailOf(row))
      return answered('refused', error ?? response)
    default:
      return position satisfies never
  }
}

const withDetail = (kind: Reason['kind'], detail: string | null = null): Reason => ({
  kind,
  detail,
  meaning: null,
})

/** `detail` is the mail server's reply. */
const answered = (kind: Reason['kind'], detail: string | null): Reason => ({
  ...{ kind, detail },
  meaning: detail === null ? null : readAnswer(detail).meaning,
})
