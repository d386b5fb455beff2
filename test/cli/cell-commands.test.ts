/**
 * `facteur cell …` on plain PostgreSQL, workspaces in a cell that the operator names, and what
 * several cells refuse.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { emptyDatabase, freshDatabase, runOn, testCell } from '../support/database.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { createOperator } from './facteur.ts'

const skip = testCell === null ? false : 'it makes its own second cell'
const { url } = await freshDatabase()
const FACTEUR_MASTER_KEY = Buffer.alloc(32, 1).toString('base64')
const env = { DATABASE_URL: url, FACTEUR_MASTER_KEY }
const operator = createOperator(env)
const folder = makeTemporaryFolder('backups')
let backup = ''

const list = async (): Promise<unknown[]> =>
  at(await operator.json(['cell', 'list']), 'data') as unknown[]

test('one installation begins with cell 1, and is backed up', { skip }, async () => {
  assert.partialDeepStrictEqual(await list(), [
    { id: '1', schema: 'public', node: null, workspaces: 0, ready: true },
  ])
  await operator.json(['workspace', 'create', 'Zero'])
  await operator.json(['domain', 'add', '--workspace', 'zero', 'zero.test'])
  backup = String(at(await operator.json(['backup', folder]), 'folder'))
})

test('refused on plain PostgreSQL: a node for a cell, and the move of one', { skip }, async () => {
  await operator.refused(['cell', 'add', '--node', '10.0.0.12:5432'], {
    code: 'failed',
    exit: 1,
    message:
      /^This database has no nodes: only one with the extension Citus has\. Nothing was changed\.$/m,
  })
  assert.equal((await list()).length, 1)
  assert.deepEqual(
    (await runOn(url, "select from pg_namespace where nspname like 'cell%'")).rows,
    [],
  )
  await operator.refused(['cell', 'move', '1', '10.0.0.12:5432'], {
    code: 'failed',
    exit: 1,
    message:
      /^Cell 1 has the global tables, and stays where it is\. Move its workspaces to another cell instead\.$/m,
  })
  await operator.refused(['cell', 'move', '2', '10.0.0.12:5432'], {
    code: 'failed',
    exit: 1,
    message: /^There is no cell 2 that is ready: facteur cell list shows them\.$/m,
  })
  for (const line of [
    ['cell', 'add', '--node', 'here'],
    ['cell', 'move', '2', 'here'],
  ])
    await operator.refused(line, {
      code: 'usage',
      exit: 2,
      message: /"here" is no node: give HOST:PORT, as the cluster names it\./,
    })
})

test(
  'added: words and JSON name the cell, and progress is on standard error',
  { skip },
  async () => {
    const { code, stdout, stderr } = await operator.run(['cell', 'add'])
    assert.equal(code, 0, stderr)
    assert.equal(
      stdout.toString(),
      'Cell 2 is ready (schema cell_2).\nNext: facteur workspace create NAME --cell 2\n',
    )
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      'Making the tables of the cell',
      'Completing the statistics of the planner',
    ])
    const third = await operator.run(['cell', 'add', '--json'])
    assert.equal(third.code, 0)
    assert.partialDeepStrictEqual(JSON.parse(third.stdout.toString()), {
      ...{ id: '3', schema: 'cell_3', node: null, workspaces: 0, ready: true },
    })
    await operator.refused(['cell', 'move', '2', '10.0.0.12:5432'], {
      code: 'failed',
      exit: 1,
      message:
        /^This database has no nodes: only one with the extension Citus has\. Nothing was changed\.$/m,
    })
  },
)

test(
  'a workspace lives in the cell that the operator names, or in the one with the fewest',
  { skip },
  async () => {
    await operator.refused(['workspace', 'create', 'Lost', '--cell', '4'], {
      code: 'refused',
      exit: 1,
      message: /^There is no cell 4 that is ready: facteur cell list shows them\.$/m,
    })
    await operator.refused(['workspace', 'create', 'Lost', '--cell', '0'], {
      code: 'usage',
      exit: 2,
      message: /^"0" is not a whole number from 1 to 10000\.$/m,
    })
    for (const line of [['Named', '--cell', '2'], ['First'], ['Second'], ['Third']])
      await operator.text(['workspace', 'create', ...line])
    assert.deepEqual((await runOn(url, 'select slug, cell from workspace order by id')).rows, [
      ...[
        { slug: 'zero', cell: 1 },
        { slug: 'named', cell: 2 },
        { slug: 'first', cell: 3 },
        { slug: 'second', cell: 1 },
        { slug: 'third', cell: 2 },
      ],
    ])
  },
)

test('listed: in words a line for each, in JSON all facts', { skip }, async () => {
  const lines = (await operator.text(['cell', 'list'])).trimEnd().split('\n')
  assert.match(lines[0] ?? '', /^ID +SCHEMA +NODE +WORKSPACES +ON DISK +READY +LEAVING$/)
  assert.deepEqual(
    lines.slice(1).map((line) =>
      line
        .trim()
        .replaceAll(/ +/g, ' ')
        .replace(/\d+(\.\d+)? [KM]B/, 'SIZE'),
    ),
    ['1 public 2 SIZE yes', '2 cell_2 2 SIZE yes', '3 cell_3 1 SIZE yes'],
  )
  const all = await list()
  assert.partialDeepStrictEqual(all, [
    { id: '1', schema: 'public', node: null, workspaces: 2, ready: true },
    { id: '2', schema: 'cell_2', node: null, workspaces: 2, ready: true },
    { id: '3', schema: 'cell_3', node: null, workspaces: 1, ready: true },
  ])
  for (const cell of all) assert.ok(Number(at(cell, 'bytes')) > 1_000_000)
})

test('refused outside the schema public: nothing is made', { skip }, async (t) => {
  const elsewhere = await emptyDatabase(t)
  await runOn(elsewhere, 'create schema other')
  const there = createOperator({
    DATABASE_URL: `${elsewhere}&options=-c%20search_path%3Dother`,
    FACTEUR_MASTER_KEY,
  })
  await there.run(['migrate'])
  await there.refused(['cell', 'add'], {
    code: 'failed',
    exit: 1,
    message:
      /^Cells need the installation in the schema "public": this one is in "other"\. Nothing was changed\.$/m,
  })
  assert.equal((await runOn(elsewhere, 'select from other.cell')).rowCount, 1)
})

test(
  'refused with several cells: a backup and a copy, which would hold those of cell 1 alone',
  { skip },
  async (t) => {
    const before = readdirSync(folder)
    await operator.refused(['backup', folder], {
      code: 'failed',
      exit: 1,
      message:
        /^This installation has several cells, and a backup would hold the tables of cell 1 alone: back the whole database up with pg_dump\.$/m,
    })
    assert.deepEqual(readdirSync(folder), before)
    const target = await emptyDatabase(t)
    await runOn(
      url,
      `insert into workspace_move (workspace, from_cell, to_cell, state, began_at, beat_at)
     values (999, 1, 2, 'copying', facteur_now(), facteur_now())`,
    )
    await operator.refused(['database', 'copy', '--to', target, '--yes'], {
      code: 'failed',
      exit: 1,
      message:
        /^Workspace 999 is on its way from cell 1 to cell 2\. Run facteur workspace move 999 2 to go on, or facteur workspace move 999 2 --cancel to give it up\. Nothing was changed\.$/m,
    })
    await runOn(url, 'delete from workspace_move')
    await operator.refused(['database', 'copy', '--to', target, '--yes'], {
      code: 'failed',
      exit: 1,
      message:
        /^This installation has several cells, and a copy would hold the tables of cell 1 alone: copy the whole database with pg_dump while the service stands still\.$/m,
    })
    assert.equal(
      (await runOn(target, "select from pg_tables where schemaname = 'public'")).rowCount,
      0,
    )
    // A backup from before the second cell is whole, and is no copy of a database that has one.
    await operator.json(['backup', 'verify', backup])
    const key = join(folder, before.find((name) => name.endsWith('.key')) ?? '')
    await operator.refused(['restore', backup, '--key', key], {
      code: 'failed',
      exit: 1,
      message: /^There is an installation already: restore into an empty folder/m,
    })
    assert.equal((await list()).length, 3)
  },
)
