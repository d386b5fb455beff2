/**
 * The user chooses between a confirmation mail and a stated consent; the form has no default,
 * because neither would be right.
 */
import { Radio, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'

export interface Consent {
  way: 'ask' | 'words' | null
  words: string
}

/**
 * Returns the consent as the contract has it. Undefined if the user has not completed the choice.
 */
export function consentOf({ way, words }: Consent): string | null | undefined {
  if (way === 'ask') return null
  return way === 'words' && words.trim().length >= audienceLimits.consentWordsMin
    ? words.trim()
    : undefined
}

/**
 * The hook holds the choice and whether the user sent it: a new choice reports no missing part
 * before the next press.
 */
export function useConsent(initial: Consent | (() => Consent)) {
  const [choice, setChoice] = useState(initial)
  const [wasSent, setWasSent] = useState(false)
  const choose = (next: Consent): void => {
    if (next.way !== choice.way) setWasSent(false)
    setChoice(next)
  }
  return { choice, choose, wasSent, setWasSent }
}

interface ConsentChoiceProps {
  value: Consent
  onChange: (consent: Consent) => void
  /** The question is about many subscribers, not about one. */
  many?: boolean
  /** The form marks the missing part of the choice. */
  missing: boolean
}

export function ConsentChoice({ value, onChange, many = false, missing }: ConsentChoiceProps) {
  const { t } = useTranslation('subscribers')
  return (
    <Stack gap="sm">
      <Radio.Group
        label={many ? t('consentQuestionMany') : t('consentQuestion')}
        required
        value={value.way}
        onChange={(way) => onChange({ ...value, way: way === 'ask' ? 'ask' : 'words' })}
        error={missing && value.way === null && t('consentMissing')}
      >
        <Stack gap="sm" mt="xs">
          <Radio
            value="ask"
            label={t('consentAsk')}
            description={many ? t('consentAskManyWhy') : t('consentAskWhy')}
          />
          <Radio value="words" label={t('consentWords')} description={t('consentWordsWhy')} />
        </Stack>
      </Radio.Group>
      {value.way === 'words' && (
        <Textarea
          label={t('consentText')}
          description={t('consentTextWhy')}
          placeholder={t('consentExample')}
          required
          maxLength={audienceLimits.consentWordsMax}
          value={value.words}
          onChange={(event) => onChange({ ...value, words: event.currentTarget.value })}
          error={missing && consentOf(value) === undefined && t('consentTextMissing')}
        />
      )}
    </Stack>
  )
}
