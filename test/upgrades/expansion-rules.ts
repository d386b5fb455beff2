/**
 * What a migration may not do while processes of the previous release go on (docs/decisions/0051). Each rule reads one file and
 * answers what is wrong in it, in words.
 */
import { isOutside, type Migration } from '../../src/db/connection/migration-files.ts'
import { locksOf } from '../../src/db/connection/statement-locks.ts'
import { shapeOf, statementsOf, topLevelParts } from '../../src/db/connection/statement-text.ts'

export interface Known {
  /** The tables that newer files than the previous release's make: nobody else uses them yet. */
  made: ReadonlySet<string>
  /** Whether the previous release's sources have this word. */
  isUsed: (word: string) => boolean
}

type Rule = (file: Migration, known: Known) => string[]

/** The tables that files make. */
export const tablesMade = (files: readonly Migration[]): Set<string> =>
  new Set(
    files.flatMap(shapesOf).flatMap((shape) => /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(shape)?.[1] ?? []),
  )

const shapesOf = ({ text }: Pick<Migration, 'text'>): string[] => statementsOf(text).map(shapeOf)

/** Each change of a table that the previous release has. */
const changes = ({ text }: Migration, { made }: Known): { table: string; action: string }[] =>
  shapesOf({ text }).flatMap((shape) => {
    const [, table, actions] = /^alter table (?:if exists )?(?:only )?(\w+) (.+)$/.exec(shape) ?? []
    if (table === undefined || actions === undefined || made.has(table)) return []
    return topLevelParts(actions).map((action) => ({ table, action }))
  })

/** What is dropped is no longer named by the previous release. */
const dropsOnlyWhatIsUnused: Rule = (file, known) => {
  const wrong: string[] = []
  const check = (what: string, word: string | undefined): void => {
    if (word !== undefined && known.isUsed(word)) wrong.push(`drops ${what} ${word}, which the previous release uses`)
  }
  for (const { action } of changes(file, known))
    check('the column', /^drop (?!constraint\b)(?:column )?(?:if exists )?(\w+)/.exec(action)?.[1])
  for (const shape of shapesOf(file)) {
    const [, what, list] = /^drop (table|view|function|procedure|type|sequence) (?:if exists )?([\w, ]+)/.exec(shape) ?? []
    for (const name of list?.split(', ') ?? []) if (!known.made.has(name)) check(`the ${what}`, name)
  }
  for (const body of bodiesOf(file))
    for (const [, column] of body.matchAll(/\bdrop column (?:if exists )?(%?\w+)/g)) check('the column', column)
  return wrong
}

/** A new name leaves a view with the former one. */
const renamesLeaveAView: Rule = (file, known) => {
  const shapes = shapesOf(file)
  const hasView = (name: string): boolean =>
    shapes.some((shape) => new RegExp(`^create (?:or replace )?view ${name} `).test(shape))
  const renamed = changes(file, known).flatMap(({ table, action }) => (/^rename (?!constraint\b)/.test(action) ? [table] : []))
  const hidden = bodiesOf(file).some(
    (body) => /alter table %i rename/.test(body) && !/create (?:or replace )?view|attach partition/.test(body),
  )
  return [
    ...renamed
      .filter((table) => !hasView(table))
      .map((table) => `renames ${table} or its column, and no view has the former name`),
    ...(hidden ? ['renames tables in a block that makes no view'] : []),
  ]
}

/** A row that the previous release writes stays a valid row. */
const acceptsFormerRows: Rule = (file, known) => {
  const shapes = shapesOf(file)
  const isReplaced = (name: string): boolean =>
    shapes.some((shape) => new RegExp(`drop constraint (?:if exists )?${name}\\b`).test(shape))
  const wrong = changes(file, known).flatMap(({ table, action }) => {
    const added = /^add constraint (\w+) /.exec(action)?.[1]
    if (added !== undefined)
      return isReplaced(added) ? [] : [`${table} gets the constraint ${added}, which rows of the previous release may break`]
    if (/^add .*\bnot null\b/.test(action) && !/\b(?:default|generated)\b/.test(action))
      return [`${table} gets a column that the previous release does not fill (not null, no default)`]
    if (/\bset not null$/.test(action)) return [`${table} has a column that may no longer be null`]
    return /\bdrop default$/.test(action) ? [`${table} has a column that loses its default`] : []
  })
  const unique = shapes.flatMap((shape) => {
    const [, table, columns = ''] =
      /^create unique index (?:concurrently )?(?:if not exists )?\w+ on (?:only )?(\w+) ?\(?([^)]*)/.exec(shape) ?? []
    return table === undefined || known.made.has(table) || columns.startsWith(`${formerKeys[table]}, `)
      ? []
      : [`${table} gets a unique index, which rows of the previous release may break`]
  })
  return [...wrong, ...unique]
}

/** Rows that are unique by such a key are so by a longer one, too (migrations 0054, 0067 and 0068). */
const formerKeys: Record<string, string> = {
  campaign_run: 'workspace_id, campaign_id',
  batch_sender: 'workspace_id, campaign_id, id',
  request_rate: 'workspace_id, bucket',
  feedback: 'workspace_id, source, source_id',
  raw_notice: 'workspace_id, source, id',
}

/** Nobody waits while a table is read, sorted or written. */
const locksForMomentsOnly: Rule = (file, { made }) =>
  statementsOf(file.text)
    .flatMap(locksOf)
    .filter(
      ({ table, mode, work }) =>
        !made.has(table) && ['SHARE', 'SHARE ROW EXCLUSIVE', 'ACCESS EXCLUSIVE'].includes(mode) && work !== 'moment',
    )
    .map(({ table, mode, work }) => `${table} is locked (${mode}) for longer than a moment (${work})`)

/** In one transaction, a lock that others wait for is not held while rows are changed. */
const changesRowsBeforeItLocks: Rule = (file, { made }) => {
  if (isOutside(file)) return []
  const locks = statementsOf(file.text)
    .flatMap(locksOf)
    .filter(({ table }) => !made.has(table))
  const locked = locks.findIndex(({ mode }) => mode === 'ACCESS EXCLUSIVE' || mode === 'SHARE ROW EXCLUSIVE')
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

/** Bodies in `$$` of blocks, as one line each: these run with the migration. */
const bodiesOf = ({ text }: Migration): string[] =>
  statementsOf(text)
    .filter((statement) => /^do\b/i.test(statement))
    .map((statement) => statement.replaceAll(/\s+/g, ' ').toLowerCase())

export const rules = {
  dropsOnlyWhatIsUnused,
  renamesLeaveAView,
  acceptsFormerRows,
  locksForMomentsOnly,
  changesRowsBeforeItLocks,
  canStartAgain,
} satisfies Record<string, Rule>
