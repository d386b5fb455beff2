/**
 * Rows as the code reads them: a column `created_at` is the property `createdAt`. Rows that travel
 * (backup, copy, move, digests) are read by clients of their own, under the names of their tables.
 */
import pg, { type ClientBase, type FieldDef, type QueryResult } from 'pg'
import { createDatabase, type Database } from './database.ts'
import type { Statement } from './sql.ts'

/** Runs the statement; each column of its rows bears the name of its property. */
export function queryRows(client: ClientBase, statement: Statement): Promise<QueryResult> {
  return new Promise<QueryResult>((resolve, reject) => {
    const query = new CamelCaseQuery(statement, (error, result) =>
      error ? reject(error) : resolve(result),
    )
    client.query(query)
  }).catch((error: unknown) => {
    // Its own stack begins at the socket; this one leads to the caller.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  })
}

/** A database whose statements run on one connection. */
export const databaseOn = (client: ClientBase): Database =>
  createDatabase((statement) => queryRows(client, statement))

/**
 * `sent_at` is `sentAt`. Underscores that stand elsewhere than between a letter or digit and a
 * letter stay: `_row` and `day_1` are themselves.
 */
export const propertyOf = (column: string): string =>
  column.replaceAll(/(?<=[a-z\d])_([a-z])/g, (_, letter: string) => letter.toUpperCase())

interface RowDescription {
  fields: FieldDef[]
}

type Answer = (error: Error | null | undefined, result: QueryResult) => void

/**
 * The query class of `pg` with the method that its client calls at the description of a result,
 * before its rows. The package's types leave it out; the tests fail where a version has none.
 */
const DescribedQuery = pg.Query as unknown as new (
  statement: Statement,
  answer: Answer,
) => pg.Query & { handleRowDescription(description: RowDescription): void }

class CamelCaseQuery extends DescribedQuery {
  readonly #statement: Statement
  /** The client reads it from the query. */
  readonly query_timeout: number | undefined

  constructor(statement: Statement, answer: Answer) {
    super(statement, answer)
    this.#statement = statement
    this.query_timeout = statement.query_timeout
  }

  override handleRowDescription(description: RowDescription): void {
    renameColumns(this.#statement.name, description.fields)
    super.handleRowDescription(description)
  }
}

type Shape = readonly { column: string; property: string }[]

/** Of each prepared statement, by its name. */
const shapes = new Map<string, Shape>()

function renameColumns(statement: string, fields: readonly FieldDef[]): void {
  const known = shapes.get(statement)
  const shape = known && isOf(fields, known) ? known : addShape(statement, fields)
  for (const [at, field] of fields.entries()) field.name = shape[at]?.property ?? field.name
}

/**
 * A migration may change the columns of a statement, for each connection at another time: the
 * columns of the answer decide.
 */
const isOf = (fields: readonly FieldDef[], shape: Shape): boolean =>
  fields.length === shape.length && fields.every(({ name }, at) => name === shape[at]?.column)

function addShape(statement: string, fields: readonly FieldDef[]): Shape {
  const shape = fields.map(({ name }) => ({ column: name, property: propertyOf(name) }))
  shapes.set(statement, shape)
  return shape
}
