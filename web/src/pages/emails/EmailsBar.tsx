/** What can be done with selected messages: copy their identifiers, cancel those that wait. */
import { Button, Group, Paper, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notifyDone, notifyRefused } from '../../api/notify.ts'
import { refusalCode } from '../../api/refusal.ts'
import { useAct } from '../../api/use-ask.ts'
import { readKey } from '../../api/reads.ts'
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

export const isScheduled = ({ kind, last_event: event }: Pick<Line, 'kind' | 'last_event'>) =>
  kind === 'single' && event === 'scheduled'

export function EmailsBar({ lines, selection, onDone }: EmailsBarProps) {
  const { t } = useTranslation('emails')
  const mayEdit = useMay('editor')
  const [opened, setOpened] = useState(false)
  const ids = 'ids' in selection ? selection.ids : []
  const waiting = lines.filter((line) => ids.includes(line.id) && isScheduled(line))
  const cancel = useCancel(waiting.map(({ id }) => id))
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
            disabled={waiting.length === 0}
            onClick={() => setOpened(true)}
          >
            {t('cancelScheduled', { count: waiting.length })}
          </Button>
        )}
      </Group>
      <Confirm
        opened={opened}
        onClose={() => setOpened(false)}
        title={t('cancelAsk', { count: waiting.length })}
        verb={t('cancelVerb')}
        keep={t('cancelKeep')}
        danger
        onConfirm={async () => {
          await cancel()
          onDone()
        }}
      >
        {t('cancelWhat')}
      </Confirm>
    </Paper>
  )
}

/** One after the other; one that has begun to leave meanwhile stays, and is counted. */
function useCancel(ids: string[]): () => Promise<void> {
  const { t } = useTranslation('emails')
  const queries = useQueryClient()
  const { mutateAsync } = useAct('cancelEmail')
  return async () => {
    let left = 0
    try {
      for (const id of ids)
        // oxlint-disable-next-line no-await-in-loop
        await mutateAsync({ params: { id } }).catch((refusal: unknown) => {
          if (!(refusal instanceof Error) || refusalCode(refusal) !== 'conflict') throw refusal
          left++
        })
    } finally {
      const changed = ['listMessages', 'countMessages', 'getMessage'] as const
      await Promise.all(changed.map((id) => queries.invalidateQueries({ queryKey: readKey(id) })))
    }
    if (left > 0) notifyRefused(t('cancelTooLate', { count: left }))
    else notifyDone(t('cancelledDone', { count: ids.length }))
  }
}
