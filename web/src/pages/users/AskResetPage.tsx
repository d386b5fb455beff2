/** Asks for a new password; the page answers alike whether the address has an account or not. */
import { Alert, Stack, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { Form } from '../../parts/Form.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { useForm } from '../../parts/use-form.ts'
import { UserFrame } from './UserFrame.tsx'
import { ruleAt } from './rule-at.ts'

export function AskResetPage() {
  const { t } = useTranslation('users')
  const { mutateAsync, isSuccess } = useAct('askForReset')
  const form = useForm({ email: '' }, (body) => mutateAsync({ body }))
  return (
    <UserFrame title={t('newPasswordTitle')} about={isSuccess ? undefined : t('askResetAbout')}>
      {isSuccess ? (
        <Alert color="teal" icon={<Icon name="emails" />} role="status">
          <Stack gap="xs">
            <Text>{t('resetMailed', form.values)}</Text>
            <Text>{t('resetElse')}</Text>
          </Stack>
        </Alert>
      ) : (
        <Form form={form} verb={t('sendLink')} button="wide">
          <TextInput
            label={t('email')}
            type="email"
            {...form.text('email')}
            error={ruleAt(form.error, 'email') && t('noAddress')}
            autoComplete="username"
            required
          />
        </Form>
      )}
      <PageLink to="/sign-in" size="sm">
        {t('toSignIn')}
      </PageLink>
    </UserFrame>
  )
}
