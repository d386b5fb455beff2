/** The page on which a user without a session signs in. */
import { useTranslation } from 'react-i18next'
import { goToApp } from './go-to-app.ts'
import { SignInForm } from './SignInForm.tsx'
import { UserFrame } from './UserFrame.tsx'

export function SignInPage() {
  const { t } = useTranslation('users')
  return (
    <UserFrame title={t('signIn')}>
      <SignInForm onSignedIn={() => goToApp()} />
    </UserFrame>
  )
}
