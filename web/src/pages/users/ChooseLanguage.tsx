/** The language of what a new workspace's recipients read: that of this page unless something else is chosen. */
import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { languageOptions, languages, type Language } from '../../language.ts'

export function ChooseLanguage({ value, onChange }: { value: Language; onChange: (language: Language) => void }) {
  const { t } = useTranslation('users')
  return (
    <NativeSelect
      label={t('workspaceLanguage')}
      description={t('workspaceLanguageWhy')}
      value={value}
      onChange={({ currentTarget }) => onChange(languages.find((each) => each === currentTarget.value) ?? value)}
      data={languageOptions}
    />
  )
}
