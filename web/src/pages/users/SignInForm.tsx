/** Signing in: by password, and a code where the user has that switched on; or by passkey. */
import { Alert, Anchor, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, type Got } from '../../api/client.ts'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { CodeField } from './CodeField.tsx'
import { PasskeyHost } from './PasskeyHost.tsx'
import { hasPasskeys, isLoopbackNumber, mayHavePasskeys, takePasskey } from './use-passkey.ts'
import { useSignIn } from './use-sign-in.ts'

interface SignInFormProps {
  /** The address that is already known. */
  email?: string
  onSignedIn: (session: Got<'signIn'>) => void
}

export function SignInForm({ email: known = '', onSignedIn }: SignInFormProps) {
  const { t } = useTranslation('users')
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [isTried, setTried] = useState(false)
  const missing = (value: string): string | null =>
    isTried && value.trim() === '' ? t('problemEmpty') : null
  const { code, setCode, problem, busy, attempt } = useSignIn(() => undefined, { isKnown: false })
  const body = { email, password, ...(code !== null && { code }) }
  const byPassword = () => attempt('password', async () => onSignedIn(await api.signIn({ body })))
  const byPasskey = () =>
    attempt('passkey', async () =>
      onSignedIn(await api.signInWithPasskey({ body: await takePasskey() })),
    )
  return (
    <>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          if (email.trim() !== '' && password !== '') void byPassword()
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
                error={missing(email)}
                autoComplete="username"
                required
              />
              <PasswordInput
                label={t('password')}
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
                error={missing(password)}
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
    </>
  )
}
