/** Names, tags and fields of one person are changed; only what was touched is sent, so that two people do not undo each other. */
import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Subscriber } from '../../../../src/contract/subscribers.ts'
import type { Given } from '../../api/client.ts'
import { useAct } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { RecordFields } from './RecordFields.tsx'
import type { ContactRecord } from './RecordFields.tsx'

interface EditPersonProps {
  opened: boolean
  onClose: () => void
  subscriber: Subscriber
}

export function EditContact({ opened, onClose, subscriber }: EditPersonProps): ReactNode {
  const { t } = useTranslation('subscribers')
  return (
    <Modal opened={opened} onClose={onClose} title={t('editTitle', { email: subscriber.email })} size="lg">
      {opened && <Form onClose={onClose} subscriber={subscriber} />}
    </Modal>
  )
}

function Form({ onClose, subscriber }: Omit<EditPersonProps, 'opened'>): ReactNode {
  const { t } = useTranslation('subscribers')
  const { mutate, isPending, error } = useAct('editSubscriber', {
    refresh: ['getContact', 'findSubscribers', 'listSubscriberTags'],
  })
  const [before] = useState(() => recordOf(subscriber))
  const [record, setRecord] = useState(before)
  const submit = (): void =>
    mutate(
      { params: { id: subscriber.id }, body: changes(before, record) },
      {
        onSuccess: () => {
          notifyDone(t('saved'))
          onClose()
        },
      },
    )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <RecordFields value={record} onChange={setRecord} />
        <Failure error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={isPending}>
            {t('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const recordOf = ({ firstName, lastName, tags, fields }: Subscriber): ContactRecord => ({
  firstName: firstName ?? '',
  lastName: lastName ?? '',
  tags,
  fields,
})

function changes(before: ContactRecord, now: ContactRecord): Given<'editSubscriber'>['body'] {
  const fields = Object.entries(now.fields).filter(([key, value]) => value !== (before.fields[key] ?? ''))
  return {
    ...(now.firstName !== before.firstName && { firstName: now.firstName }),
    ...(now.lastName !== before.lastName && { lastName: now.lastName }),
    add_tags: now.tags.filter((tag) => !before.tags.includes(tag)),
    remove_tags: before.tags.filter((tag) => !now.tags.includes(tag)),
    fields: Object.fromEntries(fields),
  }
}
