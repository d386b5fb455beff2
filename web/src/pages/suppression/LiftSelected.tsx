/**
 * Removes the selected addresses, or all that match: all of them or, where one said so itself or
 * their number has changed, none.
 */
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import type { AnswerOf } from '../../../../src/contract/operations.ts'
import { useAct } from '../../api/use-ask.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { BulkActions } from '../../parts/table/BulkActions.tsx'
import type { Selected } from '../../parts/table/selection.tsx'
import { hasReason, LiftReason, noReason } from './LiftReason.tsx'
import type { View } from './use-view.ts'
import { listReads } from './words.ts'

interface LiftSelectedProps {
  selection: Selected<View['removable']['filter']>
  onDone: () => void
}

const { selectedTogetherMax: max } = audienceLimits

export function LiftSelected({ selection, onDone }: LiftSelectedProps) {
  const { t, i18n } = useTranslation('suppression')
  const [opened, { open, close }] = useDisclosure()
  const lift = useLift(selection)
  const count = 'ids' in selection ? selection.ids.length : selection.total.count
  const isTooMany = 'ids' in selection && count > max
  return (
    <BulkActions count={count}>
      <Button size="xs" variant="default" disabled={isTooMany} onClick={open}>
        {t('liftNow')}
      </Button>
      {isTooMany && <Text>{t('selectFewer', { number: max.toLocaleString(i18n.language) })}</Text>}
      <FormDialog
        opened={opened}
        onClose={close}
        title={t('liftMany', { count })}
        verb={t('liftNow')}
        danger
        initial={noReason}
        isReady={hasReason}
        onSubmit={({ reason }) => lift(reason.trim()).then(onDone)}
      >
        {(form) => <LiftReason form={form} />}
      </FormDialog>
    </BulkActions>
  )
}

function useLift(selection: LiftSelectedProps['selection']): (reason: string) => Promise<unknown> {
  const { t } = useTranslation('suppression')
  const after = {
    refresh: listReads,
    done: ({
      lifted,
      suppressed_by_platform: stay,
    }: AnswerOf<'liftSelectedSuppressions'>['body']) =>
      [
        lifted > stay && t('liftedMany', { count: lifted - stay }),
        stay > 0 && t('liftedManyYetSuppressed', { count: stay }),
        lifted === 0 && t('liftedNone'),
      ]
        .filter(Boolean)
        .join(' '),
  }
  const selected = useAct('liftSelectedSuppressions', after)
  const matching = useAct('liftMatchingSuppressions', after)
  return (reason) =>
    'ids' in selection
      ? selected.mutateAsync({ body: { ids: selection.ids, reason } })
      : matching.mutateAsync({
          body: { matching: selection.matching, expected: selection.total.count, reason },
        })
}
