/**
 * Statements of the operator's commands: which workspaces there are, what keeps one where it is,
 * the list of the whole platform, and what doctor tries.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import { insertProbe, takeProbe } from '../../../src/db/feedback/inbound.ts'
import {
  insertSuppressionImport,
  storeSuppressionImport,
  suppressionImports,
} from '../../../src/db/files/suppression-imports.ts'
import { isUndecided } from '../../../src/db/restore/withheld-counts.ts'
import {
  deletePlatformSuppression,
  platformSuppressionPage,
} from '../../../src/db/suppression/suppressions.ts'
import { findUser, updateUser } from '../../../src/db/users/users.ts'
import { statementKinds, tryStatement } from '../../../src/db/workspaces/try-statements.ts'
import { allWorkspaces, workspacesSharingQuota } from '../../../src/db/workspaces/workspaces.ts'
import { startRelayWorld } from '../../support/relay-world.ts'

const world = await startRelayWorld()
const { db } = world.service
const first = await world.workspace('first')
const second = await world.workspace('second')
const third = await world.workspace('third')

test('all workspaces are there, in the order of their numbers', async () => {
  assert.deepEqual(
    (await allWorkspaces(db)).map(({ slug }) => slug),
    ['first', 'second', 'third'],
  )
})

test('workspaces that pay from one quota name each other', async () => {
  assert.deepEqual(await workspacesSharingQuota(db, first.id), [])
  await world.run(`update workspace set quota_of = ${first.id} where id = ${second.id}`)
  assert.deepEqual(await workspacesSharingQuota(db, first.id), ['second'])
  assert.deepEqual(await workspacesSharingQuota(db, second.id), ['first'])
  assert.deepEqual(await workspacesSharingQuota(db, third.id), [])
})

test('after a restore a workspace is undecided until its mail is, and all are until mail is withheld', async () => {
  assert.equal(await isUndecided(db, first.id), false)
  await world.run(
    `insert into undecided_workspace (workspace_id, held_at) values (${first.id}, facteur_now())`,
  )
  assert.equal(await isUndecided(db, first.id), true)
  assert.equal(await isUndecided(db, second.id), false)
  await world.run(
    `insert into installation (master_key_fingerprint, created_at, restored_at) values ('', facteur_now(), facteur_now())`,
  )
  assert.equal(await isUndecided(db, second.id), true)
  await world.run('update installation set held_at = facteur_now()')
  assert.equal(await isUndecided(db, second.id), false)
})

test('the platform’s list has the newest first, page by page, and loses what is lifted', async () => {
  for (const [at, name] of ['a', 'b', 'c'].entries()) {
    await world.suppressOnPlatform(`${name}@example.com`)
    await world.run(
      `update platform_suppression set created_at = facteur_now() - interval '${3 - at} hours' where email = '${name}@example.com'`,
    )
  }
  const page = await platformSuppressionPage(db, { max: 2, before: null })
  assert.deepEqual(
    page.map(({ email }) => email),
    ['c@example.com', 'b@example.com'],
  )
  const last = page[1] ?? assert.fail()
  const before = { at: last.createdAt.toISOString(), id: last.id }
  assert.equal(await deletePlatformSuppression(db, 'c@example.com'), 1)
  assert.equal(await deletePlatformSuppression(db, 'c@example.com'), 0)
  assert.ok(
    (await platformSuppressionPage(db, { max: 9, before })).every(
      ({ email, scope }) => email === 'a@example.com' && scope === 'platform',
    ),
  )
  assert.equal((await platformSuppressionPage(db, { max: 9, before: null })).length, 2)
})

test('a probe that arrived is taken once; one that nobody takes is gone after a day', async () => {
  const [probe, forgotten, newest] = [randomUUID(), randomUUID(), randomUUID()]
  await insertProbe(db, probe)
  await insertProbe(db, probe)
  assert.equal(await takeProbe(db, probe), true)
  assert.equal(await takeProbe(db, probe), false)
  await insertProbe(db, forgotten)
  await world.moveClock('25 hours')
  await insertProbe(db, newest)
  assert.equal(await takeProbe(db, forgotten), false)
  assert.equal(await takeProbe(db, newest), true)
  await world.moveClock('0 seconds')
})

test('an import whose request reports nothing for a while is stale, until it reports again', async () => {
  const id = randomUUID()
  await db.transaction((tx) => insertSuppressionImport(tx, first.id, id))
  const isStale = async () => (await suppressionImports(db, first.id, { id, max: 1 }))[0]?.isStale
  await world.moveClock('1 hour')
  assert.equal(await isStale(), true)
  await storeSuppressionImport(db, second.id, id)
  assert.equal(await isStale(), true, 'another workspace reports for it')
  await storeSuppressionImport(db, first.id, id)
  assert.equal(await isStale(), false)
  await world.moveClock('0 seconds')
})

test('a user’s name and language change one by one, and no other user’s', async () => {
  const user = (email: string) => ({ id: randomUUID(), email, name: 'Ada', language: null })
  const [ada, eve] = [user('ada@example.com'), user('eve@example.com')]
  for (const each of [ada, eve])
    await world.run(
      `insert into user_account (id, email, name) values ('${each.id}', '${each.email}', 'Ada')`,
    )
  const keep = { name: null, language: null, setsLanguage: false }
  assert.partialDeepStrictEqual(await updateUser(db, ada.id, { ...keep, name: 'Ada L.' }), {
    ...{ name: 'Ada L.', language: null },
  })
  const french = { ...keep, language: 'fr', setsLanguage: true } as const
  assert.partialDeepStrictEqual(await updateUser(db, ada.id, french), {
    ...{ name: 'Ada L.', language: 'fr' },
  })
  assert.equal((await updateUser(db, ada.id, keep)).language, 'fr')
  assert.equal((await updateUser(db, ada.id, { ...french, language: null })).language, null)
  assert.partialDeepStrictEqual(await findUser(db, eve.id), { name: 'Ada', language: null })
})

test('doctor tries each kind of statement, and nothing of it stays', async () => {
  for (const kind of statementKinds) await tryStatement(db, kind)
  assert.equal(await db.onlyValue(sql`select count(*)::int from due where lane = 'doctor'`), 0)
  assert.equal(await db.onlyValue(sql`select count(*)::int from plan where name = '(doctor)'`), 0)
  await world.run('alter table plan rename to plan_away')
  await assert.rejects(tryStatement(db, 'a look-up beside global tables'))
  await world.run('alter table plan_away rename to plan')
})
