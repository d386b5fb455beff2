/** These columns show the result of a delivery in each list of deliveries. */
import type { TFunction } from 'i18next'
import type { ItemOf } from '../../api/use-ask.ts'
import type { Column } from '../../parts/Listing.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { sayFailure } from './words.ts'

type Answered = Pick<
  ItemOf<'listWebhookJournal'>,
  'status' | 'attempts' | 'failure' | 'response_status' | 'duration_ms'
>

export const answerColumns = (
  t: TFunction<'webhooks'>,
): Record<'state' | 'attempts' | 'lastAnswer', Column<Answered>> => ({
  state: {
    header: t('state'),
    cell: ({ status }) => <StateBadge t={t} prefix="state" state={status} />,
  },
  attempts: { header: t('attempts'), cell: ({ attempts }) => attempts, align: 'end', short: true },
  lastAnswer: {
    header: t('lastAnswer'),
    cell: ({ failure, response_status: status, duration_ms: ms }) => {
      if (failure) return <UserText>{sayFailure(failure, t)}</UserText>
      return status === null ? '–' : t('answeredIn', { status, ms: ms ?? 0 })
    },
  },
})
