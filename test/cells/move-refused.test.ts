/**
 * Moves that are refused before anything of them is written, and what operators see of cells and of
 * a move that has copied nothing.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginWorkspaceMove } from '../../src/database/transport/move/workspace-moves.ts'
import { createOperator } from '../cli/facteur.ts'
import { freshDatabase, runOn, testCell } from '../support/database.ts'
import { at } from '../support/json.ts'

const skip = testCell === null ? false : 'it makes its own second cell'
const { url, connection } = await freshDatabase()
const FACTEUR_MASTER_KEY = Buffer.alloc(32, 3).toString('base64')
const operator = createOperator({ DATABASE_URL: url, FACTEUR_MASTER_KEY })

/** It may do what the owner of the tables may, but is no superuser. */
const user = `mover_${process.pid}`
const mover = createOperator({
  DATABASE_URL: url.replace(/\/\/[^@/]*@/, `//${user}:secret@`),
  FACTEUR_MASTER_KEY,
})

const move = ['workspace', 'move', 'acme', '2']
const moves = async (): Promise<number | null> =>
  (await runOn(url, 'select from workspace_move')).rowCount
const triggers = async (): Promise<number | null> =>
  (await runOn(url, String.raw`select from pg_trigger where tgname like 'copy\_%'`)).rowCount

test('a list of workspaces has their cells where there are several', { skip }, async () => {
  await operator.json(['workspace', 'create', 'acme'])
  assert.equal(
    'cell' in ((at(await operator.json(['workspace', 'list']), 'data') as object[])[0] ?? {}),
    false,
  )
  assert.doesNotMatch(await operator.text(['workspace', 'list']), /CELL/)
  await operator.run(['cell', 'add'])
  assert.equal(at(await operator.json(['workspace', 'list']), 'data', '0', 'cell'), 1)
  assert.equal(at(await operator.json(['workspace', 'show', 'acme']), 'cell'), 1)
  assert.equal(at(await operator.json(['workspace', 'create', 'beta', '--cell', '2']), 'cell'), 2)
  assert.match(
    await operator.text(['workspace', 'list']),
    /CELL +CREATED.*\n.*acme.* 1 +2.*\n.*beta.* 2 +2/,
  )
  assert.match(await operator.text(['workspace', 'show', 'beta']), /^Cell +2$/m)
})

test(
  'without the privilege a move is refused before it is written, and one that has copied nothing is given up',
  { skip },
  async () => {
    const owner = (await runOn(url, 'select current_user as name')).rows[0] as { name: string }
    await runOn(url, `create role ${user} login password 'secret' in role ${owner.name}`)
    try {
      const message =
        /may not set session_replication_role: as a superuser, GRANT SET ON PARAMETER .* Nothing was changed\.$/m
      await mover.refused(move, { code: 'failed', exit: 1, message })
      assert.deepEqual([await moves(), await triggers()], [0, 0])

      await beginWorkspaceMove(connection, { workspaceId: 1, fromCell: 1, toCell: 2 })
      const checks = at(await operator.json(['doctor']), 'checks') as {
        name: string
        message: string
      }[]
      const left = checks.find(({ name }) => name === 'workspace move')
      assert.match(String(left?.message), /was left behind at 0 %, before it captured changes;/)
      assert.match(await mover.text([...move, '--cancel']), /^Given up: acme stays in cell 1\.$/m)
      assert.equal(await moves(), 0)
    } finally {
      await runOn(url, `drop role ${user}`)
    }
  },
)

test(
  'refused before it is written: mail of the workspace waits for a decision after a restore',
  { skip },
  async () => {
    await runOn(
      url,
      'insert into undecided_workspace (workspace_id, held_at) values (1, facteur_now())',
    )
    const message =
      /held after a restore: decide that first \(facteur restore review\)\. Nothing was changed\.$/
    await operator.refused(move, {
      code: 'failed',
      exit: 1,
      message: new RegExp(message.source, 'm'),
    })
    assert.deepEqual([await moves(), await triggers()], [0, 0])
  },
)

test(
  'doctor sends a statement of each kind to each cell, and names what fails',
  { skip },
  async () => {
    const messages = async (): Promise<string[]> =>
      (
        at(JSON.parse((await operator.run(['doctor', '--json'])).stdout.toString()), 'checks') as {
          name: string
          message: string
        }[]
      )
        .filter(({ name }) => name === 'cells')
        .map(({ message }) => message)
    assert.deepEqual(await messages(), [
      'cell 1: takes every kind of statement',
      'cell 2: takes every kind of statement',
    ])
    await runOn(url, "alter table cell_2.due add constraint refuses check (lane <> 'doctor')")
    assert.match(
      (await messages())[1] ?? '',
      /^cell 2: a change fails \(.*violates check constraint "refuses"/,
    )
    assert.equal((await runOn(url, "select from plan where name = '(doctor)'")).rowCount, 0)
  },
)
