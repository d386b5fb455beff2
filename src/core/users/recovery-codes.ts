/**
 * Makes recovery codes for a user who lost the authenticator app: ten codes, each valid once in
 * place of an app's code.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { toBase32 } from '../../ground/base32.ts'
import type { Secrets } from '../../ground/secrets.ts'

const count = 10
const half = 5

/** 50 bits each, in two groups of five. */
export const makeRecoveryCodes = (): string[] =>
  Array.from({ length: count }, () => {
    const letters = toBase32(randomBytes(7)).slice(0, 2 * half)
    return `${letters.slice(0, half)}-${letters.slice(half)}`
  })

/**
 * The stored form, keyed so that a reader of the database alone cannot try all codes. Null means
 * the text cannot be such a code.
 */
export function recoveryDigest(secrets: Pick<Secrets, 'derive'>, code: string): Buffer | null {
  const letters = code.toLowerCase().replaceAll(/[\s-]/g, '')
  return /^[a-z2-7]{10}$/.test(letters)
    ? createHmac('sha256', secrets.derive('recovery codes')).update(letters).digest()
    : null
}

/** Digests of codes that we made. */
export const digestsOf = (secrets: Pick<Secrets, 'derive'>, codes: string[]): Buffer[] =>
  codes.flatMap((code) => recoveryDigest(secrets, code) ?? [])
