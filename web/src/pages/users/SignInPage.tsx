/** Signing in: by password, and a code where the user has that switched on; or by passkey. */
import { Alert, Anchor, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../api/client.ts'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { CodeField } from './CodeField.tsx'
import { goToApp } from './go-to-app.ts'
import { PasskeyHost } from './PasskeyHost.tsx'
import { UserFrame } from './UserFrame.tsx'
import { hasPasskeys, isLoopbackNumber, mayHavePasskeys, takePasskey } from './use-passkey.ts'
import { useSignIn } from './use-sign-in.ts'

export function SignInPage() {
  const { t } = useTranslation('users')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const { code, setCode, problem, busy, attempt } = useSignIn(() => goToApp(), { isKnown: false })
  const byPassword = () => attempt('password', () => api.signIn({ body: { email, password, ...(code !== null && { code }) } }))
  const byPasskey = () => attempt('passkey', async () => api.signInWithPasskey({ body: await takePasskey() }))
  return (
    <UserFrame title={t('signIn')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void byPassword()
        }}
      >
        <Stack>
          {problem !== null && (
            <Alert color="red" role="alert" icon={<Icon name="warning" />}>
              {problem}
            </Alert>
          )}
          {code === null ? (
            <>
              <TextInput
                label={t('email')}
                type="email"
                value={email}
                onChange={(event) => setEmail(event.currentTarget.value)}
                autoComplete="username"
                required
              />
              <PasswordInput
                label={t('password')}
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
                autoComplete="current-password"
                visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
                required
              />
            </>
          ) : (
            <CodeField value={code} onChange={setCode} />
          )}
          <Button type="submit" loading={busy === 'password'}>
            {t('signIn')}
          </Button>
        </Stack>
      </form>
      {code === null ? (
        <>
          <PageLink to="/reset" size="sm">
            {t('forgotPassword')}
          </PageLink>
          {hasPasskeys() && isLoopbackNumber() && <PasskeyHost host="localhost" />}
          {mayHavePasskeys() && (
            <>
              <Divider label={t('or')} />
              <Button
                variant="default"
                leftSection={<Icon name="keys" />}
                loading={busy === 'passkey'}
                onClick={() => void byPasskey()}
              >
                {t('signInByPasskey')}
              </Button>
            </>
          )}
        </>
      ) : (
        <Anchor component="button" type="button" size="sm" onClick={() => setCode(null)}>
          {t('otherAccount')}
        </Anchor>
      )}
    </UserFrame>
  )
}
