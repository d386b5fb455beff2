/**
 * The hook runs sign-in attempts by password or passkey; it holds whether a code is required, and
 * the last refusal.
 */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Refusal, refusalCode } from '../../api/refusal.ts'
import { NoPasskey } from './use-passkey.ts'
import type { TFunction } from 'i18next'
import { sayWhat } from '../../api/refusal-words.ts'

type Way = 'password' | 'passkey'

export interface SignIn {
  /** Null means the sign-in requires no code. */
  code: string | null
  setCode: (code: string | null) => void
  /** The refusal in words. Null means the service refused nothing. */
  problem: string | null
  busy: Way | null
  attempt: (way: Way, work: () => Promise<unknown>) => Promise<void>
}

/** `isKnown`: the form does not ask for the address, so it cannot be wrong. */
export function useSignIn(onDone: () => void, { isKnown }: { isKnown: boolean }): SignIn {
  const { t } = useTranslation('users')
  const { t: shell } = useTranslation('shell')
  const [code, setCode] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState<Way | null>(null)
  const attempt = async (way: Way, work: () => Promise<unknown>): Promise<void> => {
    setBusy(way)
    setProblem(null)
    try {
      await work()
      return onDone()
    } catch (error) {
      if (refusalCode(error) === 'second_factor_required') setCode('')
      else if (!(error instanceof NoPasskey))
        setProblem(
          isKnown && isWrongPassword(error)
            ? t('wrongPassword')
            : saySignInFailure(error, t, shell),
        )
      else if (error.host !== null) setProblem(t('passkeyHost', { host: error.host }))
    }
    setBusy(null)
  }
  return { code, setCode, problem, busy, attempt }
}

/** A form without an address blames the password alone. */
const isWrongPassword = (error: unknown): boolean =>
  error instanceof Refusal &&
  error.code === 'wrong_credentials' &&
  error.details['factor'] !== 'code'

/** `shell` has the words of failures that any page may show. */
function saySignInFailure(error: unknown, t: TFunction<'users'>, shell: TFunction): string {
  const code = refusalCode(error)
  if (error instanceof Refusal && code === 'rate_limit_exceeded') {
    return t('tooManyTries', {
      minutes: Math.ceil(Number(error.details['retry_after'] ?? 60) / 60),
    })
  }
  if (error instanceof Refusal && code === 'wrong_credentials')
    return t(error.details['factor'] === 'code' ? 'wrongCode' : 'wrongCredentials')
  return sayWhat(error, shell)
}
