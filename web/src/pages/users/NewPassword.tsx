/** The field for a new password can show its text, and names the rule and the refusal. */
import { PasswordInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { userLimits } from 'virtual:contract'
import { ruleAt } from './rule-at.ts'

interface NewPasswordProps {
  value: string
  onChange: (value: string) => void
  /** The service refused the password with this error. */
  error: unknown
  /** What was found before anything was sent. */
  problem?: string | null
  /** The browser's password manager stores the password for this address. */
  email?: string
}

export function NewPassword({ value, onChange, error, problem, email }: NewPasswordProps) {
  const { t } = useTranslation('users')
  const rule = ruleAt(error, 'password')
  return (
    <>
      {email !== undefined && (
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      )}
      <PasswordInput
        label={t('newPassword')}
        description={t('newPasswordHow', { least: userLimits.passwordMin })}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={
          rule === 'too_simple'
            ? t('passwordSimple')
            : rule
              ? t('passwordShort', { least: userLimits.passwordMin })
              : problem
        }
        autoComplete="new-password"
        minLength={userLimits.passwordMin}
        visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
        required
      />
    </>
  )
}
