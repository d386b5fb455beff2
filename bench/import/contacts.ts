/**
 * A file of subscribers like real lists: most are valid, some are known, suppressed, duplicates or
 * no addresses at all.
 */
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'

export interface Contact {
  email: string
  firstName: string
  lastName: string
  city: string
}

/**
 * Of a hundred lines: 1 is no address, 1 the address of the line ten before, 2 are suppressed, 6
 * are known already.
 */
export const isSuppressed = (number: number): boolean => number % 100 === 17 || number % 100 === 67
export const isKnown = (number: number): boolean => number % 100 < 6

const mixed = (number: number): number => Math.imul(number ^ 0x5bd1e995, 2_654_435_761) >>> 0

export function contact(number: number): Contact {
  const email =
    number % 100 === 99
      ? `no address ${number}`
      : addressOf(number % 100 === 98 ? number - 10 : number)
  return {
    email,
    firstName: `Prénom ${mixed(number) % 5000}`,
    lastName: `Nom ${mixed(number + 7) % 50_000}`,
    city: `Ville ${number % 800}`,
  }
}

/** As random lists are: the next address is anywhere in the index. */
export const addressOf = (number: number): string =>
  `${mixed(number).toString(36)}.${number}@domain${number % 300}.example`

/** `leavers`: with a status and a date of departure; of a hundred people, ten left. */
export async function writeContacts(
  path: string,
  count: number,
  { leavers = false } = {},
): Promise<void> {
  const file = createWriteStream(path)
  file.write(`Email;Prénom;Nom;Ville${leavers ? ';Statut;UNSUB_TIME' : ''}\n`)
  for (let number = 0; number < count;) {
    let text = ''
    for (const end = Math.min(count, number + 5000); number < end; number++) {
      const { email, firstName, lastName, city } = contact(number)
      text += `${email};${firstName};"${lastName}";${city}${leavers ? departureOf(number) : ''}\n`
    }
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}

function departureOf(number: number): string {
  if (number % 20 === 1) return ';désabonné;'
  return number % 20 === 2 ? ';abonné;2026-01-02 10:00:00' : ';abonné;'
}
