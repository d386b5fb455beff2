/**
 * Finds the cause that a refusal names, by its text alone: the same for a server's reply to our own
 * attempt, a DSN and a provider's notice. Readers of stored replies ask it again, so a new row
 * explains old refusals too.
 */
import { isIP } from 'node:net'
import { withoutAddresses } from '../classify-bounce.ts'
import { americanCauses } from './american-causes.ts'
import { blocklistCauses } from './blocklist-causes.ts'
import { europeanCauses } from './european-causes.ts'
import { filterCauses } from './filter-causes.ts'
import { generalCauses } from './general-causes.ts'
import { gmailCauses } from './gmail-causes.ts'
import { microsoftCauses } from './microsoft-causes.ts'
import type { RefusalCause } from './refusal-cause.ts'
import { yahooCauses } from './yahoo-causes.ts'

export const refusalCauses: readonly RefusalCause[] = [
  ...gmailCauses,
  ...microsoftCauses,
  ...yahooCauses,
  ...europeanCauses,
  ...americanCauses,
  ...filterCauses,
  ...blocklistCauses,
  ...generalCauses,
]

/** The search reads so many characters; a stored reply has 1,000. */
const textMax = 2_000

/** Null if the text names none that is known. */
export function findRefusalCause(text: string): RefusalCause | null {
  const words = wordsOf(text)
  const specific = refusalCauses.find(({ isGeneral, says }) => !isGeneral && says.test(words))
  return specific ?? generalCauses.find(({ says }) => says.test(words)) ?? null
}

/** The rows that describe a text, of which the tests ask that there is one. */
export const refusalCausesIn = (text: string): RefusalCause[] =>
  refusalCauses.filter(({ says }) => says.test(wordsOf(text)))

export const refusalCauseOf = (id: string): RefusalCause | null =>
  refusalCauses.find((cause) => cause.id === id) ?? null

/** Single spaces, the codes of the first line alone, no addresses: those may hold any word. */
function wordsOf(text: string): string {
  const [, begin = '', rest = text.slice(0, textMax)] =
    /^(.*?\b[245]\d\d[- ](?:[245]\.\d{1,3}\.\d{1,3})?)(.*)$/s.exec(text.slice(0, textMax)) ?? []
  return withoutAddresses((begin + rest.replaceAll(laterCodes, ' ')).replaceAll(/\s+/g, ' '))
}

const laterCodes =
  /(?<!\s)\s+[245]\d\d(?:-(?:[245]\.\d{1,3}\.\d{1,3}\b)?| [245]\.\d{1,3}\.\d{1,3}\b)/g

/**
 * The address that a refusal is about: the first one behind the reply's code, where servers quote
 * ours.
 */
export function refusedAddressIn(text: string): string | null {
  const reply = /\b[45]\d\d[- ].*$/s.exec(text.slice(0, textMax))?.[0] ?? ''
  const match = address.exec(reply)?.[0] ?? null
  return match !== null && isIP(match) !== 0 ? match.toLowerCase() : null
}

const address =
  /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])|(?<![\w:])(?:[0-9a-f]{1,4}:){2,7}[0-9a-f:]{0,30}[0-9a-f](?![\w:])/i
