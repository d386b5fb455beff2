/** Asks the user to sign in again before a sensitive act; then the refused call goes out again. */
import { Center, Loader, Modal } from '@mantine/core'
import { Suspense, lazy, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { answerWhoItIs, isAsked, onAsked } from '../../api/fresh-sign-in.ts'

const ShowWhoYouAre = lazy(async () => ({ default: (await import('./ConfirmIdentity.tsx')).ConfirmIdentity }))

export function FreshSignIn() {
  const { t } = useTranslation('shell')
  const asked = useSyncExternalStore(onAsked, isAsked)
  const waiting = (
    <Center p="lg">
      <Loader />
    </Center>
  )
  // The dialog stands above the one that the call came from.
  return (
    <Modal opened={asked} onClose={() => answerWhoItIs(false)} title={t('showWhoYouAre')} zIndex={400}>
      <Suspense fallback={waiting}>
        <ShowWhoYouAre onShown={() => answerWhoItIs(true)} onClose={() => answerWhoItIs(false)} />
      </Suspense>
    </Modal>
  )
}
