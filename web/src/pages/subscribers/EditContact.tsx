/**
 * The dialog edits one contact, and sends only the changed fields, so that two users do not undo
 * each other.
 */
import { useTranslation } from 'react-i18next'
import type { Subscriber } from '../../../../src/contract/subscribers.ts'
import type { CallInput } from '../../api/client.ts'
import { useAct } from '../../api/use-ask.ts'
import { FormDialog, type DialogProps } from '../../parts/FormDialog.tsx'
import { RecordFields, type ContactRecord } from './RecordFields.tsx'

export function EditContact({ subscriber, ...dialog }: DialogProps & { subscriber: Subscriber }) {
  const { t } = useTranslation('subscribers')
  const refresh = ['getContact', 'listSubscribers', 'listSubscriberTags'] as const
  const { mutateAsync } = useAct('editSubscriber', { refresh, done: t('saved') })
  return (
    <FormDialog
      {...dialog}
      title={t('editTitle', { email: subscriber.email })}
      size="lg"
      verb={t('save')}
      // The values at the time when the dialog opened: the page reads them again meanwhile.
      initial={{ before: recordOf(subscriber), record: recordOf(subscriber) }}
      onSubmit={({ before, record }) =>
        mutateAsync({ params: { id: subscriber.id }, body: changes(before, record) })
      }
    >
      {(form) => <RecordFields {...form.pick('record')} />}
    </FormDialog>
  )
}

const recordOf = ({ firstName, lastName, tags, fields }: Subscriber): ContactRecord => ({
  firstName: firstName ?? '',
  lastName: lastName ?? '',
  tags,
  fields,
})

function changes(before: ContactRecord, now: ContactRecord): CallInput<'editSubscriber'>['body'] {
  const fields = Object.entries(now.fields).filter(
    ([key, value]) => value !== (before.fields[key] ?? ''),
  )
  return {
    ...(now.firstName !== before.firstName && { firstName: now.firstName }),
    ...(now.lastName !== before.lastName && { lastName: now.lastName }),
    add_tags: now.tags.filter((tag) => !before.tags.includes(tag)),
    remove_tags: before.tags.filter((tag) => !now.tags.includes(tag)),
    fields: Object.fromEntries(fields),
  }
}
