/** Asks for a new password; what is said is alike whether anybody has the address or not. */
import { Alert, Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { UserFrame } from './UserFrame.tsx'
import { ruleAt } from './rule-at.ts'

export function AskResetPage(): ReactNode {
  const { t } = useTranslation('people')
  const [email, setEmail] = useState('')
  const act = useAct('askForReset')
  const rule = ruleAt(act.error, 'email')
  return (
    <UserFrame title={t('newPasswordTitle')} about={act.isSuccess ? undefined : t('askResetAbout')}>
      {act.isSuccess ? (
        <Alert color="teal" icon={<Icon name="emails" />} role="status">
          <Stack gap="xs">
            <Text size="sm">{t('resetMailed', { email })}</Text>
            <Text size="sm">{t('resetElse')}</Text>
          </Stack>
        </Alert>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            act.mutate({ body: { email } })
          }}
        >
          <Stack>
            <TextInput
              label={t('email')}
              type="email"
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              error={rule && t('noAddress')}
              autoComplete="username"
              required
            />
            {rule === null && <Failure error={act.error} />}
            <Button type="submit" loading={act.isPending}>
              {t('sendLink')}
            </Button>
          </Stack>
        </form>
      )}
      <PageLink to="/sign-in" size="sm">
        {t('toSignIn')}
      </PageLink>
    </UserFrame>
  )
}
