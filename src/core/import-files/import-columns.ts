/** Maps the columns of a file: by its header in French or English, or by the importing user's choice. */
import { OperatorError } from '../../operator-error.ts'

/** The targets of a column: `fields.KEY` is a custom field. */
export type ColumnTarget = 'email' | 'firstName' | 'lastName' | 'tags' | `fields.${string}`

/** The column of each target; null when the file has none. */
export interface ImportColumns {
  /** Number of columns in the header. */
  count: number
  email: number
  firstName: number | null
  lastName: number | null
  tags: number | null
  /** The status in an export of ours or of another list: contacts who unsubscribed there are not subscribed again. */
  status: number | null
  fields: { key: string; column: number }[]
  /** Headers of unused columns. */
  ignored: string[]
}

/** A column by its header, and its target. */
export interface ColumnMapping {
  header: string
  target: ColumnTarget
}

const fieldPattern = /^fields\.([a-z][a-z0-9_]{0,59})$/

export const isColumnTarget = (text: string): text is ColumnTarget =>
  ['email', 'firstName', 'lastName', 'tags'].includes(text) || fieldPattern.test(text)

/** Known spellings of headers, without case, accents, spaces and punctuation; the surest first: "Adresse" may be a street. */
const spellings: Record<'email' | 'firstName' | 'lastName' | 'tags', string[]> = {
  email: [
    ...['email', 'emailaddress', 'adresseemail', 'adressemail', 'adressedemessagerie', 'adresseelectronique', 'courriel'],
    ...['adressecourriel', 'mail', 'emails', 'address', 'adresse'],
  ],
  firstName: ['firstname', 'prenom', 'givenname', 'forename', 'first', 'prenoms'],
  lastName: ['lastname', 'nomdefamille', 'familyname', 'surname', 'nom', 'last'],
  tags: ['tags', 'etiquettes', 'tag', 'etiquette'],
}

/** Throws `OperatorError` when a named header is missing, or no column is the address. */
export function readColumns(headers: string[], given: ColumnMapping[]): ImportColumns {
  const { named, status } = nameColumns(headers, given)
  if (!named.has('email')) throw noAddress(headers)
  return columnsOf(headers, named, status)
}

/** Guesses the target of each column, by position; null: unknown. */
export function guessTargets(headers: string[]): (ColumnTarget | 'status' | null)[] {
  const { named, status } = nameColumns(headers, [])
  const targets: (ColumnTarget | 'status' | null)[] = headers.map(() => null)
  for (const [target, column] of named) targets[column] = target
  if (status !== -1) targets[status] = 'status'
  return targets
}

/** Reads the columns that a user chose, without guessing. One must be the address, and no target may be chosen twice. */
export function chosenColumns(headers: string[], targets: (ColumnTarget | 'status' | null)[]): ImportColumns {
  const named = new Map<ColumnTarget, number>()
  targets.forEach((target, column) => {
    if (target !== null && target !== 'status') named.set(target, column)
  })
  return columnsOf(headers, named, targets.indexOf('status'))
}

type NamedColumns = Map<ColumnTarget, number>

function nameColumns(headers: string[], given: ColumnMapping[]): { named: NamedColumns; status: number } {
  const named = new Map<ColumnTarget, number>()
  for (const { header, target } of given) {
    if (named.has(target)) throw new OperatorError(`Two columns are mapped to ${target}: one is enough.`)
    named.set(target, findHeader(headers, header))
  }
  const taken = new Set(named.values())
  const free = (target: ColumnTarget, column: number): void => {
    if (column === -1 || named.has(target) || taken.has(column)) return
    named.set(target, column)
    taken.add(column)
  }
  for (const target of ['email', 'firstName', 'lastName', 'tags'] as const) free(target, findSpelling(headers, spellings[target]))
  headers.forEach((header, column) => {
    const key = fieldPattern.exec(header.trim())?.[1]
    if (key !== undefined) free(`fields.${key}`, column)
  })
  const status = headers.findIndex((header, column) => !taken.has(column) && ['status', 'statut'].includes(normalised(header)))
  return { named, status }
}

function columnsOf(headers: string[], named: NamedColumns, status: number): ImportColumns {
  const taken = new Set(named.values())
  return {
    count: headers.length,
    email: named.get('email') ?? -1,
    firstName: named.get('firstName') ?? null,
    lastName: named.get('lastName') ?? null,
    tags: named.get('tags') ?? null,
    status: status === -1 ? null : status,
    fields: [...named].flatMap(([target, column]) => {
      const key = fieldPattern.exec(target)?.[1]
      return key === undefined ? [] : [{ key, column }]
    }),
    ignored: headers.filter((header, column) => !taken.has(column) && column !== status && header.trim() !== ''),
  }
}

function findHeader(headers: string[], name: string): number {
  const exact = headers.findIndex((header) => header.trim() === name.trim())
  const column = exact === -1 ? headers.findIndex((header) => normalised(header) === normalised(name)) : exact
  if (column === -1) throw new OperatorError(`The file has no column "${name}". Its columns are ${quoted(headers)}.`)
  return column
}

/** Returns the column whose header matches the surest of these spellings, without case, accents and punctuation; -1 for none. */
export function findSpelling(headers: string[], known: string[]): number {
  const ranks = headers.map((header) => known.indexOf(normalised(header)))
  const best = Math.min(...ranks.filter((rank) => rank !== -1))
  return ranks.indexOf(best)
}

const normalised = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

function noAddress(headers: string[]): OperatorError {
  const looksLikeData = headers.some((header) => header.includes('@'))
  return new OperatorError(
    looksLikeData
      ? 'The first line holds an address: put a line with the names of the columns above it, such as email,firstName,lastName.'
      : `No column is known to be the address: say which with --map "COLUMN=email". The columns are ${quoted(headers)}.`,
  )
}

const quoted = (headers: string[]): string => headers.map((header) => `"${header.trim()}"`).join(', ')
