/** The dialog adds a tag to the contacts, or removes one. */
import { Autocomplete } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import { useAct, useAsk } from '../../../api/use-ask.ts'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { selectionRequest, useCountWords, type BulkDialogProps } from './selection.ts'

export function TagDialog({
  act,
  selection,
  onDone,
  ...dialog
}: BulkDialogProps & { act: 'tag' | 'untag' }) {
  const { t } = useTranslation('bulk')
  const contacts = useCountWords(selection)
  const refresh = ['listBulkChanges', 'listSubscriberTags'] as const
  const add = useAct('tagContacts', { refresh })
  const remove = useAct('untagContacts', { refresh })
  const { mutateAsync } = act === 'tag' ? add : remove
  return (
    <FormDialog
      {...dialog}
      title={t(act === 'tag' ? 'tagTitle' : 'untagTitle', { contacts })}
      verb={t(act)}
      initial={{ tag: '' }}
      isReady={({ tag }) => tag.trim() !== ''}
      onSubmit={({ tag }) =>
        mutateAsync({ body: { selection: selectionRequest(selection), tag: tag.trim() } }).then(
          onDone,
        )
      }
    >
      {(form) => <TagInput {...form.pick('tag')} />}
    </FormDialog>
  )
}

function TagInput({ value, onChange }: { value: string; onChange: (tag: string) => void }) {
  const { t } = useTranslation('bulk')
  const [typed] = useDebouncedValue(value, 200)
  const { data } = useAsk('listSubscriberTags', { query: { q: typed } })
  const [known, setKnown] = useState<string[]>([])
  // The last answer stays while the next is on its way.
  if (data && data.data !== known) setKnown(data.data)
  return (
    <Autocomplete
      label={t('tagName')}
      data={known}
      value={value}
      onChange={onChange}
      maxLength={limits.subscriberTagMax}
      data-autofocus
    />
  )
}
