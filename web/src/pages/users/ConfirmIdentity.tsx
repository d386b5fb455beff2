/** Shows anew who one is, within a dialog: by password, and a code where one is asked for, or by passkey. */
import { Alert, Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../api/client.ts'
import { refusalCode } from '../../api/refusal.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Icon } from '../../parts/Icon.tsx'
import { CodeField } from './CodeField.tsx'
import { isWrongPassword, saySignInFailure } from './sign-in-failure.ts'
import { NoPasskey, mayHavePasskeys, takePasskey } from './use-passkey.ts'

interface ShowWhoYouAreProps {
  onShown: () => void
  onClose: () => void
}

export function ConfirmIdentity({ onShown, onClose }: ShowWhoYouAreProps): ReactNode {
  const { t } = useTranslation('people')
  const { t: shell } = useTranslation('shell')
  const me = useAsk('getSession')
  const ways = useAsk('getWaysIn')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true)
    setProblem(null)
    try {
      await work()
      return onShown()
    } catch (error) {
      if (refusalCode(error) === 'second_factor_required') setCode('')
      else if (!(error instanceof NoPasskey))
        setProblem(isWrongPassword(error) ? t('wrongPassword') : saySignInFailure(error, t, shell))
      else if (error.host !== null) setProblem(t('passkeyHost', { host: error.host }))
    }
    setBusy(false)
  }
  const byPasskey = () => attempt(async () => api.confirmIdentityWithPasskey({ body: await takePasskey() }))
  const byPassword = () => attempt(() => api.confirmIdentity({ body: { password, ...(code !== null && { code }) } }))

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void byPassword()
      }}
    >
      <Stack>
        <Text size="sm">{t('freshWhy')}</Text>
        {problem !== null && (
          <Alert color="red" role="alert" icon={<Icon name="warning" />}>
            {problem}
          </Alert>
        )}
        <input type="email" name="email" autoComplete="username" value={me.data?.person.email ?? ''} readOnly hidden />
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
            <Button variant="default" leftSection={<Icon name="keys" />} disabled={busy} onClick={() => void byPasskey()}>
              {t('byPasskey')}
            </Button>
          ) : (
            <span />
          )}
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              {shell('cancel')}
            </Button>
            <Button type="submit" loading={busy}>
              {t('goOn')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  )
}
