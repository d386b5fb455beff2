/** Sends the selected deliveries again; those that wait already stay as they are. */
import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { useNotifyRefused } from '../../api/notify.ts'
import { BulkActions } from '../../parts/table/BulkActions.tsx'

/** What a replay is seen in, beside the health. */
export const journalReads = ['listWebhookJournal', 'countWebhookJournal'] as const

export function ReplaySelected({
  webhook,
  ids,
  onDone,
}: {
  webhook: string
  ids: string[]
  onDone: () => void
}) {
  const { t } = useTranslation('webhooks')
  const onError = useNotifyRefused()
  const { mutate, isPending } = useAct('replaySelectedDeliveries', {
    refresh: [...journalReads, 'listWebhookHealth'],
    done: ({ queued }) => t('replayedSelected', { count: queued }),
  })
  return (
    <BulkActions count={ids.length}>
      <Button
        size="xs"
        variant="default"
        loading={isPending}
        onClick={() =>
          mutate({ params: { id: webhook }, body: { ids } }, { onSuccess: onDone, onError })
        }
      >
        {t('replay')}
      </Button>
    </BulkActions>
  )
}
