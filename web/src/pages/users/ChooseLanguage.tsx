/**
 * The user sets the language of a new workspace's texts to its recipients; this page's language is
 * the default.
 */
import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import {
  asRecipientLanguage,
  recipientLanguageOptions,
  type RecipientLanguage,
} from '../../language.ts'

export function ChooseLanguage({
  value,
  onChange,
}: {
  value: RecipientLanguage
  onChange: (language: RecipientLanguage) => void
}) {
  const { t } = useTranslation('users')
  return (
    <NativeSelect
      label={t('workspaceLanguage')}
      description={t('workspaceLanguageWhy')}
      value={value}
      onChange={({ currentTarget }) => onChange(asRecipientLanguage(currentTarget.value) ?? value)}
      data={recipientLanguageOptions}
    />
  )
}
