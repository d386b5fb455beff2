/**
 * Writes `schema.sql`, the page that shows every table. The catalog gives what stands there. People
 * give the order, the headings and the sentences: these are read from the page as it was.
 */
import type pg from 'pg'
import { globalTables } from './global-tables.ts'
import { plainSql, plainView, wrapped } from './plain-sql.ts'
import { readSchemaParts, type SchemaParts, type SourceConstraint } from './source-schema.ts'

/** The tables below this heading are global; see `globalTables`. */
const onceHeading = 'Once in an installation'

/** The block of a table or another thing on the page, with the headings above it. */
interface PageEntry {
  part: string
  room: string
  /** Such as `table message`. */
  name: string
  /** The sentences above it, in one line. */
  words: string
}

/**
 * `periodOf`: the sentence above the default partition of a table. Throws where something of the
 * database has no place on the page, or a table no sentence.
 */
export async function schemaPage(
  client: pg.ClientBase,
  { former, periodOf }: { former: string; periodOf(table: string): string },
): Promise<string> {
  await client.query('set search_path = public')
  const things = thingsOf(await readSchemaParts(client), periodOf)
  const blocks = blocksOf(former).flatMap((block) => {
    const name = nameOfBlock(block)
    if (name === null) return [block]
    const lines = things.get(name)
    return lines === undefined ? [] : [withWords(lines, block).join('\n')]
  })
  const page = `${blocks.join('\n\n')}\n`
  checkPage(page, [...things.keys()])
  return page
}

export function entriesOf(page: string): PageEntry[] {
  let [part, room] = ['', '']
  return blocksOf(page).flatMap((block) => {
    const [, level, title = ''] = /^-- (=+) (.+) \1$/m.exec(block) ?? []
    if (level === '====') [part, room] = [title, '']
    if (level === '==') room = title
    const name = nameOfBlock(block)
    if (name === null) return []
    const words = /^(?:--.*\n)*/.exec(block)?.[0] ?? ''
    return [{ part, room, name, words: words.replaceAll(/(?:^|\n)-- ?/g, ' ').trim() }]
  })
}

function checkPage(page: string, names: string[]): void {
  const entries = entriesOf(page)
  const placed = new Set(entries.map(({ name }) => name))
  const isOnce = ({ part }: PageEntry): boolean => part === onceHeading
  const problems = [
    ...names
      .filter((name) => !placed.has(name))
      .map((name) => `write "create ${name}" where it is to stand, below its sentences`),
    ...entries
      .filter(({ name, words }) => name.startsWith('table ') && words === '')
      .map(({ name }) => `write a sentence above ${name}`),
    ...entries
      .filter((entry) => {
        const [kind, name = ''] = entry.name.split(' ')
        return kind === 'table' && globalTables.includes(name) !== isOnce(entry)
      })
      .map(({ name }) => `${name} stands below the wrong heading`),
  ]
  if (problems.length > 0) throw new Error(`schema.sql: ${problems.join('; ')}`)
}

/** The parts between blank lines; a body has blank lines of its own. */
const blocksOf = (page: string): string[] =>
  (page.match(/(?:\$(\w*)\$[^]*?\$\1\$|(?!\n\n)[^])+/g) ?? []).map((block) => block.trim())

/** Null of headings and of what stands below them. */
const nameOfBlock = (block: string): string | null =>
  nameOf(block.split('\n').find((line) => !line.startsWith('--')) ?? '')

/** Of a line that begins something. A default partition belongs to its table. */
function nameOf(line: string): string | null {
  const [, kind, name] =
    /^create (?:unlogged |unique )?(\w+) (\w+)(?!\w* partition )/.exec(line) ?? []
  return kind === undefined ? null : `${kind} ${name}`
}

/** A column by its name, a condition by its text; null where no sentence can stand above it. */
const nameOfPart = (line: string): string | null =>
  nameOf(line) ??
  (/^ {2}(?:constraint|primary key|unique|check|foreign key)\b/.test(line)
    ? line.replace(/,$/, '')
    : (/^ {2}"?\w+/.exec(line)?.[0] ?? null))

/** The sentences of the former block, above the lines above which they stood. */
function withWords(lines: string[], former: string): string[] {
  const words = new Map<string | null, string[]>()
  const isTable = / table /.test(lines[0] ?? '')
  let open: string[] = []
  for (const line of former.split('\n')) {
    if (line.trim().startsWith('--')) open.push(line)
    else {
      words.set(nameOfPart(line), open)
      open = []
      // Bodies have comments of their own.
      if (!isTable) break
    }
  }
  words.delete(null)
  return lines.flatMap((line) => [...(words.get(nameOfPart(line)) ?? []), line])
}

/** The lines of each thing by its name. */
function thingsOf(parts: SchemaParts, periodOf: (table: string) => string): Map<string, string[]> {
  const { tables, sequences, functions, views } = parts
  const others = [
    ...sequences.map(({ statement }) => [`${statement};`]),
    ...functions.map(({ statement }) => linesOfFunction(statement)),
    ...views.map(({ statement }) =>
      plainView(plainSql(statement))
        .split('\n')
        .flatMap((line) => wrapped(line)),
    ),
  ]
  const all = [...others, ...tables.map(({ relation }) => linesOfTable(relation, parts, periodOf))]
  const things = new Map(all.map((lines) => [nameOf(lines[0] ?? '') ?? '', lines]))
  if (things.size < all.length) throw new Error('schema.sql: two functions have one name')
  return things
}

function linesOfTable(
  table: string,
  { tables, columns, constraints, ofTables }: SchemaParts,
  periodOf: (table: string) => string,
): string[] {
  const isOf = ({ relation }: { relation: string }): boolean => relation === table
  const [head = '', tail = ''] = plainSql(tables.find(isOf)?.statement ?? '').split('…)')
  const own = constraints.filter(isOf)
  const inline = own.filter(isOfItsColumn)
  const contents = [
    ...columns.filter(isOf).map(({ name, type, isRequired, value }) => {
      const conditions = inline.filter((each) => each.columns[0] === name).map(conditionOfColumn)
      const isKey = conditions.includes('primary key')
      const required = isRequired && !isKey ? ['not null'] : []
      return [name, type, ...required, value ?? [], ...conditions].flat().join(' ')
    }),
    ...own.filter((each) => !inline.includes(each)).map(conditionOfTable),
  ]
  const rest = ofTables.filter(isOf).map(({ statement }) => plainSql(statement))
  return [
    head,
    ...contents.flatMap((text, at) =>
      wrapped(`  ${plainSql(text)}${at < contents.length - 1 ? ',' : ''}`),
    ),
    ...wrapped(`)${tail};`),
    ...order.flatMap((start) =>
      rest
        .filter((statement) => statement.startsWith(start))
        .toSorted()
        .flatMap((statement) => [
          ...(start === 'create table' ? wrapped(`-- ${periodOf(table)}`) : []),
          ...wrapped(`${statement};`),
        ]),
    ),
  ]
}

/** What follows the columns of a table. */
const order = [
  'alter table',
  'create table',
  'create unique index',
  'create index',
  'create trigger',
]

/** PostgreSQL gives this name to one that has none. */
const nameOfUnnamed = ({ relation, columns, definition }: SourceConstraint): string => {
  if (definition.startsWith('PRIMARY KEY')) return `${relation}_pkey`
  const suffix = definition.startsWith('UNIQUE')
    ? 'key'
    : definition.startsWith('FOREIGN KEY')
      ? 'fkey'
      : 'check'
  return suffix === 'check' && columns.length > 1
    ? `${relation}_check`
    : `${[relation, ...columns].join('_')}_${suffix}`
}

const isOfItsColumn = (constraint: SourceConstraint): boolean =>
  constraint.columns.length === 1 &&
  constraint.name === nameOfUnnamed(constraint) &&
  /^(?:(?:PRIMARY KEY|UNIQUE) \([^)]*\)$|FOREIGN KEY|CHECK)/.test(constraint.definition)

const conditionOfColumn = ({ definition }: SourceConstraint): string =>
  definition
    .replace(/^PRIMARY KEY \(.*/, 'primary key')
    .replace(/^UNIQUE \(.*/, 'unique')
    .replace(/^FOREIGN KEY \([^)]*\) /, '')

const conditionOfTable = (constraint: SourceConstraint): string =>
  constraint.name === nameOfUnnamed(constraint)
    ? constraint.definition
    : `constraint ${constraint.name} ${constraint.definition}`

function linesOfFunction(definition: string): string[] {
  const [, head = '', bodyOrResult = ''] =
    /^CREATE OR REPLACE ([^]*?)\n((?:RETURN|AS) [^]*)$/.exec(definition.trim()) ?? []
  const first = `create ${plainSql(head).replaceAll(/\s+/g, ' ').replace(' public.', ' ')}`
  if (bodyOrResult.startsWith('RETURN'))
    return [...wrapped(first), ...wrapped(`  ${plainSql(bodyOrResult)};`)]
  const [, , body = ''] = /^AS (\$\w+\$)([^]*)\1$/.exec(bodyOrResult) ?? []
  return [...wrapped(`${first} as`), ...`$$${body}$$;`.split('\n')]
}
