/**
 * The buttons unsubscribe or erase one contact, or send a pending one the confirmation again. A
 * contact's own request for erasure stands with its button above their page.
 */
import { Alert, Button, Group, List, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { useGo } from '../../parts/links.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { notifyDone, notifyRefused, useNotifyRefused } from '../../api/notify.ts'
import { audienceReads, erasureRequest, type KnownContact } from './words.ts'

export function ContactActions({ contact, who }: { contact: KnownContact; who: string }) {
  const mayEdit = useMay('editor')
  if (!mayEdit) return null
  const { subscriber, email } = contact
  return (
    <>
      {subscriber?.status === 'pending' && <AskAgain email={email} />}
      {(subscriber?.status === 'subscribed' || subscriber?.status === 'pending') && (
        <Unsubscribe email={email} />
      )}
      {!erasureRequest(contact) && <Erase contact={contact} who={who} />}
    </>
  )
}

export function ErasureRequest({ contact, who }: { contact: KnownContact; who: string }) {
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
        {mayEdit && <Erase contact={contact} who={who} />}
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

function Unsubscribe({ email }: { email: string }) {
  const { t } = useTranslation('subscribers')
  const { mutateAsync } = useAct('removeSubscriber', {
    refresh: ['getContact', 'listContactTimeline', ...audienceReads],
  })
  return (
    <ConfirmButton
      label={t('unsubscribe')}
      title={t('unsubscribeTitle', { email })}
      danger
      onConfirm={() => mutateAsync({ params: { email } })}
    >
      <Text>{t('unsubscribeWhat')}</Text>
    </ConfirmButton>
  )
}

function Erase({ contact: { email, suppression }, who }: { contact: KnownContact; who: string }) {
  const { t } = useTranslation('subscribers')
  const go = useGo()
  const { mutateAsync } = useAct('forgetContact', {
    refresh: [...audienceReads],
    done: t('erased'),
  })
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
        mutateAsync({ params: { who }, body: { email } }).then(() => go('subscribers'))
      }
    >
      <Text>{t('eraseWhat')}</Text>
      <List size="sm" my="xs">
        <List.Item>{t('eraseGoes')}</List.Item>
        <List.Item>{t('eraseStays')}</List.Item>
        <List.Item>{isSuppressed ? t('eraseSuppressed') : t('eraseNotSuppressed')}</List.Item>
        <List.Item>{t('eraseBackups')}</List.Item>
      </List>
    </ConfirmButton>
  )
}
