/** Removes the selected addresses: all of them or, where one said so itself, none. */
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import { useAct } from '../../api/use-ask.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { BulkActions } from '../../parts/table/BulkActions.tsx'
import { hasReason, LiftReason, noReason } from './LiftReason.tsx'
import { listReads } from './words.ts'

const { selectedTogetherMax: max } = audienceLimits

export function LiftSelected({ ids, onDone }: { ids: string[]; onDone: () => void }) {
  const { t, i18n } = useTranslation('suppression')
  const [opened, { open, close }] = useDisclosure()
  const { mutateAsync } = useAct('liftSelectedSuppressions', {
    refresh: listReads,
    done: ({ lifted, suppressed_by_platform: stay }) =>
      [
        lifted > stay && t('liftedMany', { count: lifted - stay }),
        stay > 0 && t('liftedManyYetSuppressed', { count: stay }),
        lifted === 0 && t('liftedNone'),
      ]
        .filter(Boolean)
        .join(' '),
  })
  return (
    <BulkActions count={ids.length}>
      <Button size="xs" variant="default" disabled={ids.length > max} onClick={open}>
        {t('liftNow')}
      </Button>
      {ids.length > max && (
        <Text>{t('selectFewer', { number: max.toLocaleString(i18n.language) })}</Text>
      )}
      <FormDialog
        opened={opened}
        onClose={close}
        title={t('liftMany', { count: ids.length })}
        verb={t('liftNow')}
        danger
        initial={noReason}
        isReady={hasReason}
        onSubmit={({ reason }) =>
          mutateAsync({ body: { ids, reason: reason.trim() } }).then(onDone)
        }
      >
        {(form) => <LiftReason form={form} />}
      </FormDialog>
    </BulkActions>
  )
}
