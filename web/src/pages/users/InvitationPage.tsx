/**
 * An invitation names the workspace, the role and the inviter; a user without an account makes one
 * here.
 */
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { userLimits } from 'virtual:contract'
import type { Got } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { languageNow } from '../../language.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Form } from '../../parts/Form.tsx'
import { PageLink } from '../../parts/links.tsx'
import { useForm } from '../../parts/use-form.ts'
import { goToApp } from './go-to-app.ts'
import { LinkPage } from './LinkPage.tsx'
import { NewPassword } from './NewPassword.tsx'
import { reasonOf } from './rule-at.ts'
import { deleteUnsaved } from '../campaigns/editor/unsaved-store.ts'

export function InvitationPage() {
  const { t } = useTranslation('users')
  const { token = '' } = useParams({ strict: false })
  const link = useAsk('getInvitation', { params: { token } })
  return (
    <LinkPage title={t('invitation')} read={link} dead={t('invitationDead')}>
      {(invitation) => <Accept token={token} invitation={invitation} />}
    </LinkPage>
  )
}

function Accept({ token, invitation }: { token: string; invitation: Got<'getInvitation'> }) {
  const { t } = useTranslation('users')
  const { email, role, workspace, invited_by: by, has_account: hasAccount } = invitation
  const { mutateAsync } = useAct('acceptInvitation')
  const form = useForm({ name: '', password: '' }, async (account) => {
    const body = hasAccount ? {} : { ...account, language: languageNow() }
    const { slug } = await mutateAsync({ params: { token }, body })
    goToApp(`/app/${slug}/overview`)
  })
  const values = { by, workspace: workspace.name, role: t(role) }
  const isOther = reasonOf(form.error) === 'other_person'
  return (
    <Form
      form={form}
      verb={hasAccount ? t('accept') : t('createAccountAndJoin')}
      button="wide"
      failure={isOther ? <OtherUser email={email} /> : undefined}
    >
      <Text size="md">
        {by === null ? t('operatorInvites', values) : t('somebodyInvites', values)}
      </Text>
      <Text c="dimmed">{t(`${role}May`)}</Text>
      {hasAccount ? (
        <Text>{t('acceptAs', { email })}</Text>
      ) : (
        <>
          <Text>{t('accountFor', { email })}</Text>
          {hasAccount === null && (
            <PageLink to="/sign-in" search={{ to: window.location.pathname }} size="sm">
              {t('haveAccount')}
            </PageLink>
          )}
          <TextInput
            label={t('name')}
            {...form.text('name')}
            autoComplete="name"
            maxLength={userLimits.nameMax}
          />
          <NewPassword {...form.pick('password')} error={form.error} email={email} />
        </>
      )}
    </Form>
  )
}

/**
 * Another user is signed in to this browser: they sign out, and the page shows the sign-in form.
 */
function OtherUser({ email }: { email: string }) {
  const { t } = useTranslation('users')
  const signOut = useAct('signOut')
  const again = async (): Promise<void> => {
    await signOut.mutateAsync({})
    deleteUnsaved()
    window.location.assign(`/app/sign-in?to=${encodeURIComponent(window.location.pathname)}`)
  }
  return (
    <Stack gap="xs" align="flex-start" role="alert">
      <Text>{t('otherPerson', { email })}</Text>
      <Button size="xs" variant="default" loading={signOut.isPending} onClick={() => void again()}>
        {t('signInAs', { email })}
      </Button>
      <Failure error={signOut.error} />
    </Stack>
  )
}
