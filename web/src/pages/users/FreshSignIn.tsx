/**
 * Asks the user to sign in again, before a sensitive act or after the session has ended; then the
 * refused call goes out again.
 */
import { Center, Loader, Modal } from '@mantine/core'
import { Suspense, lazy, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { answerWhoItIs, askedCause, onAsked } from '../../api/fresh-sign-in.ts'

const ShowWhoYouAre = lazy(async () => ({
  default: (await import('./ConfirmIdentity.tsx')).ConfirmIdentity,
}))
const SignInAgain = lazy(async () => ({ default: (await import('./SignInAgain.tsx')).SignInAgain }))

export function FreshSignIn() {
  const { t } = useTranslation('shell')
  const cause = useSyncExternalStore(onAsked, askedCause)
  const waiting = (
    <Center p="lg">
      <Loader />
    </Center>
  )
  // The dialog stands above the one that the call came from.
  return (
    <Modal
      opened={cause !== null}
      onClose={() => answerWhoItIs(false)}
      title={t(cause === 'signed_out' ? 'signedOut' : 'showWhoYouAre')}
      zIndex={400}
    >
      <Suspense fallback={waiting}>
        {cause === 'signed_out' && <SignInAgain onShown={() => answerWhoItIs(true)} />}
        {cause === 'fresh' && (
          <ShowWhoYouAre onShown={() => answerWhoItIs(true)} onClose={() => answerWhoItIs(false)} />
        )}
      </Suspense>
    </Modal>
  )
}
