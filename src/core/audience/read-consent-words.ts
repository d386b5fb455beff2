/** The words by which a member answers for a consent: spaces alone say nothing. */
import { audienceLimits } from '../../contract/workspace/audience-limits.ts'
import { shapeError } from '../input/validate-shape.ts'

/** Null: the person is asked. Throws `validation_error`. */
export function readConsentWords(consent: string | null): string | null {
  if (consent === null) return null
  const words = consent.trim()
  if (words.length < audienceLimits.consentWordsMin)
    throw shapeError([{ path: 'consent', rule: 'minLength', limit: audienceLimits.consentWordsMin }])
  return words
}
