/**
 * Maps the columns of a file: by its header in French or English, or by the importing user's
 * choice.
 */
import { fieldTypes, type FieldType } from '../../../../contract/field-types.ts'
import { OperatorError } from '../../../../ground/operator-error.ts'
import {
  addressSpellings,
  findSpelling,
  noAddress,
  normalised,
  quotedHeaders,
} from '../../../files/address-column.ts'
import { isStatusHeader, indicationOf, type Indication } from './status-words.ts'

const plainTargets = [
  'email',
  'firstName',
  'lastName',
  'name',
  'tags',
  'status',
  'attributes',
] as const

/**
 * The targets of a column: `name` is divided into first and last, `attributes` is a JSON object,
 * `fields.KEY` is a custom field, `fields.KEY:date` one that becomes a date if it is new.
 */
export type ColumnTarget = (typeof plainTargets)[number] | `fields.${string}`

/** The column of each target; null when the file has none. */
export interface ImportColumns {
  /** Number of columns in the header. */
  count: number
  email: number
  firstName: number | null
  lastName: number | null
  /** First name and last name in one. */
  name: number | null
  tags: number | null
  /**
   * The status in an export of ours or of another product: contacts who left there are not
   * subscribed again.
   */
  statuses: number[]
  /**
   * Columns that say by a date, a yes or a no that the contact left or is pending. A date or a yes
   * does, whatever else is taken from them.
   */
  indication: (Indication & { column: number })[]
  /** Columns without a target, which their words may show to be a status. */
  free: number[]
  attributes: number | null
  /** `type`: what a new field becomes. */
  fields: { key: string; column: number; type?: FieldType }[]
  /** Keys of fields that the attributes of the file name, once it was read. */
  attributeFields: string[]
  /** Headers of unused columns. */
  ignored: string[]
}

/** A column by its header, and its target. */
export interface ColumnMapping {
  header: string
  target: ColumnTarget
}

const fieldPattern = /^fields\.([a-z][a-z0-9_]{0,59})(?::(number|date|boolean|text))?$/
const fieldHeader = /^fields\.([a-z][a-z0-9_]{0,59})$/

/** The target without the type of a new field. */
export function untyped(target: ColumnTarget): ColumnTarget {
  const key = fieldKeyOf(target)
  return key === null ? target : `fields.${key}`
}

/** The key of a custom field; null for another target. */
export const fieldKeyOf = (target: string): string | null => fieldPattern.exec(target)?.[1] ?? null

export const isColumnTarget = (text: string): text is ColumnTarget =>
  (plainTargets as readonly string[]).includes(text) || fieldPattern.test(text)

/** As `findSpelling` reads them. */
const spellings = {
  firstName: ['firstname', 'prenom', 'givenname', 'forename', 'first', 'prenoms'],
  lastName: ['lastname', 'nomdefamille', 'familyname', 'surname', 'nom', 'last'],
  tags: ['tags', 'etiquettes', 'tag', 'etiquette'],
  // As listmonk exports them.
  attributes: ['attributes', 'attribs'],
} satisfies Partial<Record<ColumnTarget, string[]>>

/** Throws `OperatorError` when a named header is missing, or no column is the address. */
export function readColumns(headers: string[], mapping: ColumnMapping[]): ImportColumns {
  const named = nameColumns(
    headers,
    mapping.map(({ header, target }) => ({ header, target: untyped(target) })),
  )
  if (!named.has('email')) throw noAddress(headers)
  const targets = mapping.map(({ target }) => target)
  return withFieldTypes(columnsOf(headers, named), targets)
}

function withFieldTypes(
  columns: ImportColumns,
  targets: readonly (ColumnTarget | null)[],
): ImportColumns {
  const types = new Map(
    targets.flatMap((target) => {
      const [, key, name] = fieldPattern.exec(target ?? '') ?? []
      const type = fieldTypes.find((fieldType) => fieldType === name)
      return key === undefined || type === undefined ? [] : [[key, type]]
    }),
  )
  const fields = columns.fields.map((field) => {
    const type = types.get(field.key)
    return { ...field, ...(type !== undefined && { type }) }
  })
  return { ...columns, fields }
}

/** Guesses the target of each column, by position. Null means unknown. */
export function guessTargets(headers: string[]): (ColumnTarget | null)[] {
  const named = nameColumns(headers, [])
  const targets: (ColumnTarget | null)[] = headers.map(() => null)
  for (const [target, column] of named) targets[column] = target
  const [status] = columnsOf(headers, named).statuses
  if (status !== undefined) targets[status] = 'status'
  return targets
}

/**
 * Reads the columns that a user chose, without guessing. One must be the address, and no target may
 * be chosen twice.
 */
export function chosenColumns(headers: string[], targets: (ColumnTarget | null)[]): ImportColumns {
  const named = targets.flatMap((target, column): [ColumnTarget, number][] =>
    target === null ? [] : [[untyped(target), column]],
  )
  return withFieldTypes(columnsOf(headers, new Map(named)), targets)
}

type NamedColumns = Map<ColumnTarget, number>

function nameColumns(headers: string[], mapping: ColumnMapping[]): NamedColumns {
  const named: NamedColumns = new Map()
  for (const { header, target } of mapping) {
    if (named.has(target))
      throw new OperatorError(`Two columns are mapped to ${target}: one is enough.`)
    named.set(target, findHeader(headers, header))
  }
  const taken = new Set(named.values())
  const free = (target: ColumnTarget, column: number): void => {
    if (column === -1 || named.has(target) || taken.has(column)) return
    named.set(target, column)
    taken.add(column)
  }
  free('email', findSpelling(headers, addressSpellings))
  for (const target of ['firstName', 'lastName', 'tags', 'attributes'] as const)
    free(target, findSpelling(headers, spellings[target]))
  headers.forEach((header, column) => {
    const key = fieldHeader.exec(header.trim())?.[1]
    if (key !== undefined) free(`fields.${key}`, column)
  })
  return named
}

/**
 * A column with another target is no status, whatever its header: that is how a user makes it a
 * field.
 */
function columnsOf(headers: string[], named: NamedColumns): ImportColumns {
  const taken = new Set(
    [...named].flatMap(([target, column]) => (target === 'status' ? [] : [column])),
  )
  const untaken = headers.map((_, column) => column).filter((column) => !taken.has(column))
  const statuses = untaken.filter(
    (column) => column === named.get('status') || isStatusHeader(headers[column] ?? ''),
  )
  const [email, ...names] = (['email', 'firstName', 'lastName', 'name'] as const).map((target) =>
    named.get(target),
  )
  const indication = headers.flatMap((header, column) => {
    const indicated = [email, ...names].includes(column) ? undefined : indicationOf(header)
    return indicated === undefined || (indicated.by === 'no' && taken.has(column))
      ? []
      : [{ column, ...indicated }]
  })
  const tellsBy = (column: number, by?: Indication['by']): boolean =>
    indication.some((each) => each.column === column && each.by === (by ?? each.by))
  // A column that says no may have words of a status too, as Klaviyo's consent does.
  const free = untaken.filter((column) => !statuses.includes(column) && !tellsBy(column, 'yes'))
  return {
    count: headers.length,
    email: email ?? -1,
    firstName: named.get('firstName') ?? null,
    lastName: named.get('lastName') ?? null,
    name: named.get('name') ?? null,
    tags: named.get('tags') ?? null,
    ...{ statuses, indication, free },
    attributes: named.get('attributes') ?? null,
    fields: [...named].flatMap(([target, column]) => {
      const key = fieldKeyOf(target)
      return key === null ? [] : [{ key, column }]
    }),
    attributeFields: [],
    ignored: free.flatMap((column) =>
      headers[column]?.trim() && !tellsBy(column) ? [headers[column]] : [],
    ),
  }
}

function findHeader(headers: string[], name: string): number {
  const exact = headers.findIndex((header) => header.trim() === name.trim())
  const column =
    exact === -1 ? headers.findIndex((header) => normalised(header) === normalised(name)) : exact
  if (column === -1)
    throw new OperatorError(
      `The file has no column "${name}". Its columns are ${quotedHeaders(headers)}.`,
    )
  return column
}
