/**
 * The journal lists a webhook's deliveries, newest first, by state, type and day; the filters live
 * in the page's address.
 */
import { deliveryStatuses, eventTypes } from 'virtual:contract'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { EventType } from '../../../../src/contract/events.ts'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import type { DeliveryStatus } from '../../../../src/contract/webhooks.ts'
import { useList, type ItemOf } from '../../api/use-ask.ts'
import { DayFields } from '../../parts/DayFields.tsx'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { useChangeFilters, useFilter } from '../../parts/use-filter.ts'
import { useMoments } from '../../parts/use-range.ts'
import { answerColumns } from './answer-columns.tsx'
import { keyOf } from '../../parts/key-of.ts'

type Entry = ItemOf<'listWebhookJournal'>

export function Journal({
  health: { webhook, delivered, failed, waiting },
}: {
  health: WebhookHealth
}) {
  const { t } = useTranslation('webhooks')
  const [status] = useFilter('status')
  const [type] = useFilter('type')
  const moments = useMoments()
  const change = useChangeFilters()
  const clear = (): void => change({ status: '', type: '', from: '', to: '' })
  const isFiltered = status !== '' || type !== '' || Object.keys(moments).length > 0
  const query = {
    ...(isStatus(status) && { status }),
    ...(isType(type) && { type }),
    ...moments,
  }
  const read = useList(
    'listWebhookJournal',
    { params: { id: webhook.id }, query },
    { poll: 10_000 },
  )
  // The counts above and the deliveries here are of one moment: the list is read again whenever a
  // count changes.
  const queries = useQueryClient()
  const counts = [delivered, failed, waiting].join(' ')
  const listed = useRef(counts)
  useEffect(() => {
    if (listed.current === counts) return
    listed.current = counts
    void queries.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[1] === 'listWebhookJournal',
    })
  }, [queries, counts])
  const further = (
    <Button variant="default" loading={read.isLoadingMore} onClick={read.loadMore}>
      {t('lookFurther')}
    </Button>
  )
  return (
    <Stack>
      <Filters />
      <Listing
        label={t('journal')}
        read={read}
        columns={columnsOf(t)}
        idOf={({ id }) => id}
        linkOf={({ id }) => `webhooks/${webhook.id}/deliveries/${id}`}
        empty={
          read.hasMore
            ? { icon: 'search', title: t('noneAmongNewest'), action: further }
            : isFiltered
              ? {
                  icon: 'filter',
                  title: t('noMatch'),
                  clear: { label: t('clearFilters'), onClick: clear },
                }
              : { icon: 'webhooks', title: t('journalEmpty'), why: t('journalEmptyWhy') }
        }
      />
    </Stack>
  )
}

const isStatus = (text: string): text is DeliveryStatus =>
  deliveryStatuses.some((status) => status === text)
const isType = (text: string): text is EventType => eventTypes.some((type) => type === text)

function Filters() {
  const { t } = useTranslation('webhooks')
  return (
    <Group gap="sm" role="search" aria-label={t('filters')}>
      <FilterSelect
        name="status"
        label={t('state')}
        withLabel
        any={t('anyState')}
        options={deliveryStatuses.map((value) => ({ value, label: t(keyOf('state', value)) }))}
      />
      <FilterSelect
        name="type"
        label={t('type')}
        withLabel
        any={t('anyType')}
        options={eventTypes.map((value) => ({ value, label: value }))}
      />
      <DayFields />
    </Group>
  )
}

function columnsOf(t: TFunction<'webhooks'>): Column<Entry>[] {
  const { state, attempts, lastAnswer } = answerColumns(t)
  return [
    {
      header: t('type'),
      short: true,
      cell: ({ type, test }) => (
        <>
          <Text component="span" ff="monospace">
            {type}
          </Text>
          {test && <> ({t('testMark')})</>}
        </>
      ),
    },
    state,
    { header: t('happened'), cell: ({ created_at: at }) => <Moment at={at} /> },
    attempts,
    lastAnswer,
    {
      header: t('nextAttempt'),
      cell: ({ next_attempt_at: at }) => <Moment at={at} />,
      wideOnly: true,
    },
  ]
}
