/**
 * A session ended under an open page: the user signs in above it, and the page goes on with what
 * was typed.
 */
import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { SignInForm } from './SignInForm.tsx'

export function SignInAgain({ onShown }: { onShown: () => void }) {
  const { t } = useTranslation('users')
  // The page has read it before.
  const { data: before } = useAsk('getSession', undefined, { enabled: false })
  return (
    <Stack>
      <Text>{t('signedOutWhy')}</Text>
      <SignInForm
        email={before?.person.email ?? ''}
        onSignedIn={({ person: user }) => {
          // The page has answers that are for the eyes of the user before.
          if (before && user.id !== before.person.id) window.location.reload()
          else onShown()
        }}
      />
    </Stack>
  )
}
