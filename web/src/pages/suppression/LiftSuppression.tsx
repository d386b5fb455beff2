/** Lifts a suppression by hand: the dialog explains the effect and asks for a reason. */
import { Button, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import { useAct } from '../../api/use-ask.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'

export function Reopen({ email }: { email: string }) {
  const { t } = useTranslation('suppression')
  const [opened, { open, close }] = useDisclosure()
  const { mutateAsync } = useAct('reopenAddress', {
    refresh: ['listSuppression'],
    done: ({ still_closed_by_platform: stays }) =>
      stays ? t('reopenedYetSuppressed') : t('reopened', { email }),
  })
  return (
    <>
      <Button variant="default" size="xs" onClick={open} aria-label={`${t('reopen')}: ${email}`}>
        {t('reopen')}
      </Button>
      <FormDialog
        opened={opened}
        onClose={close}
        title={t('reopenWhom', { email })}
        verb={t('reopenNow')}
        danger
        initial={{ reason: '' }}
        isReady={({ reason }) => reason.trim().length >= 3}
        onSubmit={({ reason }) => mutateAsync({ body: { email, reason: reason.trim() } })}
      >
        {(form) => (
          <>
            <Text>{t('reopenWhat')}</Text>
            <Text>{t('reopenNot')}</Text>
            <Textarea
              label={t('reopenReason')}
              description={t('reopenReasonWhy')}
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
