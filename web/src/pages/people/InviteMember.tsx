/** Invites somebody by their address; where no mail can go out, the link is shown to be handed over. */
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Role } from '../../../../src/contract/roles.ts'
import { useAct } from '../../api/use-ask.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { tellDone } from '../../parts/tell.ts'
import { ChooseRole } from './ChooseRole.tsx'
import { reasonOf, ruleAt } from './rule-at.ts'

export function InviteMember({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const { t } = useTranslation('people')
  return (
    <Modal opened={opened} onClose={onClose} title={t('invite')}>
      {opened && <Form onClose={onClose} />}
    </Modal>
  )
}

function Form({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation('people')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('editor')
  const act = useAct('inviteMember', { refresh: ['listInvitations'] })
  const link = act.data?.link ?? null
  if (link !== null) {
    return (
      <Stack>
        <Alert color="yellow" icon={<Icon name="warning" />}>
          {t('handOver', { email: act.data?.email })}
        </Alert>
        <CopyField value={link} label={t('invitationLink')} wrap />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('done')}</Button>
        </Group>
      </Stack>
    )
  }
  const submit = async (): Promise<void> => {
    const { mailed, email: to } = await act.mutateAsync({ body: { email, role } })
    if (!mailed) return
    tellDone(t('invitationMailed', { email: to }))
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
          <Button type="submit" loading={act.isPending}>
            {t('sendInvitation')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
