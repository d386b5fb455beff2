/** What a removal from suppression does, and the reason that it asks for. */
import { Text, Textarea } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import type { FormState } from '../../parts/use-form.ts'

export const noReason = { reason: '' }
export const hasReason = ({ reason }: { reason: string }): boolean => reason.trim().length >= 3

export function LiftReason({ form }: { form: FormState<typeof noReason> }) {
  const { t } = useTranslation('suppression')
  return (
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
  )
}
