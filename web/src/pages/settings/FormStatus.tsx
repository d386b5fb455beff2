/** Whether a form's page takes sign-ups now. */
import { useTranslation } from 'react-i18next'
import type { Form } from '../../../../src/contract/workspace/forms.ts'
import { Status } from '../../parts/Status.tsx'

export function FormStatus({ of: { closed_because: why } }: { of: Form }) {
  const { t } = useTranslation('settings')
  if (why === null) return <Status tone="good">{t('formOpen')}</Status>
  return (
    <Status tone={why === 'disabled' ? 'quiet' : 'warning'}>
      {why === 'disabled' ? t('formClosed') : t('formWaits')}
    </Status>
  )
}
