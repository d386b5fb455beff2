/**
 * Compares each recorded statement with PostgreSQL's description of it: the columns with the row
 * type that its call names, and the parameters with the values that it had.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg, { type FieldDef } from 'pg'
import { propertyOf } from '../../../src/database/client/camel-case-rows.ts'
import { sqlState } from '../../../src/database/client/database-errors.ts'
import { keyOf, readSources, type DeclaredField, type DeclaredRows } from './declared-rows.ts'
import { describeStatement, type Description } from './describe-statement.ts'
import type { RecordedText } from './record-statements.ts'

export interface Comparison {
  /** Distinct texts that were described. */
  described: number
  /** Each as `src/db/…:12: what differs`. */
  problems: string[]
  /** The places of statements in `src/db/` that were never made. */
  unreached: string[]
}

export async function compareStatements(folder: string, databaseUrl: string): Promise<Comparison> {
  const recorded = readRecorded(folder)
  const { calls, templates } = readSources()
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    // As the file that names it makes it.
    await client.query('create temporary table import_seen (email text primary key)')
    const nullable = await nullableColumns(client)
    const problems = new Set<string>()
    for (const { text, parts, kinds } of recorded.values()) {
      const key = keyOf(parts)
      const location = templates.get(key)
      // A statement of a test.
      if (location === undefined) continue
      const report = (at: string, problem: string) => problems.add(`${at}: ${problem}`)
      const description = await describeStatement(client, text).catch((error: Error) =>
        isOfOtherTables(error) ? undefined : void report(location, error.message),
      )
      if (!description) continue
      for (const problem of parameterProblems(description, kinds)) report(location, problem)
      for (const call of calls.get(key) ?? [])
        for (const problem of columnProblems(call, description, { text, nullable }))
          report(call.at, problem)
    }
    const reached = new Set([...recorded.values()].map(({ parts }) => keyOf(parts)))
    const unreached = [...templates].flatMap(([key, at]) =>
      at.startsWith('src/db/') && !reached.has(key) ? [at] : [],
    )
    return {
      described: recorded.size,
      problems: [...problems].toSorted(),
      unreached: unreached.toSorted(),
    }
  } finally {
    await client.end()
  }
}

/** A test has run it on tables of its own, which this database does not have. */
const isOfOtherTables = (error: Error): boolean => sqlState(error) === '42P01'

/** By text; the kinds of a value are those of the first call that had one. */
function readRecorded(folder: string): Map<string, RecordedText> {
  const byKey = new Map<string, RecordedText>()
  for (const file of readdirSync(folder))
    for (const line of readFileSync(join(folder, file), 'utf8').trim().split('\n')) {
      const text = JSON.parse(line) as RecordedText
      const other = byKey.get(text.text)
      const kinds = text.kinds.map((kind, at) => {
        const known = other?.kinds[at] ?? kind
        return known.startsWith('null') ? kind : known
      })
      byKey.set(text.text, { ...text, kinds })
    }
  return byKey
}

/** `oid.number` of each. */
async function nullableColumns(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ id: string }>(
    `select attrelid || '.' || attnum as id from pg_attribute a join pg_class c on c.oid = a.attrelid
     where not attnotnull and attnum > 0 and relkind in ('r', 'p')`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** How values of each type are read: `any` for JSON. */
const types: Record<number, string> = {
  ...Object.fromEntries(
    [18, 19, 25, 869, 650, 1042, 1043, 1700, 2950, 3220].map((oid) => [oid, 'string']),
  ),
  ...Object.fromEntries([20, 21, 23, 26, 700, 701].map((oid) => [oid, 'number'])),
  ...{ 16: 'boolean', 17: 'Buffer', 114: 'any', 3802: 'any' },
  ...Object.fromEntries([1082, 1114, 1184].map((oid) => [oid, 'Date'])),
  ...Object.fromEntries([1009, 1015, 2951, 1016, 1231].map((oid) => [oid, 'string[]'])),
  ...Object.fromEntries([1005, 1007, 1021, 1022, 1028].map((oid) => [oid, 'number[]'])),
  ...{
    1000: 'boolean[]',
    1001: 'Buffer[]',
    1185: 'Date[]',
    1115: 'Date[]',
    199: 'any[]',
    3807: 'any[]',
  },
}

/** What is written otherwise than it is read. */
const written: Record<number, string> = {
  1003: 'string[]',
  1016: 'number[]',
  1231: 'number[]',
  1700: 'number',
}

/** What differs between the declared fields and the columns. */
export function* columnProblems(
  { fields }: DeclaredRows,
  { columns }: Description,
  table: { text: string; nullable: ReadonlySet<string> },
): Generator<string> {
  if (fields === null) return
  const isValue = fields.length === 1 && fields[0]?.name === ''
  if (isValue && columns.length !== 1) yield `a value is read of ${columns.length} columns`
  const present = new Map(
    columns.map((column) => [isValue ? '' : propertyOf(column.name), column] as const),
  )
  for (const field of fields) {
    const column = present.get(field.name)
    if (column) yield* fieldProblems(field, column, table)
    else yield `no column is ${field.name}`
  }
  const declared = new Set(fields.map(({ name }) => name))
  for (const name of present.keys()) if (!declared.has(name)) yield `the row type has no ${name}`
}

function* fieldProblems(
  { name, kinds, isNullable }: DeclaredField,
  column: FieldDef,
  { text, nullable }: { text: string; nullable: ReadonlySet<string> },
): Generator<string> {
  const label = name || 'the value'
  const type = types[column.dataTypeID] ?? `of the type ${column.dataTypeID}`
  const fits = type === 'any' || kinds.every((kind) => kind === type || kind === 'any')
  if (!fits) yield `${label} is ${type}, the row type says ${kinds.join(' | ')}`
  // The column of an outer join may be null although its table's is not.
  if (column.tableID === 0 || name === '' || /\b(?:left|right|full) join\b|\bunion\b/.test(text))
    return
  const mayBeNull = nullable.has(`${column.tableID}.${column.columnID}`)
  // JSON is declared as unknown, which may be null.
  if (
    mayBeNull &&
    !isNullable &&
    !kinds.includes('any') &&
    !text.includes(`${column.name} is not null`)
  )
    yield `${label} may be null, the row type does not say so`
}

function* parameterProblems({ parameters }: Description, kinds: string[]): Generator<string> {
  if (parameters.length !== kinds.length)
    yield `${parameters.length} parameters, ${kinds.length} values`
  for (const [at, oid] of parameters.entries()) {
    const kind = kinds[at] ?? 'null'
    const type = written[oid] ?? types[oid] ?? 'any'
    if (!takes(type, kind)) yield `$${at + 1} is ${type} (${oid}), the value is ${kind}`
  }
}

/** Whether a value of the kind is written as one of the type. */
function takes(type: string, kind: string): boolean {
  if (kind === type || kind.startsWith('null') || kind === 'undefined[]') return true
  // An array in binary form.
  if (kind === 'Buffer') return type.endsWith('[]')
  if (type === 'any') return !kind.endsWith('[]')
  // Numbers beyond those of JavaScript, and lists of numbers, are written as texts.
  if (['Date', 'number', 'number[]'].includes(type) && kind === 'string') return true
  if (type.endsWith('[]') && kind.endsWith('[]'))
    return kind === 'null[]' || takes(type.slice(0, -2), kind.slice(0, -2))
  return false
}
