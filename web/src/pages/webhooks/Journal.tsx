/** What a webhook was told, newest first, by state, type and day; the filters live in the page's address. */
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { EventType } from '../../../../src/contract/events.ts'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import type { DeliveryStatus } from '../../../../src/contract/webhooks.ts'
import { useList } from '../../api/use-ask.ts'
import type { ItemOf } from '../../api/use-ask.ts'
import { Empty } from '../../parts/Empty.tsx'
import { Listing } from '../../parts/Listing.tsx'
import type { Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { useChangeFilters, useFilter } from '../../parts/use-filter.ts'
import { useDayFields, useDays } from '../../parts/use-range.ts'
import { beginningOf, dayAfter } from './local-day.ts'
import { deliveryWords, eventTypes, sayFailure } from './words.ts'

type Entry = ItemOf<'listWebhookJournal'>

export function Journal({ health: { webhook, waiting } }: { health: WebhookHealth }): ReactNode {
  const { t } = useTranslation('webhooks')
  const [status] = useFilter('status')
  const [type] = useFilter('type')
  const { from, to } = useDays()
  const clear = useChangeFilters()
  const isFiltered = [status, type, from, to].some((value) => value !== '')
  const query = {
    ...(isStatus(status) && { status }),
    ...(isType(type) && { type }),
    ...(beginningOf(from) !== null && { from: beginningOf(from) ?? '' }),
    ...(dayAfter(to) !== null && { to: dayAfter(to) ?? '' }),
  }
  // What is under way shows as it arrives.
  const read = useList(
    'listWebhookJournal',
    { params: { id: webhook.id }, query },
    { poll: () => (waiting > 0 ? 3_000 : 10_000) },
  )
  return (
    <Stack>
      <Filters />
      <Listing
        label={t('journal')}
        read={read}
        columns={useColumns()}
        idOf={({ id }) => id}
        linkOf={({ id }) => `webhooks/${webhook.id}/deliveries/${id}`}
        empty={
          read.hasMore ? (
            <Empty
              icon="search"
              title={t('noneAmongNewest')}
              action={
                <Button variant="default" loading={read.isLoadingMore} onClick={read.loadMore}>
                  {t('lookFurther')}
                </Button>
              }
            />
          ) : isFiltered ? (
            <Empty
              icon="filter"
              title={t('noMatch')}
              action={
                <Button variant="default" onClick={() => clear({ status: '', type: '', from: '', to: '' })}>
                  {t('clearFilters')}
                </Button>
              }
            />
          ) : (
            <Empty icon="webhooks" title={t('journalEmpty')}>
              {t('journalEmptyWhy')}
            </Empty>
          )
        }
      />
    </Stack>
  )
}

const isStatus = (text: string): text is DeliveryStatus => Object.hasOwn(deliveryWords, text)
const isType = (text: string): text is EventType => eventTypes.some((type) => type === text)

function Filters(): ReactNode {
  const { t } = useTranslation('webhooks')
  const [status, setStatus] = useFilter('status')
  const [type, setType] = useFilter('type')
  const days = useDayFields()
  return (
    <Group gap="sm" role="search" aria-label={t('filters')}>
      <NativeSelect
        label={t('state')}
        value={status}
        onChange={(event) => setStatus(event.currentTarget.value)}
        data={[
          { value: '', label: t('anyState') },
          ...Object.entries(deliveryWords).map(([value, { key }]) => ({ value, label: t(key) })),
        ]}
      />
      <NativeSelect
        label={t('type')}
        value={type}
        onChange={(event) => setType(event.currentTarget.value)}
        data={[{ value: '', label: t('anyType') }, ...eventTypes]}
      />
      <TextInput type="date" label={t('fromDay')} {...days.from} />
      <TextInput type="date" label={t('toDay')} {...days.to} />
    </Group>
  )
}

function useColumns(): Column<Entry>[] {
  const { t } = useTranslation('webhooks')
  return [
    {
      header: t('type'),
      short: true,
      cell: ({ type, test }) => (
        <>
          <Text component="span" ff="monospace" size="sm">
            {type}
          </Text>
          {test && <> ({t('testMark')})</>}
        </>
      ),
    },
    {
      header: t('state'),
      cell: ({ status }) => <Status tone={deliveryWords[status].tone}>{t(deliveryWords[status].key)}</Status>,
    },
    { header: t('happened'), cell: ({ created_at: at }) => <Moment at={at} /> },
    { header: t('attempts'), cell: ({ attempts }) => attempts, align: 'end', short: true },
    {
      header: t('lastAnswer'),
      cell: ({ failure, response_status: status, duration_ms: ms }) =>
        failure ? (
          <UserText>{sayFailure(failure, t)}</UserText>
        ) : status === null ? (
          '–'
        ) : (
          t('answeredIn', { status, ms: ms ?? 0 })
        ),
    },
    { header: t('nextAttempt'), cell: ({ next_attempt_at: at }) => <Moment at={at} />, wideOnly: true },
  ]
}
