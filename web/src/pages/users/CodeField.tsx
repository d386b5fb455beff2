/** The field takes a code of the app, or a recovery code. */
import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface CodeFieldProps {
  value: string
  onChange: (value: string) => void
  /** The field shows this text below it. Absent means that a recovery code works too. */
  description?: string
}

export function CodeField({ value, onChange, description }: CodeFieldProps) {
  const { t } = useTranslation('users')
  return (
    <TextInput
      label={t('code')}
      description={description ?? t('codeOrRecovery')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      data-autofocus
      autoFocus
      required
    />
  )
}
