/** The form that defines a custom field; its key follows from its label until it is written. */
import { Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import { useAct } from '../../api/use-ask.ts'
import { useForm } from '../../parts/use-form.ts'
import { AddItem } from './catalog/AddItem.tsx'
import { keyFrom, typeGiven } from './field-type.ts'
import { TypeFields, type TypeDraft } from './TypeFields.tsx'

const plainText: TypeDraft = { type: 'text', lines: '' }

const keyPattern = /^[a-z][a-z0-9_]{0,59}$/

export function NewField() {
  const { t } = useTranslation('subscribers')
  const { mutateAsync } = useAct('defineSubscriberField', {
    refresh: ['listSubscriberFields'],
    done: t('fieldAdded'),
  })
  const [key, setKey] = useState<string | null>(null)
  const [wasSent, setWasSent] = useState(false)
  const form = useForm({ label: '', draft: plainText }, async ({ label, draft }, set) => {
    const ownKey = key ?? keyFrom(label)
    const typed = typeGiven(draft)
    setWasSent(true)
    if (!keyPattern.test(ownKey) || typed === null) return
    await mutateAsync({ body: { key: ownKey, label: label.trim() || null, ...typed } })
    set({ label: '', draft: plainText })
    setKey(null)
    setWasSent(false)
  })
  const shownKey = key ?? keyFrom(form.values.label)
  const isChoiceless = wasSent && typeGiven(form.values.draft) === null
  return (
    <AddItem
      form={form}
      verb={t('fieldAdd')}
      problem={
        isChoiceless && (
          <Text c="red.9" role="alert">
            {t('fieldChoicesMissing')}
          </Text>
        )
      }
    >
      <TextInput
        flex="1 1 12rem"
        label={t('fieldLabel')}
        placeholder={t('fieldExample')}
        maxLength={audienceLimits.fieldLabelMax}
        {...form.text('label')}
      />
      <TextInput
        flex="1 1 12rem"
        label={t('fieldKey')}
        required
        spellCheck={false}
        autoComplete="off"
        value={shownKey}
        onChange={(event) => setKey(event.currentTarget.value)}
        error={wasSent && !keyPattern.test(shownKey) && t('fieldKeyRule')}
      />
      <Stack flex="1 1 12rem" gap="sm">
        <TypeFields {...form.pick('draft')} />
      </Stack>
    </AddItem>
  )
}
