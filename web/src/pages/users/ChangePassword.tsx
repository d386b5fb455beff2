/** A new password; every other browser has to sign in again. */
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Form } from '../../parts/Form.tsx'
import { useForm } from '../../parts/use-form.ts'
import { AccountSection } from './AccountSection.tsx'
import { NewPassword } from './NewPassword.tsx'

export function ChangePassword() {
  const { t } = useTranslation('users')
  const { data } = useAsk('getSession')
  const { mutateAsync } = useAct('changePassword', {
    refresh: ['listSessions', 'getSession'],
    done: t('passwordChanged'),
  })
  const form = useForm({ password: '' }, async (body, set) => {
    await mutateAsync({ body })
    set({ password: '' })
  })
  return (
    <AccountSection title={t('password')} about={t('passwordAbout')}>
      <Form form={form} verb={t('savePassword')} button="start" variant="default">
        <NewPassword
          {...form.pick('password')}
          error={form.error}
          email={data?.person.email ?? ''}
        />
      </Form>
    </AccountSection>
  )
}
