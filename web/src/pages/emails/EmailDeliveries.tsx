/** The list shows which webhooks received the message's events, and their answers. */
import { Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useAsk, wholeList, type ItemOf } from '../../api/use-ask.ts'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { UserText } from '../../parts/UserText.tsx'

type Delivery = ItemOf<'listMessageDeliveries'>

export function EmailDeliveries({ id }: { id: string }) {
  const { t } = useTranslation('emails')
  const columns = columnsOf(t)
  const read = useAsk('listMessageDeliveries', { params: { id } }, { poll: 5_000 })
  return (
    <Section title={t('deliveries')} gap="md">
      {read.data?.data.length === 0 ? (
        <Text c="dimmed">{t('noDeliveries')}</Text>
      ) : (
        <Listing
          label={t('deliveries')}
          read={wholeList(read, read.data?.data)}
          columns={columns}
          idOf={(delivery) => delivery.id}
          linkOf={(delivery) => `webhooks/${delivery.webhook_id}/deliveries/${delivery.id}`}
        />
      )}
    </Section>
  )
}

const columnsOf = (t: TFunction<'emails'>): Column<Delivery>[] => [
  {
    header: t('hookEvent'),
    short: true,
    cell: ({ type }) => (
      <Text component="span" ff="monospace">
        {type}
      </Text>
    ),
  },
  {
    header: t('hookName'),
    cell: ({ webhook_name: name, url }) => <UserText>{name || url}</UserText>,
  },
  { header: t('status'), cell: ({ status }) => <StateBadge t={t} prefix="hook" state={status} /> },
  {
    header: t('hookAnswer'),
    cell: ({ response_status: status, error: problem, attempts }) =>
      `${status ?? problem ?? '–'}${attempts > 1 ? ` · ${t('attempts', { count: attempts })}` : ''}`,
  },
  { header: t('when'), cell: ({ created_at: at }) => <Moment at={at} /> },
]
