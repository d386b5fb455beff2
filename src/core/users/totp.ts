/**
 * Computes codes of authenticator apps (RFC 6238): six digits by HMAC-SHA-1, a new one every thirty
 * seconds, as all apps support.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { fromBase32, toBase32 } from '../../ground/base32.ts'

const stepSeconds = 30
const digits = 6
/** Accepted steps to either side, for a wrong clock or a slow user (RFC 6238 5.2). */
const steps = [0, -1, 1]

/** 160 bits, as long as the hash (RFC 4226 4), in the base32 form of apps. */
export const makeTotpSecret = (): string => toBase32(randomBytes(20)).toUpperCase()

/** The URI that an app scans as a QR code. */
export function totpUri(
  secret: string,
  { issuer, account }: { issuer: string; account: string },
): string {
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

/**
 * Returns the step of the code, by a clock of `seconds` since 1970. Null if the code is not valid
 * now.
 */
export function stepOfCode(secret: string, code: string, seconds: number): number | null {
  const now = Math.floor(seconds / stepSeconds)
  return steps.map((off) => now + off).find((step) => totpOf(secret, step) === code) ?? null
}

/** RFC 4226 5.3. */
export function totpOf(secret: string, step: number): string {
  const key = fromBase32(secret.toLowerCase())
  if (!key) throw new Error('A secret of codes cannot be read')
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = digest.readUInt8(digest.length - 1) & 0xf
  const number = digest.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}
