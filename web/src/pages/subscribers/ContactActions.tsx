/**
 * The buttons unsubscribe or erase one contact, as a change that waits and can be stopped, or send a
 * pending one the confirmation again. A contact's own request for erasure stands with its button
 * above their page.
 */
import { Alert, Button, Group, List, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { notifyDone, notifyRefused, useNotifyRefused } from '../../api/notify.ts'
import { focusNewestChange } from './bulk/ChangeCard.tsx'
import { UnsubscribeDialog } from './bulk/UnsubscribeDialog.tsx'
import { erasureRequest, type KnownContact } from './words.ts'

export function ContactActions({ contact }: { contact: KnownContact }) {
  const mayEdit = useMay('editor')
  if (!mayEdit) return null
  const { subscriber, email } = contact
  return (
    <>
      {subscriber?.status === 'pending' && <AskAgain email={email} />}
      {(subscriber?.status === 'subscribed' || subscriber?.status === 'pending') && (
        <Unsubscribe id={subscriber.id} email={email} />
      )}
      {!erasureRequest(contact) && <Erase contact={contact} />}
    </>
  )
}

export function ErasureRequest({ contact }: { contact: KnownContact }) {
  const { t } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const request = erasureRequest(contact)
  if (!request) return null
  return (
    <Alert color="yellow" icon={<Icon name="warning" />}>
      <Group justify="space-between">
        <Text maw="70ch">
          {t('erasureRequested')} (<Moment at={request.at} />)
        </Text>
        {mayEdit && <Erase contact={contact} />}
      </Group>
    </Alert>
  )
}

/** Sends the confirmation mail again to a contact who has not answered, at most once an hour. */
function AskAgain({ email }: { email: string }) {
  const { t } = useTranslation('subscribers')
  const onError = useNotifyRefused()
  const { mutate, isPending } = useAct('addSubscriber', {
    refresh: ['getContact', 'listContactTimeline'],
  })
  const ask = (): void =>
    mutate(
      { body: { email, consent: null } },
      {
        onSuccess: ({ confirmation_sent: requested }) =>
          requested ? notifyDone(t('askedAgain')) : notifyRefused(t('askedLately')),
        onError,
      },
    )
  return (
    <Button variant="default" loading={isPending} onClick={ask}>
      {t('askAgain')}
    </Button>
  )
}

function Unsubscribe({ id, email }: { id: string; email: string }) {
  const { t } = useTranslation('subscribers')
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('unsubscribe')}
      </Button>
      <UnsubscribeDialog
        title={t('unsubscribeTitle', { email })}
        selection={{ ids: [id] }}
        opened={opened}
        onClose={close}
        onDone={focusNewestChange}
      />
    </>
  )
}

function Erase({ contact: { email, suppression } }: { contact: KnownContact }) {
  const { t } = useTranslation('subscribers')
  const { t: words } = useTranslation('bulk')
  const { mutateAsync } = useAct('eraseContacts', { refresh: ['listBulkChanges'] })
  const isSuppressed = suppression.some(({ scope }) => scope === 'organization')
  return (
    <ConfirmButton
      label={t('erase')}
      icon="trash"
      title={t('eraseTitle', { email })}
      verb={t('eraseVerb')}
      danger
      typed={email}
      onConfirm={() =>
        mutateAsync({ body: { selection: { address: email } } }).then(focusNewestChange)
      }
    >
      <Text>{words('eraseWhat')}</Text>
      <List size="sm" my="xs">
        <List.Item>{t('eraseGoes')}</List.Item>
        <List.Item>{t('eraseStays')}</List.Item>
        <List.Item>{isSuppressed ? t('eraseSuppressed') : t('eraseNotSuppressed')}</List.Item>
        <List.Item>{t('eraseBackups')}</List.Item>
      </List>
    </ConfirmButton>
  )
}
