/** Chooses a new password by a link that works once. */
import { Alert, Button, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { LinkPage } from './LinkPage.tsx'
import { NewPassword } from './NewPassword.tsx'
import { ruleAt } from './rule-at.ts'

export function ResetPage(): ReactNode {
  const { t } = useTranslation('people')
  const { token = '' } = useParams({ strict: false })
  const link = useAsk('getReset', { params: { token } })
  return (
    <LinkPage title={t('newPasswordTitle')} read={link} dead={t('resetDead')}>
      {({ email, removes_second_factor: removes }) => <Choose token={token} email={email} removes={removes} />}
    </LinkPage>
  )
}

/** `removes`: passkeys and codes go with the old password. */
function Choose({ token, email, removes }: { token: string; email: string; removes: boolean }): ReactNode {
  const { t } = useTranslation('people')
  const [password, setPassword] = useState('')
  const act = useAct('resetPassword')
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
    <form
      onSubmit={(event) => {
        event.preventDefault()
        act.mutate({ params: { token }, body: { password } })
      }}
    >
      <Stack>
        <Text size="sm">{t('passwordFor', { email })}</Text>
        {removes && (
          <Alert color="yellow" icon={<Icon name="warning" />} title={t('removesFactor')}>
            {t('removesFactorWhy')}
          </Alert>
        )}
        <NewPassword value={password} onChange={setPassword} error={act.error} email={email} />
        {ruleAt(act.error, 'password') === null && <Failure error={act.error} />}
        <Button type="submit" loading={act.isPending}>
          {t('savePassword')}
        </Button>
      </Stack>
    </form>
  )
}
