/** What can be done with selected drafts: delete them. */
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import { notifyRefused } from '../../api/notify.ts'
import { useAct } from '../../api/use-ask.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { BulkActions } from '../../parts/table/BulkActions.tsx'
import type { Selected } from '../../parts/table/selection.tsx'
import { useRefresh } from './run/use-refresh.ts'

interface CampaignsBarProps {
  selection: Selected<never>
  onDone: () => void
}

const { selectedTogetherMax: max } = audienceLimits

export function CampaignsBar({ selection, onDone }: CampaignsBarProps) {
  const { t } = useTranslation('drafts')
  const { t: run } = useTranslation('run')
  const { t: shell, i18n } = useTranslation('shell')
  const refresh = useRefresh()
  const [opened, { open, close }] = useDisclosure()
  const ids = 'ids' in selection ? selection.ids : []
  const { mutateAsync } = useAct('deleteSelectedDrafts', {
    refresh: ['listCampaigns', 'countCampaigns'],
    done({ deleted, unchanged }) {
      if (unchanged > 0) notifyRefused(t('draftsLeft', { count: unchanged }))
      return deleted > 0 ? t('draftsDeleted', { count: deleted }) : null
    },
  })
  return (
    <BulkActions count={ids.length}>
      <Button size="xs" variant="default" disabled={ids.length > max} onClick={open}>
        {run('act_delete')}
      </Button>
      {ids.length > max && (
        <Text>{shell('selectFewer', { number: max.toLocaleString(i18n.language) })}</Text>
      )}
      <Confirm
        opened={opened}
        onClose={close}
        title={t('deleteDrafts', { count: ids.length })}
        verb={run('act_delete')}
        danger
        onConfirm={async () => {
          // Where one fails, those before it are deleted.
          await mutateAsync({ body: { ids } }, { onError: () => void refresh() })
          onDone()
        }}
      >
        {t('deleteDraftsWhat', { count: ids.length })}
      </Confirm>
    </BulkActions>
  )
}
