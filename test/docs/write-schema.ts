/**
 * Writes `schema.sql` and the list of tables in docs/tables.md, from a database that it makes and
 * removes. Run by `npm run docs`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { retentionClasses } from '../../src/contract/retention.ts'
import { migrate } from '../../src/database/schema/migrate.ts'
import { entriesOf, schemaPage } from '../../src/database/schema/schema-page.ts'
import { periodInDays } from '../../src/database/partitions/partition-periods.ts'
import { partitionedTables } from '../../src/database/schema/partitioned-tables.ts'
import { startPostgres } from '../support/postgres.ts'

export const schemaFile = 'src/database/schema/schema.sql'
export const tablesFile = 'docs/tables.md'

/** The page of a database; `former`: the page as it is. */
export async function pageOf(
  url: string,
  former: string = readFileSync(schemaFile, 'utf8'),
): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await schemaPage(client, { former, periodOf })
  } finally {
    await client.end()
  }
}

function periodOf(table: string): string {
  const name = partitionedTables[table]?.class
  if (name === undefined) throw new Error(`${table} is not in partitioned-tables.ts`)
  const { daysDefault } = retentionClasses[name]
  const days = periodInDays(daysDefault)
  const period = days === null ? 'month' : days === 1 ? 'day' : `${days} days`
  const stored = daysDefault === null ? 'without a limit' : `for ${daysDefault} days`
  return `A partition for each ${period}. Class ${name}: stored ${stored} by default.`
}

/** With the list between its marks as the page has it. */
export function withTables(former: string, page: string): string {
  const [start, end] = [
    '<!-- Tables: npm run docs writes them. -->\n',
    '<!-- End of the tables. -->',
  ]
  const [before = '', rest = ''] = former.split(start)
  const [, after = ''] = rest.split(end)
  return `${before}${start}\n${listOf(page)}${end}${after}`
}

const listOf = (page: string): string => {
  const tables = entriesOf(page).filter(({ name }) => name.startsWith('table '))
  const parts = [...new Set(tables.map(({ part }) => part))]
  return parts
    .map((part) => {
      const rows = tables
        .filter((table) => table.part === part)
        .map(
          ({ room, name, words }) =>
            `| ${room} | \`${name.replace('table ', '')}\` | ${linked(words)} |\n`,
        )
      return `## ${part}\n\n| Room | Table | Rows |\n|---|---|---|\n${rows.join('')}\n`
    })
    .join('')
}

/** `(docs/decisions/0060-cells.md)` as a link from `docs/`. */
const linked = (words: string): string =>
  words.replaceAll(/\(docs\/((?:decisions\/)?(\d+|\w+)[\w-]*\.md)\)/g, '([$2]($1))')

if (import.meta.main) {
  const server = await startPostgres({ durable: false })
  try {
    await migrate(server.connectionString)
    const page = await pageOf(server.connectionString)
    writeFileSync(schemaFile, page)
    writeFileSync(tablesFile, withTables(readFileSync(tablesFile, 'utf8'), page))
  } finally {
    await server.stop()
  }
}
