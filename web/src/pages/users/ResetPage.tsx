/** Chooses a new password by a link that works once. */
import { Alert, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Form } from '../../parts/Form.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { useForm } from '../../parts/use-form.ts'
import { LinkPage } from './LinkPage.tsx'
import { NewPassword } from './NewPassword.tsx'

export function ResetPage() {
  const { t } = useTranslation('users')
  const { token = '' } = useParams({ strict: false })
  const link = useAsk('getReset', { params: { token } })
  return (
    <LinkPage title={t('newPasswordTitle')} read={link} dead={t('resetDead')}>
      {({ email, removes_second_factor: removes }) => (
        <Choose token={token} email={email} removes={removes} />
      )}
    </LinkPage>
  )
}

/** `removes`: passkeys and codes go with the old password. */
function Choose({ token, email, removes }: { token: string; email: string; removes: boolean }) {
  const { t } = useTranslation('users')
  const act = useAct('resetPassword')
  const form = useForm({ password: '' }, (body) => act.mutateAsync({ params: { token }, body }))
  if (act.isSuccess) {
    return (
      <Stack>
        <Alert color="teal" icon={<Icon name="check" />} role="status">
          {t('passwordChosen')}
        </Alert>
        {act.data.second_factor_removed && (
          <Alert color="yellow" icon={<Icon name="warning" />} role="status">
            {t('factorRemoved')}
          </Alert>
        )}
        <ButtonLink to="/sign-in">{t('signIn')}</ButtonLink>
      </Stack>
    )
  }
  return (
    <Form form={form} verb={t('savePassword')} button="wide">
      <Text>{t('passwordFor', { email })}</Text>
      {removes && (
        <Alert color="yellow" icon={<Icon name="warning" />} title={t('removesFactor')}>
          {t('removesFactorWhy')}
        </Alert>
      )}
      <NewPassword {...form.pick('password')} error={form.error} email={email} />
    </Form>
  )
}
