/** What is missing in the fields of a new account, before anything is sent. */
import type { TFunction } from 'i18next'
import { userLimits } from 'virtual:contract'

interface Account {
  email: string
  password: string
}

/** Values of other fields are not looked at. */
export const checkAccount =
  (t: TFunction<'users'>) =>
  ({ email, password }: Account): Record<string, string> => ({
    ...(!/^[^@\s]+@[^@\s]+$/.test(email.trim()) && { email: t('noAddress') }),
    ...(password.length < userLimits.passwordMin && {
      password: t('passwordShort', { least: userLimits.passwordMin }),
    }),
  })
