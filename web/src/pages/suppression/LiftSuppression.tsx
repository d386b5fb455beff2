/** Lifts a suppression by hand: the dialog explains the effect and asks for a reason. */
import { Button, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import { useAct } from '../../api/use-ask.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'

export function LiftSuppression({ email }: { email: string }) {
  const { t } = useTranslation('suppression')
  const [opened, { open, close }] = useDisclosure()
  const { mutateAsync } = useAct('liftSuppression', {
    refresh: ['listSuppression'],
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
        initial={{ reason: '' }}
        isReady={({ reason }) => reason.trim().length >= 3}
        onSubmit={({ reason }) => mutateAsync({ body: { email, reason: reason.trim() } })}
      >
        {(form) => (
          <>
            <Text>{t('liftWhat')}</Text>
            <Text>{t('liftNot')}</Text>
            <Textarea
              label={t('liftReason')}
              description={t('liftReasonWhy')}
              {...form.text('reason')}
              maxLength={audienceLimits.reasonMax}
              required
              data-autofocus
            />
          </>
        )}
      </FormDialog>
    </>
  )
}
