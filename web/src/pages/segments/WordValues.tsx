/** The values of conditions that compare one word: a tag, a status, a language, a source. */
import { Autocomplete, NativeSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import type { SingleCondition } from '../../../../src/contract/segments.ts'
import { useAsk, useList } from '../../api/use-ask.ts'
import { asRecipientLanguage, recipientLanguageOptions } from '../../language.ts'
import { keyOf } from '../../parts/key-of.ts'
import { sources, subscriberStatuses } from '../subscribers/words.ts'
import type { ValueProps } from './conditions.ts'

type With<Key extends string> = Extract<SingleCondition, Record<Key, unknown>>

export function TagValue({ condition, onChange, disabled }: ValueProps<With<'tag'>>) {
  const { t } = useTranslation('segments')
  const [typed] = useDebouncedValue(condition.tag, 300)
  const { data } = useAsk('listSubscriberTags', { query: { q: typed } })
  return (
    <Autocomplete
      aria-label={t('tag')}
      placeholder={t('tag')}
      value={condition.tag}
      data={[...new Set(data?.data)]}
      comboboxProps={{ withinPortal: false }}
      maxLength={limits.subscriberTagMax}
      disabled={disabled}
      onChange={(tag) => onChange({ tag })}
    />
  )
}

export function WordValue({
  condition,
  onChange,
  disabled,
}: ValueProps<With<'status'> | With<'language'>>) {
  const { t } = useTranslation('subscribers')
  const { t: own } = useTranslation('segments')
  if ('language' in condition)
    return (
      <NativeSelect
        aria-label={own('aboutLanguage')}
        value={condition.language}
        data={recipientLanguageOptions}
        disabled={disabled}
        onChange={(event) => {
          const language = asRecipientLanguage(event.currentTarget.value)
          if (language) onChange({ language })
        }}
      />
    )
  return (
    <NativeSelect
      aria-label={own('aboutStatus')}
      value={condition.status}
      data={subscriberStatuses.map((value) => ({ value, label: t(keyOf('status', value)) }))}
      disabled={disabled}
      onChange={(event) => {
        const status = subscriberStatuses.find((each) => each === event.currentTarget.value)
        if (status) onChange({ status })
      }}
    />
  )
}

export function SourceValues({ condition, onChange, disabled }: ValueProps<With<'source'>>) {
  const { t } = useTranslation('subscribers')
  const { t: own } = useTranslation('segments')
  const forms = useList('listForms', {}, { enabled: condition.source === 'form' })
  return (
    <>
      <NativeSelect
        aria-label={own('aboutSource')}
        value={condition.source}
        data={sources.map((value) => ({ value, label: t(keyOf('source', value)) }))}
        disabled={disabled}
        onChange={(event) => {
          const source = sources.find((each) => each === event.currentTarget.value)
          if (source) onChange({ source })
        }}
      />
      {condition.source === 'form' && (
        <NativeSelect
          aria-label={own('form')}
          value={condition.form ?? ''}
          data={[
            { value: '', label: own('anyForm') },
            ...forms.items.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          disabled={disabled}
          onChange={({ currentTarget: { value } }) =>
            onChange({ source: 'form', ...(value !== '' && { form: value }) })
          }
        />
      )}
    </>
  )
}
