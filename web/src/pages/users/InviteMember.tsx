/** Invites a user by address; if no mail can go out, it shows the link to hand over. */
import { Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Role } from '../../../../src/contract/roles.ts'
import { FormDialog, type DialogProps } from '../../parts/FormDialog.tsx'
import { ChooseRole } from './ChooseRole.tsx'
import { useInvite } from './HandOver.tsx'
import { reasonOf, ruleAt } from './rule-at.ts'

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
              error={isMember(form.error) ? t('alreadyMember') : ruleAt(form.error, 'email') && t('noAddress')}
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
