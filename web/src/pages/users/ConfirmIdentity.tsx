/**
 * Asks users in a dialog to sign in again: by password, with a code where required, or by passkey.
 */
import { Alert, Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Icon } from '../../parts/Icon.tsx'
import { CodeField } from './CodeField.tsx'
import { mayHavePasskeys, takePasskey } from './use-passkey.ts'
import { useSignIn } from './use-sign-in.ts'

export function ConfirmIdentity({
  onShown,
  onClose,
}: {
  onShown: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('users')
  const { t: shell } = useTranslation('shell')
  const me = useAsk('getSession')
  const ways = useAsk('getWaysIn')
  const [password, setPassword] = useState('')
  const { code, setCode, problem, busy, attempt } = useSignIn(onShown, { isKnown: true })
  const byPasskey = () =>
    attempt('passkey', async () => api.confirmIdentityWithPasskey({ body: await takePasskey() }))
  const byPassword = () =>
    attempt('password', () =>
      api.confirmIdentity({ body: { password, ...(code !== null && { code }) } }),
    )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void byPassword()
      }}
    >
      <Stack>
        <Text>{t('freshWhy')}</Text>
        {problem !== null && (
          <Alert color="red" role="alert" icon={<Icon name="warning" />}>
            {problem}
          </Alert>
        )}
        <input
          type="email"
          name="email"
          autoComplete="username"
          value={me.data?.person.email ?? ''}
          readOnly
          hidden
        />
        {code === null ? (
          <PasswordInput
            label={t('password')}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
            data-autofocus
            required
          />
        ) : (
          <CodeField value={code} onChange={setCode} />
        )}
        <Group justify="space-between">
          {mayHavePasskeys() && ways.data && ways.data.passkeys.length > 0 ? (
            <Button
              variant="default"
              leftSection={<Icon name="keys" />}
              disabled={busy !== null}
              onClick={() => void byPasskey()}
            >
              {t('byPasskey')}
            </Button>
          ) : (
            <span />
          )}
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              {shell('cancel')}
            </Button>
            <Button type="submit" loading={busy !== null}>
              {t('goOn')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  )
}
