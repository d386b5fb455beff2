/** Lifts a suppression by hand: the dialog explains the effect and asks for a reason. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { hasReason, LiftReason, noReason } from './LiftReason.tsx'
import { listReads } from './words.ts'

export function LiftSuppression({ email }: { email: string }) {
  const { t } = useTranslation('suppression')
  const [opened, { open, close }] = useDisclosure()
  const { mutateAsync } = useAct('liftSuppression', {
    refresh: listReads,
    done: ({ suppressed_by_platform: stays }) =>
      stays ? t('liftedYetSuppressed') : t('lifted', { email }),
  })
  return (
    <>
      <Button variant="default" size="xs" onClick={open} aria-label={`${t('lift')}: ${email}`}>
        {t('lift')}
      </Button>
      <FormDialog
        opened={opened}
        onClose={close}
        title={t('liftWhom', { email })}
        verb={t('liftNow')}
        danger
        initial={noReason}
        isReady={hasReason}
        onSubmit={({ reason }) => mutateAsync({ body: { email, reason: reason.trim() } })}
      >
        {(form) => <LiftReason form={form} />}
      </FormDialog>
    </>
  )
}
