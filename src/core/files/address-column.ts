/** The column of addresses in a file, by its header in French or English. */
import { parseMailbox } from '../../ground/address.ts'
import { limits } from '../../contract/limits.ts'
import { OperatorError } from '../../ground/operator-error.ts'

/**
 * Without case, accents, spaces and punctuation, so that "Désabonné(e)" and `opted_out` are
 * `desabonnee` and `optedout`.
 */
export const normalised = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** As `findSpelling` reads them; the surest first: "Adresse" may be a street. */
export const addressSpellings = [
  ...[
    'email',
    'emailaddress',
    'adresseemail',
    'adressemail',
    'adressedemessagerie',
    'adresseelectronique',
    'courriel',
  ],
  ...[
    'adressecourriel',
    'mail',
    'emails',
    'email1',
    'contactemail',
    'subscriberemail',
    'subscriber',
    'address',
    'adresse',
  ],
]

/** Throws `OperatorError` when no column is the address. */
export function findAddressColumn(headers: string[]): number {
  const column = findSpelling(headers, addressSpellings)
  if (column === -1) throw noAddress(headers)
  return column
}

/**
 * Returns the column whose header matches the surest of these spellings, without case, accents and
 * punctuation; -1 for none.
 */
export function findSpelling(headers: string[], known: string[]): number {
  const ranks = headers.map((header) => known.indexOf(normalised(header)))
  const best = Math.min(...ranks.filter((rank) => rank !== -1))
  return ranks.indexOf(best)
}

export function noAddress(headers: string[]): OperatorError {
  const resemblesData = headers.some((header) => header.includes('@'))
  return new OperatorError(
    resemblesData
      ? 'The first line holds an address: put a line with the names of the columns above it, such as email,firstName,lastName.'
      : `No column is known to be the address: say which with --map "COLUMN=email". The columns are ${quotedHeaders(headers)}.`,
  )
}

export const quotedHeaders = (headers: string[]): string =>
  headers.map((header) => `"${header.trim()}"`).join(', ')

/**
 * The key of an address, by which it is erased; of what is no address, the text. PostgreSQL stores
 * no NUL.
 */
export function addressToStore(text: string): string {
  const mailbox = parseMailbox(text)
  return 'rule' in mailbox
    ? text.replaceAll('\0', '\ufffd').slice(0, limits.addressMax)
    : mailbox.key
}
