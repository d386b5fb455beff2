/**
 * Statements that a cluster refuses, as far as their text shows it
 * (docs/decisions/0061-statements-for-a-cluster.md).
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { globalTables } from '../../src/database/schema/global-tables.ts'
import { sharedTables } from '../../src/database/schema/shared-tables.ts'

/**
 * Of those, each node has the whole table; the others are on one server, which plans as PostgreSQL
 * does.
 */
const onEachNode = new Set(sharedTables)
const onOneServer = new Set(globalTables.filter((table) => !onEachNode.has(table)))

/** The names of tables that a statement changes. */
const changed = /\b(?:insert into|update|delete from) (\w+)/g

/** Why Citus refuses a statement. Empty if nothing in its text says so. */
function refusals(statement: string): string[] {
  const [bare] = [...statement.matchAll(changed)].flatMap(([, name = '']) =>
    onEachNode.has(name) ? [name] : [],
  )
  if (bare !== undefined)
    return [`a cell would change its copy of ${bare}, and home in front names the table itself`]
  const [, table = ''] = /\b(?:insert into|update|delete from) (\w+)/.exec(statement) ?? []
  if (table === '' || onOneServer.has(table)) return []
  const matches: string[] = []
  const set =
    /\bon conflict\b[^]*?\bdo update set\b([^]*?)(?:\n\s*where\b|\breturning\b|\n\s*\)|$)/.exec(
      statement,
    )?.[1] ?? ''
  if (/facteur_now\(\)|\bnow\(\)/.test(set))
    matches.push('ON CONFLICT … SET has a function that is not immutable')
  if (
    /^\s*insert into\b[^]*?\)\s*select\b[^]*?\b(?:from|join) (?!unnest|\$|\()\w+ (?!\()/.test(
      statement,
    ) &&
    !/^\s*with\b/.test(statement)
  )
    matches.push('INSERT … SELECT reads a table itself')
  const changes = statement
    .split(/\bupdate\b/)
    .slice(1)
    .map((text) => text.split(/\breturning\b|\n\s*\)/)[0] ?? '')
  if (
    changes.some((text) => /\b(?:then|else) facteur_now\(\)/.test(text.split(/\bwhere\b/)[0] ?? ''))
  )
    matches.push('CASE in a change has a function that is not immutable')
  const last = /\n    \)\n\s*(insert into\b[^]*)$/.exec(statement)?.[1] ?? ''
  const parts = [...statement.matchAll(/\b(\w+) as \(\s*(?:insert|update|delete)\b/g)].map(
    ([, name = '']) => name,
  )
  if (last !== '' && parts.some((name) => !new RegExp(`\\b${name}\\b`).test(last)))
    matches.push('the INSERT at its end leaves out a change that it does not read')
  const lists = new Set(
    [...statement.matchAll(/\b(\w+) as (?:materialized )?\(/g)].map(([, name = '']) => name),
  )
  const inserted = [
    ...statement.matchAll(
      /\binsert into \w+ \([^)]*\)\s*select\b([^]*?)(?:\n\s*\)|\bon conflict\b|\breturning\b|$)/g,
    ),
  ]
  if (
    inserted.some(([, text = '']) =>
      [...text.matchAll(/\(select\b[^()]*?\bfrom (\w+)(?! ?\()/g)].some(
        ([, name = '']) => !lists.has(name),
      ),
    )
  )
    matches.push('INSERT … SELECT has a sub-select of a table, and may store nothing')
  return matches
}

test('no statement has what Citus is known to refuse', () => {
  const folder = join(import.meta.dirname, '../../src')
  const result = globSync('{db,database}/**/*.ts', { cwd: folder }).flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /\bsql`((?:\$\{`[^`]*`\}|[^`\\]|\\.)*)`/g,
      ),
    ].flatMap(([, text = '']) =>
      refusals(text.replaceAll(/--.*$/gm, '')).map(
        (why) => `${file}: ${why}: ${text.trim().slice(0, 80)}`,
      ),
    ),
  )
  assert.deepEqual(result, [])
})

test('the reader of statements finds each of them', () => {
  const finds = (statement: string): number => refusals(statement).length
  assert.equal(
    finds(
      'insert into due as d (a) values (1) on conflict (a) do update set at = case when d.at < facteur_now() then d.at end',
    ),
    1,
  )
  assert.equal(finds('update workspace set name = $1 where id = $2'), 1)
  assert.equal(finds('with a as (select 1) delete from platform_suppression where email = $1'), 1)
  assert.equal(finds('update ${home}workspace set name = $1 where id = $2'), 0)
  assert.equal(finds('insert into warm_up (a) select name from domain where name = $1'), 1)
  assert.equal(
    finds('update webhook set at = case when enabled then facteur_now() end where id = $1'),
    1,
  )
  assert.equal(
    finds(
      'update webhook set at = case when enabled then (select facteur_now()) end where id = $1',
    ),
    0,
  )
  assert.equal(
    finds(
      'with f as materialized (select name from domain) insert into warm_up (a) select name from f',
    ),
    0,
  )
  assert.equal(
    finds('with gone as (\n      delete from message\n    )\n    insert into due (a) values (1)'),
    1,
  )
  const lane = (from: string) =>
    `with m as (select 1) insert into recipient (a) select case when exists (select 1 from ${from}) then 1 end from m`
  assert.equal(finds(lane('undecided_workspace where a = 1')), 1)
  assert.equal(finds(lane('m where a = 1')), 0)
  assert.equal(
    finds(
      'insert into sign_in_rate as b (a) values (1) on conflict (a) do update set at = facteur_now()',
    ),
    0,
  )
})
