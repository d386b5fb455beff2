/**
 * Invites a user by address; where no mail can bring the link, the page shows it once and says why.
 */
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Role } from '../../../../src/contract/roles.ts'
import { type DialogProps, FormDialog, OnceDialog } from '../../parts/FormDialog.tsx'
import { ChooseRole } from './ChangeRole.tsx'
import { reasonOf, ruleAt } from './rule-at.ts'
import { type ReactNode, useState } from 'react'
import type { CallInput, Got } from '../../api/client.ts'
import { useAct } from '../../api/use-ask.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { keyOf } from '../../parts/key-of.ts'

const initial: { email: string; role: Role } = { email: '', role: 'editor' }

const isMember = (error: unknown): boolean => reasonOf(error) === 'already_member'

export function InviteMember(dialog: DialogProps) {
  const { t } = useTranslation('users')
  const { invite, handOver } = useInvite(t('invite'))
  return (
    <>
      <FormDialog
        {...dialog}
        title={t('invite')}
        verb={t('sendInvitation')}
        initial={initial}
        onSubmit={invite}
        failureOf={(error) => (isMember(error) ? false : undefined)}
      >
        {(form) => (
          <>
            <TextInput
              label={t('email')}
              type="email"
              {...form.text('email')}
              error={
                isMember(form.error)
                  ? t('alreadyMember')
                  : ruleAt(form.error, 'email') && t('noAddress')
              }
              autoComplete="off"
              data-autofocus
              required
            />
            <ChooseRole {...form.pick('role')} />
            <Text c="dimmed">{t('inviteHow')}</Text>
          </>
        )}
      </FormDialog>
      {handOver}
    </>
  )
}

export type Invite = (body: CallInput<'inviteMember'>['body']) => Promise<void>

/** `handOver` stands on the page; `title` is its own. */
export function useInvite(title: string): { invite: Invite; handOver: ReactNode } {
  const { t } = useTranslation('users')
  const [shown, setShown] = useState<Got<'inviteMember'> | null>(null)
  const { mutateAsync } = useAct('inviteMember', {
    refresh: ['listInvitations'],
    done: ({ link, email }) => (link === null ? t('invitationMailed', { email }) : null),
  })
  return {
    async invite(body) {
      const invited = await mutateAsync({ body })
      if (invited.link !== null) setShown(invited)
    },
    handOver: <HandOver title={title} invited={shown} onClose={() => setShown(null)} />,
  }
}

interface HandOverProps {
  title: string
  /** Null means closed. */
  invited: Got<'inviteMember'> | null
  onClose: () => void
}

function HandOver({ title, invited, onClose }: HandOverProps) {
  const { t } = useTranslation('users')
  return (
    <OnceDialog opened={invited !== null} onClose={onClose} title={title}>
      {invited && (
        <Stack>
          <Alert color="yellow" icon={<Icon name="warning" />} role="status">
            {t(keyOf('handOver', invited.shown_because ?? 'asked'))}{' '}
            {t('handOver', { email: invited.email })}
          </Alert>
          <CopyField value={invited.link ?? ''} label={t('invitationLink')} wrap />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('done')}</Button>
          </Group>
        </Stack>
      )}
    </OnceDialog>
  )
}
