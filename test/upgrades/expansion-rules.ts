/**
 * How a migration may not go about it while processes of the previous release go on
 * (docs/decisions/0051). Each rule reads one file and answers what is wrong in it, in words. What
 * the files make of the schema is read from the catalog (schema-shape.ts).
 */
import { isOutside, type Migration } from '../../src/database/schema/migration-files.ts'
import { locksOf } from '../../src/database/schema/statement-locks.ts'
import { shapeOf, statementsOf } from '../../src/database/schema/statement-text.ts'

export interface Known {
  /** The tables that newer files than the previous release's make: nobody else uses them yet. */
  created: ReadonlySet<string>
}

type Rule = (file: Migration, known: Known) => string[]

/** The tables that files make. */
export const tablesMade = (files: readonly Migration[]): Set<string> =>
  new Set(
    files
      .flatMap(shapesOf)
      .flatMap(
        (shape) => /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(shape)?.[1] ?? [],
      ),
  )

const shapesOf = ({ text }: Pick<Migration, 'text'>): string[] => statementsOf(text).map(shapeOf)

/** Nobody waits while a table is read, sorted or written. */
const locksForMomentsOnly: Rule = (file, { created }) =>
  statementsOf(file.text)
    .flatMap(locksOf)
    .filter(
      ({ table, mode, work }) =>
        !created.has(table) &&
        ['SHARE', 'SHARE ROW EXCLUSIVE', 'ACCESS EXCLUSIVE'].includes(mode) &&
        work !== 'moment',
    )
    .map(
      ({ table, mode, work }) => `${table} is locked (${mode}) for longer than a moment (${work})`,
    )

/** In one transaction, a lock that others wait for is not held while rows are changed. */
const changesRowsBeforeItLocks: Rule = (file, { created }) => {
  if (isOutside(file)) return []
  const locks = statementsOf(file.text)
    .flatMap(locksOf)
    .filter(({ table }) => !created.has(table))
  const locked = locks.findIndex(
    ({ mode }) => mode === 'ACCESS EXCLUSIVE' || mode === 'SHARE ROW EXCLUSIVE',
  )
  if (locked === -1) return []
  return locks
    .slice(locked)
    .filter(({ work }) => work === 'rows')
    .map(({ table }) => `changes rows of ${table} while ${locks[locked]?.table} is locked`)
}

/** A file without a transaction may be cut off, and starts again from its first statement. */
const canStartAgain: Rule = (file) => {
  if (!isOutside(file)) return []
  return shapesOf(file)
    .filter((shape) =>
      /^create (?:unlogged )?table (?!if not exists)|^create (?:unique )?index (?:concurrently )?(?!if not exists|concurrently)|^create (?:function|procedure|view|trigger) |\badd column (?!if not exists)|^drop (?!.*if exists)/.test(
        shape,
      ),
    )
    .map((shape) => `cannot start again: ${shape.slice(0, 80)}`)
}

export const rules = {
  locksForMomentsOnly,
  changesRowsBeforeItLocks,
  canStartAgain,
} satisfies Record<string, Rule>
