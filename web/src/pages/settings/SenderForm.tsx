/** Adds a sender, or gives one another name. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode, SubmitEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { Sender } from '../../../../src/contract/workspace/senders.ts'
import { refusalCode } from '../../api/refusal.ts'
import { useAct } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { isAbout, problemAt } from '../../parts/field-problem.ts'
import { PageLink } from '../../parts/links.tsx'

/** `sender`: the one that is renamed; `new`: one to add; null: closed. */
export function SenderForm({ sender, onClose }: { sender: Sender | 'new' | null; onClose: () => void }): ReactNode {
  const { t } = useTranslation('settings')
  return (
    <Modal opened={sender !== null} onClose={onClose} title={sender === 'new' ? t('addSender') : t('renameSender')}>
      {sender !== null && <Fields sender={sender === 'new' ? null : sender} onClose={onClose} />}
    </Modal>
  )
}

function Fields({ sender, onClose }: { sender: Sender | null; onClose: () => void }): ReactNode {
  const { t } = useTranslation('settings')
  const [email, setEmail] = useState(sender?.email ?? '')
  const [name, setName] = useState(sender?.name ?? '')
  const refresh = ['listSenders', 'getSettings', 'getAccount', 'listForms'] as const
  const add = useAct('addSender', { refresh })
  const update = useAct('updateSender', { refresh })
  const error = add.error ?? update.error
  const isUnverified = refusalCode(error) === 'unverified_from_domain'
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const done = { onSuccess: onClose }
    if (sender) update.mutate({ params: { id: sender.id }, body: { name } }, done)
    else add.mutate({ body: { email, name } }, done)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t('address')}
          description={t('senderAddressWhy')}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={problemAt(error, 'email', t) ?? (isUnverified && <UnverifiedDomain email={email} />)}
          disabled={sender !== null}
          required
          data-autofocus={sender === null ? true : undefined}
        />
        <TextInput
          label={t('shownName')}
          description={t('shownNameWhy')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemAt(error, 'name', t)}
          maxLength={120}
          data-autofocus={sender === null ? undefined : true}
        />
        {!isUnverified && !isAbout(error, ['email', 'name']) && <Failure error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={add.isPending || update.isPending}>
            {sender ? t('save') : t('addSender')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function UnverifiedDomain({ email }: { email: string }): ReactNode {
  const { t } = useTranslation('settings')
  return (
    <>
      {t('senderDomainUnverified', { domain: email.trim().split('@').at(-1) })}{' '}
      <PageLink to="settings/domains" inherit underline="always">
        {t('domains')}
      </PageLink>
    </>
  )
}
