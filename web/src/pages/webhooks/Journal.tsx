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
import type { Got } from '../../api/client.ts'
import { useAsk, useList, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { useChangeFilters, useFilter } from '../../parts/use-filter.ts'
import { DateMenu } from '../../parts/table/DateMenu.tsx'
import { usePeriod } from '../../parts/table/period.ts'
import { StatusTabs } from '../../parts/table/StatusTabs.tsx'
import { answerColumns } from './answer-columns.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { journalReads, ReplaySelected } from './ReplaySelected.tsx'

type Entry = ItemOf<'listWebhookJournal'>

export function Journal({ health }: { health: WebhookHealth }) {
  const { t } = useTranslation('webhooks')
  const mayEdit = useMay('editor')
  const { webhook } = health
  const params = { id: webhook.id }
  const change = useChangeFilters()
  const clear = (): void => change({ status: '', type: '', days: '', from: '', to: '' })
  const { status, filter } = useJournalFilter()
  const query = { ...filter, ...(status && { status }) }
  const isFiltered = Object.keys(query).length > 0
  const read = useList('listWebhookJournal', { params, query })
  const { data: counts } = useAsk('countWebhookJournal', { params, query: filter })
  useReadWith(health)
  const further = (
    <Button variant="default" loading={read.isLoadingMore} onClick={read.loadMore}>
      {t('lookFurther')}
    </Button>
  )
  return (
    <Stack>
      <Filters counts={counts} />
      <Listing<Entry>
        label={t('journal')}
        read={read}
        columns={columnsOf(t)}
        idOf={({ id }) => id}
        linkOf={({ id }) => `webhooks/${webhook.id}/deliveries/${id}`}
        total={status && counts ? counts.statuses[status] : counts}
        {...(mayEdit && {
          selecting: {
            labelOf: ({ type, id }: Entry) => `${type} ${id}`,
            view: JSON.stringify(query),
            renderBar: ({ selection, onDone }) =>
              'ids' in selection && (
                <ReplaySelected webhook={webhook.id} ids={selection.ids} onDone={onDone} />
              ),
          },
        })}
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

function useJournalFilter() {
  const [status] = useFilter('status')
  const [type] = useFilter('type')
  const { since, until } = usePeriod()
  return {
    status: isStatus(status) ? status : undefined,
    filter: {
      ...(isType(type) && { type }),
      ...(since !== undefined && { from: since }),
      ...(until !== undefined && { to: until }),
    },
  }
}

/** The page polls the health alone: the list and its counts are read again whenever that changed. */
function useReadWith(health: WebhookHealth): void {
  const queries = useQueryClient()
  const known = JSON.stringify(health)
  const readFor = useRef(known)
  useEffect(() => {
    if (readFor.current === known) return
    readFor.current = known
    void queries.invalidateQueries({
      predicate: ({ queryKey }) => journalReads.some((id) => id === queryKey[1]),
    })
  }, [queries, known])
}

const isStatus = (text: string): text is DeliveryStatus =>
  deliveryStatuses.some((status) => status === text)
const isType = (text: string): text is EventType => eventTypes.some((type) => type === text)

function Filters({ counts }: { counts: Got<'countWebhookJournal'> | undefined }) {
  const { t } = useTranslation('webhooks')
  return (
    <>
      <StatusTabs
        label={t('state')}
        tabs={[
          { value: '', label: t('anyState'), total: counts },
          ...deliveryStatuses.map((value) => ({
            ...{ value, label: t(keyOf('state', value)), total: counts?.statuses[value] },
          })),
        ]}
      />
      <Group gap="sm" role="search" aria-label={t('filters')}>
        <FilterSelect
          name="type"
          label={t('type')}
          any={t('anyType')}
          options={eventTypes.map((value) => ({ value, label: value }))}
        />
        <DateMenu />
      </Group>
    </>
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
