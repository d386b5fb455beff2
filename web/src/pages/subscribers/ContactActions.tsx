/** What can be done with one person: edit, unsubscribe, erase. */
import { Button, List, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { sayWhat } from '../../parts/refusal-words.ts'
import { Icon } from '../../parts/Icon.tsx'
import { usePlace } from '../../parts/links.tsx'
import { notifyDone, notifyRefused } from '../../parts/notify.ts'
import { EditContact } from './EditContact.tsx'
import type { KnownContact } from './known-contact.ts'

type Dialog = 'edit' | 'unsubscribe' | 'erase' | null

export function ContactActions({ person, who }: { person: KnownContact; who: string }): ReactNode {
  const { t } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const [dialog, setDialog] = useState<Dialog>(null)
  if (!mayEdit) return null
  const { subscriber } = person
  const close = (): void => setDialog(null)
  return (
    <>
      {subscriber && (
        <Button variant="default" leftSection={<Icon name="edit" size={16} />} onClick={() => setDialog('edit')}>
          {t('edit')}
        </Button>
      )}
      {subscriber?.status === 'pending' && <AskAgain email={person.email} />}
      {(subscriber?.status === 'subscribed' || subscriber?.status === 'pending') && (
        <Button variant="default" onClick={() => setDialog('unsubscribe')}>
          {t('unsubscribe')}
        </Button>
      )}
      <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={() => setDialog('erase')}>
        {t('erase')}
      </Button>
      {subscriber && <EditContact opened={dialog === 'edit'} onClose={close} subscriber={subscriber} />}
      <Unsubscribe opened={dialog === 'unsubscribe'} onClose={close} email={person.email} />
      <Erase opened={dialog === 'erase'} onClose={close} person={person} who={who} />
    </>
  )
}

/** Whoever has not answered is asked once more, at most once an hour. */
function AskAgain({ email }: { email: string }): ReactNode {
  const { t } = useTranslation('subscribers')
  const { t: ofShell } = useTranslation('shell')
  const { mutate, isPending } = useAct('enrolSubscriber', { refresh: ['getContact', 'listContactMails'] })
  const ask = (): void =>
    mutate(
      { body: { email, consent: null } },
      {
        onSuccess: ({ confirmation_sent: asked }) => (asked ? notifyDone(t('askedAgain')) : notifyRefused(t('askedLately'))),
        onError: (error) => notifyRefused(sayWhat(error, ofShell)),
      },
    )
  return (
    <Button variant="default" loading={isPending} onClick={ask}>
      {t('askAgain')}
    </Button>
  )
}

interface DialogProps {
  opened: boolean
  onClose: () => void
}

function Unsubscribe({ opened, onClose, email }: DialogProps & { email: string }): ReactNode {
  const { t } = useTranslation('subscribers')
  const { mutateAsync } = useAct('removeSubscriber', { refresh: ['getContact', 'findSubscribers'] })
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t('unsubscribeTitle', { email })}
      verb={t('unsubscribe')}
      danger
      onConfirm={() => mutateAsync({ params: { email } })}
    >
      <Text size="sm">{t('unsubscribeWhat')}</Text>
    </Confirm>
  )
}

function Erase({
  opened,
  onClose,
  person: { email, suppression },
  who,
}: DialogProps & { person: KnownContact; who: string }): ReactNode {
  const { t } = useTranslation('subscribers')
  const place = usePlace()
  const navigate = useNavigate()
  const { mutateAsync } = useAct('forgetContact', { refresh: ['findSubscribers'] })
  const isClosed = suppression.some(({ scope }) => scope === 'organization')
  const erase = async (): Promise<void> => {
    await mutateAsync({ params: { who }, body: { email } })
    notifyDone(t('erased'))
    await navigate({ to: place('subscribers') })
  }
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t('eraseTitle', { email })}
      verb={t('eraseVerb')}
      danger
      typed={email}
      onConfirm={erase}
    >
      <Text size="sm">{t('eraseWhat')}</Text>
      <List size="sm" my="xs">
        <List.Item>{t('eraseGoes')}</List.Item>
        <List.Item>{t('eraseStays')}</List.Item>
        <List.Item>{isClosed ? t('eraseClosed') : t('eraseOpen')}</List.Item>
        <List.Item>{t('eraseBackups')}</List.Item>
      </List>
    </Confirm>
  )
}
