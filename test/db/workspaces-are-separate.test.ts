/**
 * Nothing crosses from one workspace to another: the schema and every statement are read for it
 * (security: Tenants; docs/scaling.md).
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { globalTables } from '../../src/database/schema/global-tables.ts'
import { sql } from '../../src/database/client/sql.ts'
import { freshDatabase } from '../support/database.ts'

const { connection: db } = await freshDatabase()

/** Each is about the tables of its schema, so that every cell has its own. */
const ofSchemas = ['clean_up_failure', 'disk_usage', 'partition_upkeep']

const tables = await db.rows<{ name: string; columns: string[] }>(sql`
  select c.relname as name, array_agg(a.attname::text) as columns from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
  group by c.relname order by c.relname`)
// A link is found by what it holds; that it it is of a workspace is part of its purpose.
const ofWorkspaces = tables
  .filter(({ name, columns }) => columns.includes('workspace_id') && name !== 'user_link')
  .map(({ name }) => name)

test('every table is of a workspace, or about the tables of its schema, or one of the few that are named as global', () => {
  const named = new Set([...globalTables, ...ofSchemas])
  const others = tables
    .map(({ name }) => name)
    .filter((name) => !ofWorkspaces.includes(name) && !named.has(name))
  assert.deepEqual(others, [])
})

test('no table of workspace data is global, but the members that a user is found by and their links; and each global one exists', () => {
  assert.deepEqual(
    ofWorkspaces.filter((name) => globalTables.includes(name)),
    ['workspace_member'],
  )
  const all = new Set(tables.map(({ name }) => name))
  assert.deepEqual(
    globalTables.filter((name) => !all.has(name)),
    [],
  )
})

test('docs/scaling.md gives the reason of each global table', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/scaling.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  assert.deepEqual(
    globalTables.filter((name) => !rows.some((row) => row.split('|')[1]?.includes(`\`${name}\``))),
    [],
  )
})

test('every primary key, unique key and foreign key of a workspace table begins with the workspace, and every index too', async () => {
  const keys = await db.rows<{ name: string; table: string; first: string; kind: string }>(sql`
    select i.relname as name, t.relname as table, a.attname::text as first, m.amname as kind
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid join pg_am m on m.oid = i.relam
    join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
    where t.relname = any (${ofWorkspaces}::text[])
    union all
    select c.conname, t.relname, a.attname::text, 'foreign key' from pg_constraint c join pg_class t on t.oid = c.conrelid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = c.conkey[1]
    where c.contype = 'f' and t.relname = any (${ofWorkspaces}::text[])`)
  assert.ok(keys.length > ofWorkspaces.length)
  const odd = keys.filter(({ first }) => first !== 'workspace_id').map(({ name }) => name)
  // A user's workspaces are listed by the user. Tags are looked up by content and filtered by
  // workspace, pieces of names by numbers that are the workspace's own; reports name domains; due
  // is looked through for workspaces, debits and providers for what changed.
  assert.deepEqual(odd.toSorted(), [
    'domain_by_name',
    'domain_by_return_path_host',
    'due_next',
    'message_grams',
    'message_grams_sample',
    'message_tags',
    'quota_usage_debited',
    'subscriber_grams',
    'subscriber_grams_sample',
    'workspace_member_user',
    'workspace_member_user_id_fkey',
    'workspace_provider_version',
  ])
})

/** Statements that are about more than one workspace by what they are for. */
const acrossWorkspaces = new Set([
  // A report names a domain, and no workspace.
  'domainsNamed',
  'dueWorkspaces',
  'msUntilDue',
  'capturedEntries',
  'closingGates',
  'debitedWorkspaces',
  'laneLags',
  'longestConfirmationWait',
  'webhookBacklog',
  'shortenedWorkspaces',
  'unfinishedCampaigns',
  'workspacesWithRecipients',
  'workspaceProvidersSince',
  'findSession',
  'workspacesOf',
  'ownsAllWorkspaces',
  'workspacesBehind',
])

interface FoundStatement {
  place: string
  owner: string
  text: string
}

/** Each `sql` template of src/db and src/database with the function that it stands in. */
function statements(): FoundStatement[] {
  const folder = join(import.meta.dirname, '../../src')
  return globSync('{db,database}/**/*.ts', { cwd: folder }).flatMap((file) => {
    const code = readFileSync(join(folder, file), 'utf8')
    return [...code.matchAll(/\bsql`((?:\$\{`[^`]*`\}|[^`\\]|\\.)*)`/g)].map((match) => {
      const before = code.slice(0, match.index)
      const owner = [...before.matchAll(/\bfunction (\w+)|^(?:export )?const (\w+) = /gm)].at(-1)
      return {
        place: file,
        owner: owner?.[1] ?? owner?.[2] ?? '',
        text: (match[1] ?? '').replaceAll(/--.*$/gm, ''),
      }
    })
  })
}

/**
 * The workspace tables that a statement reads or writes without naming one workspace beside them.
 */
function unnamed(text: string): string[] {
  const uses = [...text.matchAll(/\b(?:from|join|update|using|into)\s+(\w+)\b/gi)].map(
    (match) => match[1] ?? '',
  )
  const tablesUsed = uses.filter((name) => ofWorkspaces.includes(name))
  // Where a quota is shared, the workspace that has it stands for this one.
  const named = [
    ...text.matchAll(
      /\bworkspace_id(?: \+ 0)? = (?:\$\{\w+(?:\.\w+)*\}|w\.id|coalesce\(w\.quota_of, w\.id\)|(?:plan|checked|c|debit)\.payer|\(select payer from (?:plan|used)\)|l\.workspace_id)/g,
    ),
    // Parts of statements that name the workspace: src/db/workspaces/quota-row.ts has those of a payer.
    ...text.matchAll(
      /\$\{(?:presentRun\(\{ workspaceId, campaignId \}\)|isOfWorkspaceByText\(workspaceId\)|isQuotaOfUsed|isDebited)\}/g,
    ),
  ].length
  const inserted = [...text.matchAll(/\binsert into (\w+)[^(]*\(workspace_id\b/gi)].filter(
    (match) => ofWorkspaces.includes(match[1] ?? ''),
  ).length
  return named + inserted >= tablesUsed.length ? [] : tablesUsed
}

test('every statement on workspace tables names one workspace for each of them', () => {
  const all = statements()
  assert.ok(all.length > 60, 'the statements are read at all')
  const odd = all.filter(
    ({ owner, text }) => !acrossWorkspaces.has(owner) && unnamed(text).length > 0,
  )
  assert.deepEqual(
    odd.map(({ place: location, owner, text }) => `${location} ${owner}: ${unnamed(text).join()}`),
    [],
  )
})

test('every statement that is listed as about several workspaces exists', () => {
  const owners = new Set(statements().map(({ owner }) => owner))
  assert.deepEqual(
    [...acrossWorkspaces].filter((owner) => !owners.has(owner)),
    [],
  )
})

test('the reader of statements finds one without its workspace', () => {
  assert.deepEqual(unnamed('select * from message where id = ${id}'), ['message'])
  assert.deepEqual(
    unnamed(
      'select * from message m join recipient r on r.message_id = m.id where m.workspace_id = ${workspaceId}',
    ).length,
    2,
  )
  assert.deepEqual(unnamed('delete from suppression where email = ${email}'), ['suppression'])
  assert.deepEqual(
    unnamed('update recipient set error = ${error} where workspace_id = ${workspaceId}'),
    [],
  )
})
