/**
 * A database as the statements see it: it runs each one, and reads rows, a row, a value or a count
 * from the result.
 */
import type { QueryResult } from 'pg'
import type { Statement } from './sql.ts'

/**
 * Runs statements: the pool, or a transaction. First parameter of every function in `db/`. Callers
 * declare the rows and values: the declaration stands beside the SQL that makes it true.
 */
export interface Database {
  /** Runs one statement; the other functions read its result. */
  ask(statement: Statement): Promise<Pick<QueryResult, 'rows' | 'rowCount'>>
  rows<Row>(statement: Statement): Promise<Row[]>
  /** The first row; null without one. */
  row<Row>(statement: Statement): Promise<Row | null>
  /** The row of a statement that always answers one; rejects without it. */
  onlyRow<Row>(statement: Statement): Promise<Row>
  /** The first column of each row. */
  column<Value>(statement: Statement): Promise<Value[]>
  /** The first column of the first row; null without one. */
  value<Value>(statement: Statement): Promise<Value | null>
  /** The first column of a statement that always answers one row; rejects without it. */
  onlyValue<Value>(statement: Statement): Promise<Value>
  /** Number of rows the statement touched. */
  count(statement: Statement): Promise<number>
  /** Whether the statement touched a row. */
  changes(statement: Statement): Promise<boolean>
}

/** A database whose statements run by `ask`. */
export function createDatabase(ask: Database['ask']): Database {
  const rows = async <Row>(statement: Statement): Promise<Row[]> =>
    (await ask(statement)).rows as Row[]
  const row = async <Row>(statement: Statement): Promise<Row | null> =>
    (await rows<Row>(statement))[0] ?? null
  const onlyRow = async <Row>(statement: Statement): Promise<Row> => {
    const [only] = await rows<Row>(statement)
    if (only === undefined) throw new Error(`A statement answered no row: ${statement.text}`)
    return only
  }
  const count = async (statement: Statement): Promise<number> =>
    (await ask(statement)).rowCount ?? 0
  return {
    ...{ ask, rows, row, onlyRow, count },
    column: async <Value>(statement: Statement) =>
      (await rows<object>(statement)).map(firstColumn) as Value[],
    value: async <Value>(statement: Statement) =>
      firstColumn((await row<object>(statement)) ?? { none: null }) as Value | null,
    onlyValue: async <Value>(statement: Statement) =>
      firstColumn(await onlyRow<object>(statement)) as Value,
    changes: async (statement) => (await count(statement)) > 0,
  }
}

const firstColumn = (row: object): unknown => Object.values(row)[0]
