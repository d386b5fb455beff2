/** What to say of a sign-in that was refused. */
import type { TFunction } from 'i18next'
import { Refusal, refusalCode } from '../../api/refusal.ts'
import { sayWhat } from '../../parts/refusal-words.ts'

/** Where the address is not asked for, it is not what is wrong. */
export const isWrongPassword = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'wrong_credentials' && error.details['factor'] !== 'code'

/** `shell`: the words of what can fail anywhere. */
export function saySignInFailure(error: unknown, t: TFunction<'users'>, shell: TFunction<'shell'>): string {
  const code = refusalCode(error)
  if (error instanceof Refusal && code === 'rate_limit_exceeded') {
    return t('tooManyTries', { minutes: Math.ceil(Number(error.details['retry_after'] ?? 60) / 60) })
  }
  if (error instanceof Refusal && code === 'wrong_credentials')
    return t(error.details['factor'] === 'code' ? 'wrongCode' : 'wrongCredentials')
  return sayWhat(error, shell)
}
