/** One attempt after the other to show who one is, by password or passkey: whether a code is asked for, and why one was refused. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refusalCode } from '../../api/refusal.ts'
import { isWrongPassword, saySignInFailure } from './sign-in-failure.ts'
import { NoPasskey } from './use-passkey.ts'

type Way = 'password' | 'passkey'

export interface SignIn {
  /** Null: none is asked for. */
  code: string | null
  setCode: (code: string | null) => void
  /** In words; null: nothing was refused. */
  problem: string | null
  busy: Way | null
  attempt: (way: Way, work: () => Promise<unknown>) => Promise<void>
}

/** `isKnown`: the address is not asked for, so it cannot be wrong. */
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
        setProblem(isKnown && isWrongPassword(error) ? t('wrongPassword') : saySignInFailure(error, t, shell))
      else if (error.host !== null) setProblem(t('passkeyHost', { host: error.host }))
    }
    setBusy(null)
  }
  return { code, setCode, problem, busy, attempt }
}
