/**
 * On this page users change their name, password, passkeys and app codes, and see where they are
 * signed in.
 */
import { Button, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Page } from '../../parts/Page.tsx'
import { Codes } from './Codes.tsx'
import { ChangePassword } from './ChangePassword.tsx'
import { Passkeys } from './Passkeys.tsx'
import { deleteUnsaved } from '../campaigns/editor/unsaved-store.ts'
import { UserLayout } from './UserLayout.tsx'
import { Profile } from './Profile.tsx'
import { Sessions } from './Sessions.tsx'

export function AccountPage() {
  const { t } = useTranslation('users')
  const { t: shell } = useTranslation('shell')
  const { data } = useAsk('getSession')
  const signOut = useAct('signOut')
  const leave = async (): Promise<void> => {
    await signOut.mutateAsync({})
    deleteUnsaved()
    window.location.assign('/app/sign-in')
  }
  const actions = (
    <Button
      variant="default"
      loading={signOut.isPending}
      onClick={() => void leave().catch(() => undefined)}
    >
      {shell('signOut')}
    </Button>
  )
  return (
    <UserLayout>
      <Page title={t('account')} about={data?.person.email} actions={actions}>
        <Stack>
          <Profile />
          <ChangePassword />
          <Passkeys />
          <Codes />
          <Sessions />
        </Stack>
      </Page>
    </UserLayout>
  )
}
