/**
 * Reads from a statement of a migration which tables it locks, how, and what it does while it holds
 * them (PostgreSQL: Explicit Locking, and the page of each command). It knows the kinds of
 * statement that our files have; it throws for any other, so that a plan never leaves one out.
 * Where a block makes its statements as it runs, each table that it names counts as locked.
 */
import { fragmentsOf, shapeOf, topLevelParts } from './statement-text.ts'

/** From weak to strong. */
export const lockModes = [
  'ROW EXCLUSIVE',
  'SHARE UPDATE EXCLUSIVE',
  'SHARE',
  'SHARE ROW EXCLUSIVE',
  'ACCESS EXCLUSIVE',
] as const
export type LockMode = (typeof lockModes)[number]

/**
 * The work while a table is locked. `moment`: the catalog alone. `sample`: some of its pages.
 * `read`: all of it. `rows`: those that a condition selects, at most all. `index`: all of it is
 * read and sorted. `rewrite`: all of it is written again, with its indexes.
 */
export type LockedWork = 'moment' | 'sample' | 'read' | 'rows' | 'index' | 'rewrite'

export interface StatementLock {
  table: string
  mode: LockMode
  work: LockedWork
  /** Whether `table` is the name of an index, whose table is locked. */
  isIndex?: boolean
}

/** Throws for a statement of a kind that it does not know. */
export function locksOf(statement: string): StatementLock[] {
  const shape = shapeOf(statement)
  for (const [pattern, read] of kinds) {
    const match = pattern.exec(shape)
    if (match) return read(match, statement)
  }
  throw new Error(`No kind of statement is known for: ${shape.slice(0, 120)}`)
}

type Read = (match: RegExpExecArray, statement: string) => StatementLock[]

const lock = (
  table: string | undefined,
  mode: LockMode,
  work: LockedWork = 'moment',
): StatementLock => {
  if (table === undefined) throw new Error('A statement names no table')
  return { table, mode, work }
}

const nothing: Read = () => []

/** The first that matches decides. Names of ours need no quotes. */
const kinds: [RegExp, Read][] = [
  [
    /^create (?:unlogged |temp |temporary )?table (?:if not exists )?\w+ partition of (\w+)/,
    ([, parent]) => [lock(parent, 'ACCESS EXCLUSIVE')],
  ],
  [
    /^create (?:unlogged |temp |temporary )?table /,
    (_match, statement) => referenced(shapeOf(statement)),
  ],
  [
    /^create (?:unique )?index concurrently (?:if not exists )?\w+ on (?:only )?(\w+)/,
    ([, table]) => [lock(table, 'SHARE UPDATE EXCLUSIVE', 'index')],
  ],
  [
    /^create (?:unique )?index (?:if not exists )?\w+ on (?:only )?(\w+)/,
    ([, table]) => [lock(table, 'SHARE', 'index')],
  ],
  [
    /^drop index concurrently (?:if exists )?(\w+)$/,
    ([, index]) => [{ ...lock(index, 'SHARE UPDATE EXCLUSIVE'), isIndex: true }],
  ],
  [
    /^drop index (?:if exists )?(\w+(?:, \w+)*)$/,
    ([, list]) =>
      names(list).map((index) => ({ ...lock(index, 'ACCESS EXCLUSIVE'), isIndex: true })),
  ],
  [
    /^alter index (?:if exists )?(\w+) (?:rename to|set \(|attach partition) ?/,
    ([, index]) => [{ ...lock(index, 'SHARE UPDATE EXCLUSIVE'), isIndex: true }],
  ],
  [
    /^alter table (?:if exists )?(?:only )?(\w+) (.+)$/,
    ([, table, actions]) =>
      topLevelParts(actions ?? '').flatMap((action) => alterLocks(table ?? '', action)),
  ],
  [
    /^(?:drop|truncate) table (?:if exists )?(\w+(?:, \w+)*)/,
    ([, list]) => names(list).map((table) => lock(table, 'ACCESS EXCLUSIVE')),
  ],
  [
    /^truncate (\w+(?:, \w+)*)/,
    ([, list]) => names(list).map((table) => lock(table, 'ACCESS EXCLUSIVE')),
  ],
  [
    /^create (?:or replace )?(?:constraint )?trigger \w+ .*? on (\w+) /,
    ([, table]) => [lock(table, 'SHARE ROW EXCLUSIVE')],
  ],
  [
    /^(?:drop trigger (?:if exists )?|alter trigger )\w+ on (\w+)/,
    ([, table]) => [lock(table, 'ACCESS EXCLUSIVE')],
  ],
  [
    /^analyze (\w+(?:, \w+)*)$/,
    ([, list]) => names(list).map((table) => lock(table, 'SHARE UPDATE EXCLUSIVE', 'sample')),
  ],
  [
    /^lock table (\w+) in (access exclusive|share row exclusive|share) mode$/,
    ([, table, mode]) => [lock(table, modeNamed(mode))],
  ],
  [/^(?:create (?:or replace )?view|alter view|drop view) /, nothing],
  [
    /^(?:create (?:or replace )?|alter |drop )(?:function|procedure|type|domain|sequence|aggregate|operator|cast|text search \w+|statistics|extension|collation) ?/,
    nothing,
  ],
  [/^(?:comment on|set|reset|grant|revoke|notify|commit|select pg_sleep) ?/, nothing],
  // A procedure of 0051 adds a check, reads the table through while others write, and then renames
  // and attaches it.
  [
    /^call facteur_partition\(/,
    (_match, statement) => {
      const [table] = fragmentsOf(statement)
      return [lock(table, 'SHARE UPDATE EXCLUSIVE', 'read'), lock(table, 'ACCESS EXCLUSIVE')]
    },
  ],
  [
    /^(?:insert into|update|delete from|select|with) ?/,
    (_match, statement) => writtenTables(shapeOf(statement)),
  ],
  [/^do /, (_match, statement) => blockLocks(statement)],
]

const names = (list = ''): string[] => list.split(', ')

/** A foreign key of a new table locks the table that it points to. */
const referenced = (shape: string): StatementLock[] =>
  [...shape.matchAll(/ references (\w+)/g)].map(([, table]) => lock(table, 'SHARE ROW EXCLUSIVE'))

const actions: [RegExp, LockMode, LockedWork][] = [
  [
    /^add (?:column )?(?:if not exists )?\w+ .*(?:default (?:facteur_now|gen_random_uuid|clock_timestamp|now|random|nextval)\b|generated )/,
    'ACCESS EXCLUSIVE',
    'rewrite',
  ],
  [/^add constraint \w+ (?:primary key|unique) using index /, 'ACCESS EXCLUSIVE', 'moment'],
  [/^add (?:constraint \w+ )?(?:primary key|unique|exclude)\b/, 'ACCESS EXCLUSIVE', 'index'],
  [/^add (?:constraint \w+ )?foreign key .* not valid$/, 'SHARE ROW EXCLUSIVE', 'moment'],
  [/^add (?:constraint \w+ )?foreign key /, 'SHARE ROW EXCLUSIVE', 'read'],
  [/^add (?:constraint \w+ )?check .* not valid$/, 'ACCESS EXCLUSIVE', 'moment'],
  [/^add (?:constraint \w+ )?check /, 'ACCESS EXCLUSIVE', 'read'],
  // A check of a new column is read through the whole table; a reference is not, while all its
  // values are null.
  [/^add (?:column )?(?:if not exists )?\w+ .*\bcheck \(/, 'ACCESS EXCLUSIVE', 'read'],
  [/^add (?:column )?(?:if not exists )?\w+ /, 'ACCESS EXCLUSIVE', 'moment'],
  [/^validate constraint /, 'SHARE UPDATE EXCLUSIVE', 'read'],
  [/^drop /, 'ACCESS EXCLUSIVE', 'moment'],
  [/^rename /, 'ACCESS EXCLUSIVE', 'moment'],
  [/^alter (?:column )?\w+ (?:set data )?type /, 'ACCESS EXCLUSIVE', 'rewrite'],
  [/^alter (?:column )?\w+ set not null$/, 'ACCESS EXCLUSIVE', 'read'],
  [/^alter (?:column )?\w+ set statistics /, 'SHARE UPDATE EXCLUSIVE', 'moment'],
  [/^alter (?:column )?\w+ (?:set|drop) /, 'ACCESS EXCLUSIVE', 'moment'],
  [/^(?:set|reset) \(/, 'SHARE UPDATE EXCLUSIVE', 'moment'],
  [/^set (?:un)?logged$/, 'ACCESS EXCLUSIVE', 'rewrite'],
  [/^(?:enable|disable) trigger /, 'SHARE ROW EXCLUSIVE', 'moment'],
  [/^attach partition /, 'SHARE UPDATE EXCLUSIVE', 'moment'],
  [/^detach partition \w+ concurrently$/, 'SHARE UPDATE EXCLUSIVE', 'moment'],
  [/^detach partition /, 'ACCESS EXCLUSIVE', 'moment'],
]

function alterLocks(table: string, action: string): StatementLock[] {
  const known = actions.find(([pattern]) => pattern.test(action))
  if (!known)
    throw new Error(`No kind of change is known for: alter table ${table} ${action.slice(0, 100)}`)
  const [, mode, work] = known
  const attached = /^attach partition (\w+)/.exec(action)?.[1]
  const others = attached === undefined ? [] : [lock(attached, 'ACCESS EXCLUSIVE', 'read')]
  return [lock(table, mode, work), ...others, ...referenced(action)]
}

/**
 * Tables whose rows a statement changes, also within `with`; it takes no longer than reading all of
 * what it names.
 */
function writtenTables(shape: string): StatementLock[] {
  const written = [...shape.matchAll(/\b(?:insert into|delete from|update) (?:only )?(\w+)/g)]
    .map(([, table]) => table ?? '')
    .filter((table) => !['set', 'skip', 'of', 'nowait'].includes(table))
  return [...new Set(written)].map((table) => lock(table, 'ROW EXCLUSIVE', 'rows'))
}

/**
 * The statements that a block runs, and those that it makes: these lock at most what its words and
 * texts name.
 */
function blockLocks(statement: string): StatementLock[] {
  const body = /\$(\w*)\$([^]*)\$\1\$/.exec(statement)?.[2] ?? ''
  const shape = shapeOf(body)
  const locks = [
    ...writtenTables(shape),
    ...[...shape.matchAll(/\block table (\w+) in ([a-z ]+) mode\b/g)].map(([, table, mode]) =>
      lock(table, modeNamed(mode)),
    ),
    ...[...shape.matchAll(/\banalyze (\w+)/g)].map(([, table]) =>
      lock(table, 'SHARE UPDATE EXCLUSIVE', 'sample'),
    ),
    ...[
      ...shape.matchAll(/\balter (table|view|trigger|index) (?:if exists )?(\w+)(?: on (\w+))?/g),
    ].map(([, , name, table]) => lock(table ?? name, 'ACCESS EXCLUSIVE')),
  ]
  if (!/\bexecute\b/.test(shape)) return locks
  const texts = fragmentsOf(body)
  const mode = modeOfTexts(texts.join('\n').toLowerCase())
  const named = texts.flatMap((text) => (/^\w+$/.test(text) ? [text] : []))
  return [...locks, ...[...new Set(named)].map((table) => lock(table, mode.mode, mode.work))]
}

/** The strongest lock of the statements that stand in texts. */
function modeOfTexts(texts: string): { mode: LockMode; work: LockedWork } {
  if (/\b(?:alter|drop|truncate|create trigger)\b/.test(texts))
    return { mode: 'ACCESS EXCLUSIVE', work: 'moment' }
  if (/\bcreate (?:unique )?index\b/.test(texts)) return { mode: 'SHARE', work: 'index' }
  if (/\b(?:insert|update|delete)\b/.test(texts)) return { mode: 'ROW EXCLUSIVE', work: 'rows' }
  if (/\banalyze\b/.test(texts)) return { mode: 'SHARE UPDATE EXCLUSIVE', work: 'sample' }
  throw new Error(`No kind of statement is known for what a block runs: ${texts.slice(0, 200)}`)
}

function modeNamed(text = ''): LockMode {
  const mode = lockModes.find((known) => known === text.toUpperCase())
  if (!mode) throw new Error(`No lock is known as ${text}`)
  return mode
}
