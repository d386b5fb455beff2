/** Which webhooks were told of a message, and what they answered. */
import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import type { ItemOf } from '../../api/use-ask.ts'
import { Listing } from '../../parts/Listing.tsx'
import type { Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import type { Tone } from '../../parts/Status.tsx'
import { UserText } from '../../parts/UserText.tsx'

type Delivery = ItemOf<'listMessageDeliveries'>

const words: Record<Delivery['status'], { tone: Tone; key: string }> = {
  delivered: { tone: 'good', key: 'hookDelivered' },
  pending: { tone: 'busy', key: 'hookPending' },
  failed: { tone: 'bad', key: 'hookFailed' },
}

export function EmailDeliveries({ id }: { id: string }): ReactNode {
  const { t } = useTranslation('emails')
  const columns = useColumns()
  const { data, error, isPending, refetch } = useAsk('listMessageDeliveries', { params: { id } }, { poll: 5_000 })
  return (
    <Stack component="section" gap="md" aria-labelledby="mail-deliveries">
      <Title order={2} size="h3" id="mail-deliveries">
        {t('deliveries')}
      </Title>
      {data?.data.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('noDeliveries')}
        </Text>
      ) : (
        <Listing
          label={t('deliveries')}
          read={{ items: data?.data ?? [], isLoading: isPending, error: data ? null : error, retry: () => void refetch() }}
          columns={columns}
          idOf={(delivery) => delivery.id}
          linkOf={(delivery) => `webhooks/${delivery.webhook_id}/deliveries/${delivery.id}`}
          empty={null}
        />
      )}
    </Stack>
  )
}

function useColumns(): Column<Delivery>[] {
  const { t } = useTranslation('emails')
  return [
    {
      header: t('hookEvent'),
      short: true,
      cell: ({ type }) => (
        <Text component="span" ff="monospace" size="sm">
          {type}
        </Text>
      ),
    },
    { header: t('hookName'), cell: ({ webhook_name: name, url }) => <UserText>{name || url}</UserText> },
    { header: t('status'), cell: ({ status }) => <Status tone={words[status].tone}>{t(words[status].key)}</Status> },
    {
      header: t('hookAnswer'),
      cell: ({ response_status: status, error: problem, attempts }) =>
        `${status ?? problem ?? '–'}${attempts > 1 ? ` · ${t('attempts', { count: attempts })}` : ''}`,
    },
    { header: t('when'), cell: ({ created_at: at }) => <Moment at={at} /> },
  ]
}
