/** Reads the words by which a user answers for a consent: spaces alone do not count. */
import { audienceLimits } from '../../../contract/workspace/audience-limits.ts'
import { shapeError } from '../../input/shape-error.ts'

/** Returns null when the subscriber is asked to confirm. Throws `validation_error`. */
export function readConsentWords(consent: string | null): string | null {
  if (consent === null) return null
  const words = consent.trim()
  if (words.length < audienceLimits.consentWordsMin)
    throw shapeError([
      { path: 'consent', rule: 'minLength', limit: audienceLimits.consentWordsMin },
    ])
  return words
}
