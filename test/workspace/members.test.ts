/**
 * Members: an owner changes and removes others, the last owner stays; a member who leaves loses
 * access; the audit log names each act.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { assertAnswered, assertRefused } from '../support/ask.ts'
import { makeUserLink } from '../../src/core/identity/user-link.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints(), workers: false })
const acme = await api.workspace('acme')
const [ada, grace] = [
  await signIn(api, { email: 'ada@example.com', in: { [acme.id]: 'owner' } }),
  await signIn(api, { email: 'grace@example.com', in: { [acme.id]: 'editor' } }),
]
const base = '/workspaces/acme/api/v1'
const setRole = (id: string, role: string) =>
  ada.ask(`PATCH ${base}/members/${id}`, { body: { role } })

test('409 conflict, last_owner: the only owner neither steps down, is removed nor leaves', async () => {
  for (const answer of [
    await setRole(ada.userId, 'editor'),
    await ada.ask(`DELETE ${base}/members/${ada.userId}`),
    await ada.ask(`DELETE ${base}/membership`),
  ]) {
    assertRefused(answer, 'conflict', { reason: 'last_owner' })
  }
})

test('two owners who step down at the same moment: one stays', async () => {
  assertAnswered(await setRole(grace.userId, 'owner'), 200)
  const down = { body: { role: 'viewer' } }
  // Both have come as far as they can before either is let go on.
  const calls = await api.service.db.transaction(async (tx) => {
    await tx.rows(sql`select from workspace_member where workspace_id = ${acme.id} for update`)
    const stepping = [ada, grace].map(({ ask, userId }) =>
      ask(`PATCH ${base}/members/${userId}`, down),
    )
    await untilWaiting(2, stepping)
    return { stepping }
  })
  const answers = await Promise.all(calls.stepping)
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
  await api.run(`update workspace_member set role = 'owner' where workspace_id = ${acme.id}`)
})

/** Until so many calls wait for a lock, or all of them are over. */
async function untilWaiting(count: number, calls: Promise<unknown>[]): Promise<void> {
  const { db } = api.service
  let isOver = false
  void Promise.all(calls).then(() => (isOver = true))
  const waiting = () =>
    db.rows(
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  await until(async () => isOver || (await waiting()).length >= count)
}

test('an owner who is removed while they invite leaves no invitation: the role is asked for again behind the lock', async () => {
  const other = await signIn(api, { in: { [acme.id]: 'owner' } })
  const { inviting } = await api.service.db.transaction(async (tx) => {
    await tx.rows(sql`select from workspace_member where workspace_id = ${acme.id} for update`)
    const call = other.ask(`POST ${base}/invitations`, {
      body: { email: 'late@example.com', role: 'owner' },
    })
    // It has passed the entry point, which checks the role first.
    await untilWaiting(1, [call])
    await tx.count(sql`delete from workspace_member where user_id = ${other.userId}`)
    return { inviting: call }
  })
  assertRefused(await inviting, 'insufficient_role', { required: 'owner' })
  assert.deepEqual(at((await ada.ask(`GET ${base}/invitations`)).body, 'data'), [])
})

test('404 not_found: an invitation is withdrawn by its own workspace alone', async () => {
  const strangers = await api.workspace('strangers')
  const link = {
    purpose: 'invitation',
    workspaceId: strangers.id,
    email: 'guest@example.com',
    role: 'viewer',
  } as const
  const { id } = await makeUserLink(api.service, api.service.db, link)
  assertRefused(await ada.ask(`DELETE ${base}/invitations/${id}`), 'not_found', { id })
  assert.equal((await api.service.db.rows(sql`select from user_link where id = ${id}`)).length, 1)
})

test('an owner who is demoted or removed leaves no invitation by which they could return', async () => {
  for (const put of [
    (id: string) => setRole(id, 'editor'),
    (id: string) => ada.ask(`DELETE ${base}/members/${id}`),
  ]) {
    const other = await signIn(api, { in: { [acme.id]: 'owner' } })
    assertAnswered(
      await other.ask(`POST ${base}/invitations`, {
        body: { email: 'puppet@example.com', role: 'owner' },
      }),
      201,
    )
    assertAnswered(await put(other.userId), 200)
    assert.deepEqual(at((await ada.ask(`GET ${base}/invitations`)).body, 'data'), [])
    await api.run(`delete from workspace_member where user_id = '${other.userId}'`)
    await api.run(
      `delete from audit_log where workspace_id = ${acme.id} and subject like '%people.test'`,
    )
    await api.run(
      `delete from audit_log where workspace_id = ${acme.id} and subject = 'puppet@example.com'`,
    )
  }
})

test('a member who leaves loses access; the log lists each act with its user, newest first, page by page', async () => {
  assertAnswered(await grace.ask(`DELETE ${base}/membership`), 200)
  assertRefused(await grace.ask(`GET ${base}/members`), 'not_found')
  const first = await ada.ask(`GET ${base}/audit?limit=1`)
  assertAnswered(first, 200, {
    data: [
      {
        act: 'member.left',
        who: 'grace@example.com',
        subject: 'grace@example.com',
        ip: '127.0.0.1',
      },
    ],
  })
  const next = await ada.ask(
    `GET ${base}/audit?limit=50&cursor=${String(at(first.body, 'next_cursor'))}`,
  )
  assertAnswered(next, 200, { has_more: false })
  const acts = Object(at(next.body, 'data')).map((entry: unknown) => at(entry, 'act'))
  assert.deepEqual(acts, ['member.role_changed', 'member.role_changed'])
  assertRefused(await ada.ask(`GET ${base}/audit?cursor=nonsense`), 'validation_error')

  const result = async (query: string): Promise<number> =>
    Object(at((await ada.ask(`GET ${base}/audit?${query}`)).body, 'data')).length
  assert.equal(await result('act=member.left'), 1)
  assert.equal(await result('act=member.left&who=GRACE@'), 1)
  assert.equal(await result('act=member.left&who=ada@'), 0)
  assertRefused(await ada.ask(`GET ${base}/audit?act=member.eaten`), 'validation_error')
})

test('201: an owner adds a workspace and owns it; a user who owns none is refused, and a name is given once', async () => {
  const added = await ada.ask('POST /people/api/v1/workspaces', {
    body: { name: 'Analytical Engines' },
  })
  assertAnswered(added, 201, { slug: 'analytical-engines', role: 'owner' })
  assertAnswered(await ada.ask('GET /workspaces/analytical-engines/api/v1/audit'), 200, {
    data: [{ act: 'workspace.created' }],
  })
  assertRefused(
    await ada.ask('POST /people/api/v1/workspaces', { body: { name: 'analytical engines' } }),
    'conflict',
    {
      reason: 'name_taken',
    },
  )
  assertRefused(
    await grace.ask('POST /people/api/v1/workspaces', { body: { name: 'Mine' } }),
    'insufficient_role',
  )
})

test('a new workspace is beside the one on the narrowest plan of those that its maker owns, and shares its quota; none is made beside a suspended one, nor a 21st', async () => {
  const [small, large] = [await api.workspace('small'), await api.workspace('large')]
  await api.run(`insert into plan (name, monthly_quota) values ('narrow', 100)`)
  await api.run(`update workspace set plan = 'narrow' where id = ${small.id}`)
  const maker = await signIn(api, { in: { [large.id]: 'owner', [small.id]: 'owner' } })
  const add = (name: string) => maker.ask('POST /people/api/v1/workspaces', { body: { name } })
  assertAnswered(await add('Beside'), 201)
  const [created] = await api.service.db.rows(
    sql`select plan, quota_of from workspace where slug = 'beside'`,
  )
  assert.deepEqual(created, { plan: 'narrow', quotaOf: small.id })
  const overview = await maker.ask('GET /workspaces/beside/api/v1/overview')
  assertAnswered(overview, 200, { quota: { plan: 'narrow', limit: 100, workspaces: 2 } })

  await large.setReputation({ handOffs: 1000, bounces: 500, complaints: 0 })
  assertRefused(await add('Out of it'), 'reputation_blocked', { workspace: 'large' })
  await large.setReputation({ handOffs: 1000, bounces: 0, complaints: 0 })

  await api.run(`insert into workspace (slug, name, plan, created_at)
    select 'many-' || n, 'Many', 'narrow', facteur_now() from generate_series(1, 16) n`)
  await api.run(`insert into workspace_member (workspace_id, user_id, role)
    select id, '${maker.userId}', 'owner' from workspace where name = 'Many'`)
  const answers = await Promise.all([add('Twentieth'), add('Another')])
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409])
  assertRefused(await add('And another'), 'conflict', { reason: 'too_many', limit: 20 })

  // Workspaces that now belong to another user free no slot: they still share the quota. Of one
  // beside the first it is the first's.
  await api.run(`update workspace set quota_of = ${small.id} where name = 'Many'`)
  await api.run(`delete from workspace_member where user_id = '${maker.userId}' and workspace_id in (
    select id from workspace where name in ('Many', 'small'))`)
  const last = await add('Handed over')
  assertAnswered(last, 201)
  const [row] = await api.service.db.rows(
    sql`select quota_of from workspace where slug = 'handed-over'`,
  )
  assert.deepEqual(row, { quotaOf: small.id })
  assertRefused(await add('One more'), 'conflict', { reason: 'too_many', limit: 20 })
})

test('no workspace has the address of a page', async () => {
  for (const name of [
    'Account',
    'Sign in',
    'reset',
    'Set-up',
    'invitation',
    'new workspace',
    'assets',
  ]) {
    const added = await ada.ask('POST /people/api/v1/workspaces', { body: { name } })
    assertAnswered(added, 201, { slug: `w-${name.toLowerCase().replace(' ', '-')}` })
  }
})
