/** Removes the selected addresses: all of them or, where one said so itself, none. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { BulkActions } from '../../parts/table/BulkActions.tsx'
import { hasReason, LiftReason, noReason } from './LiftReason.tsx'
import { listReads } from './words.ts'

export function LiftSelected({ ids, onDone }: { ids: string[]; onDone: () => void }) {
  const { t } = useTranslation('suppression')
  const [opened, { open, close }] = useDisclosure()
  const { mutateAsync } = useAct('liftSelectedSuppressions', {
    refresh: listReads,
    done: ({ lifted }) => t('liftedMany', { count: lifted }),
  })
  return (
    <BulkActions count={ids.length}>
      <Button size="xs" variant="default" onClick={open}>
        {t('liftNow')}
      </Button>
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
