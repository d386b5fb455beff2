/** Invites somebody by their address; where no mail can go out, the link is shown to be handed over. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Role } from '../../../../src/contract/roles.ts'
import type { Got } from '../../api/client.ts'
import { useAct } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { ChooseRole } from './ChooseRole.tsx'
import { HandOver, staysOpen } from './HandOver.tsx'
import { reasonOf, ruleAt } from './rule-at.ts'

export function InviteMember({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const { t } = useTranslation('people')
  const [shown, setShown] = useState<Got<'inviteMember'> | null>(null)
  const close = (): void => {
    setShown(null)
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title={t('invite')} {...(shown && staysOpen)}>
      {opened && (shown ? <HandOver invited={shown} onClose={close} /> : <Form onShown={setShown} onClose={close} />)}
    </Modal>
  )
}

function Form({ onShown, onClose }: { onShown: (invited: Got<'inviteMember'>) => void; onClose: () => void }): ReactNode {
  const { t } = useTranslation('people')
  const { t: shell } = useTranslation('shell')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('editor')
  const act = useAct('inviteMember', { refresh: ['listInvitations'] })
  const submit = async (): Promise<void> => {
    const invited = await act.mutateAsync({ body: { email, role } })
    if (invited.link !== null) return onShown(invited)
    notifyDone(t('invitationMailed', { email: invited.email }))
    onClose()
  }
  const rule = ruleAt(act.error, 'email')
  const isMember = reasonOf(act.error) === 'already_member'
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit().catch(() => undefined)
      }}
    >
      <Stack>
        <TextInput
          label={t('email')}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={isMember ? t('alreadyMember') : rule && t('noAddress')}
          autoComplete="off"
          data-autofocus
          required
        />
        <ChooseRole value={role} onChange={setRole} />
        <Text size="sm" c="dimmed">
          {t('inviteHow')}
        </Text>
        {rule === null && !isMember && <Failure error={act.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {shell('cancel')}
          </Button>
          <Button type="submit" loading={act.isPending}>
            {t('sendInvitation')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
