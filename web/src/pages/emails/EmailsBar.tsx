/** What can be done with selected messages: copy their identifiers, cancel those that wait. */
import { Button, Group, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import { notifyRefused } from '../../api/notify.ts'
import { useAct } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { CopyButton } from '../../parts/CopyField.tsx'
import type { Selected } from '../../parts/table/selection.tsx'
import type { Line } from './email-columns.tsx'

interface EmailsBarProps {
  /** The rows that were read. */
  lines: readonly Line[]
  selection: Selected<never>
  onDone: () => void
}

const { selectedTogetherMax: max } = audienceLimits

export const isScheduled = ({ kind, last_event: event }: Pick<Line, 'kind' | 'last_event'>) =>
  kind === 'single' && event === 'scheduled'

export function EmailsBar({ lines, selection, onDone }: EmailsBarProps) {
  const { t, i18n } = useTranslation('emails')
  const mayEdit = useMay('editor')
  const [opened, setOpened] = useState(false)
  const ids = 'ids' in selection ? selection.ids : []
  const waiting = lines.filter((line) => ids.includes(line.id) && isScheduled(line))
  // What the question is about, while the list changes behind it.
  const [chosen, setChosen] = useState<string[]>([])
  const cancel = useCancel()
  return (
    <Paper withBorder p="sm" component="section" aria-label={t('bar')}>
      <Group gap="xs">
        <Text fw={550} aria-live="polite" mr="xs">
          {t('selected', { count: ids.length })}
        </Text>
        <CopyButton value={ids.join('\n')} label={t('copyIds')} />
        {mayEdit && (
          <Button
            size="xs"
            variant="default"
            disabled={waiting.length === 0 || waiting.length > max}
            onClick={() => {
              setChosen(waiting.map(({ id }) => id))
              setOpened(true)
            }}
          >
            {t('cancelScheduled', { count: waiting.length })}
          </Button>
        )}
        {mayEdit && waiting.length > max && (
          <Text>{t('selectFewer', { number: max.toLocaleString(i18n.language) })}</Text>
        )}
      </Group>
      <Confirm
        opened={opened}
        onClose={() => setOpened(false)}
        title={t('cancelAsk', { count: chosen.length })}
        verb={t('cancelVerb')}
        keep={t('cancelKeep')}
        danger
        onConfirm={async () => {
          await cancel(chosen)
          onDone()
        }}
      >
        {t('cancelWhat', { count: chosen.length })}
      </Confirm>
    </Paper>
  )
}

function useCancel(): (ids: string[]) => Promise<unknown> {
  const { t } = useTranslation('emails')
  const { mutateAsync } = useAct('cancelSelectedEmails', {
    refresh: ['listMessages', 'countMessages', 'getMessage'],
    done({ canceled, unchanged }) {
      if (unchanged > 0) notifyRefused(t('cancelTooLate', { count: unchanged }))
      return canceled > 0 ? t('cancelledDone', { count: canceled }) : null
    },
  })
  return (ids) => mutateAsync({ body: { ids } })
}
