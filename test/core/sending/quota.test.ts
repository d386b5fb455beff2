/**
 * The month's quota: counted to the recipient, by the UTC month, and given back to the month that
 * paid (semantics 1, Quota).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freezeCampaign } from '../../../src/core/campaigns/freeze-campaign.ts'
import { setPlan } from '../../../src/core/workspaces/set-plan.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { callVerb } from '../../support/call-verb.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../../support/ask.ts'
import { runOn, stopClock } from '../../support/database.ts'
import { at } from '../../support/json.ts'
import { debitedWorkspaces } from '../../../src/db/messages/message-search.ts'
import { addSubscribers, draftOf, send as sendCampaign } from '../../support/campaign-world.ts'
import { accepted, post } from '../../support/relay-world.ts'

const api = await startApi()
const { db } = api.service

const me = async ({ key }: TestWorkspace): Promise<unknown> =>
  (await ask(api.baseUrl, 'GET /api/v1/me', { key })).body
const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `r${index}@example.com`)

/** Sets the database's time. */
const setTime = (time: string): Promise<void> => stopClock(api.database.url, time)

const usedIn = async ({ id }: TestWorkspace, month: string): Promise<number> => {
  const rows = await db.rows<{ used: number }>(
    sql`select used from quota_usage where workspace_id = ${id} and month = ${month}`,
  )
  return rows[0]?.used ?? 0
}

test('the month turns at midnight UTC; a cancellation then gives back to the month that paid', async () => {
  const workspace = await api.workspace('month', { monthlyQuota: 5 })
  await setTime('2031-03-31T23:58:00Z')
  const id = await accepted(api, workspace, {
    to: addresses(3),
    scheduled_at: '2031-04-02T00:00:00Z',
  })
  assertRefused(await post(api, workspace, { to: addresses(3) }), 'quota_exceeded', {
    limit: 5,
    used: 3,
    remaining: 2,
    needed: 3,
    resets_at: '2031-04-01T00:00:00.000Z',
  })
  await setTime('2031-04-01T00:00:30Z')
  assert.partialDeepStrictEqual(await me(workspace), {
    quota: { used: 0, remaining: 5, resets_at: '2031-05-01T00:00:00.000Z' },
  })
  await accepted(api, workspace, { to: addresses(4) })
  assertAnswered(
    await ask(api.baseUrl, `POST /api/v1/emails/${id}/cancel`, { key: workspace.key }),
    200,
  )
  assert.equal(await usedIn(workspace, '2031-03-01'), 0)
  assert.equal(await usedIn(workspace, '2031-04-01'), 4)
  await api.moveClock('0 seconds')
})

test('a scheduled mail counts when it is accepted, not when it leaves', async () => {
  const workspace = await api.workspace('scheduled', { monthlyQuota: 2 })
  await accepted(api, workspace, {
    to: addresses(2),
    scheduled_at: new Date(Date.now() + 40 * 86_400_000).toISOString(),
  })
  assertRefused(await post(api, workspace), 'quota_exceeded')
})

test('a plan that changes holds at once: smaller, larger, without a limit', async () => {
  const workspace = await api.workspace('plans', { monthlyQuota: 3 })
  await accepted(api, workspace, { to: addresses(3) })
  assertRefused(await post(api, workspace), 'quota_exceeded')
  await setPlan(api.service, {
    workspaceId: workspace.id,
    plan: { name: 'plans', monthlyQuota: 4 },
  })
  await accepted(api, workspace)
  await setPlan(api.service, {
    workspaceId: workspace.id,
    plan: { name: 'plans', monthlyQuota: 1 },
  })
  assert.partialDeepStrictEqual(await me(workspace), {
    plan: { monthly_quota: 1 },
    quota: { limit: 1, used: 4, remaining: 0 },
    remaining: 0,
  })
  assertRefused(await post(api, workspace), 'quota_exceeded', { used: 4, remaining: 0 })
  await setPlan(api.service, {
    workspaceId: workspace.id,
    plan: { name: 'free', monthlyQuota: null },
  })
  await accepted(api, workspace)
  assert.partialDeepStrictEqual(await me(workspace), {
    quota: { limit: null, used: 5, remaining: null },
    remaining: null,
  })
})

test('a quota of nothing lets nothing pass', async () => {
  const workspace = await api.workspace('nothing', { monthlyQuota: 0 })
  assertRefused(await post(api, workspace), 'quota_exceeded', {
    limit: 0,
    used: 0,
    remaining: 0,
    needed: 1,
  })
})

test('calls over the quota open no connections', async () => {
  const workspace = await api.workspace('refused', { monthlyQuota: 1 })
  await accepted(api, workspace)
  const opened = async () =>
    Number(
      (
        await runOn(
          api.database.url,
          'select sessions from pg_stat_database where datname = current_database()',
        )
      ).rows[0]?.sessions,
    )
  const before = await opened()
  const answers = await Promise.all(Array.from({ length: 100 }, () => post(api, workspace)))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [402])
  // Those that look at it, and those that the pool may still lack.
  assert.ok((await opened()) - before < 15, String((await opened()) - before))
})

test('a burst uses up the quota to the last recipient and not one further', async () => {
  const workspace = await api.workspace('burst', { monthlyQuota: 10 })
  const answers = await Promise.all(Array.from({ length: 40 }, () => post(api, workspace)))
  assert.equal(answers.filter(({ status }) => status === 202).length, 10)
  assert.equal(answers.filter(({ status }) => status === 402).length, 30)
  assert.equal(at(await me(workspace), 'quota', 'used'), 10)
})

test('a call that asks for too much is refused alone: the others of its moment pass', async () => {
  const workspace = await api.workspace('too much', { monthlyQuota: 20 })
  const sizes = Array.from({ length: 20 }, (_, index) => (index % 4 === 1 ? 30 : 1))
  const answers = await Promise.all(
    sizes.map((size) => post(api, workspace, { to: addresses(size) })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    sizes.map((size) => (size === 30 ? 402 : 202)),
  )
  assert.equal(await workspace.messages(), 15)
})

test('a batch that does not fit is refused whole, and its key may be used again', async () => {
  const workspace = await api.workspace('batch', { monthlyQuota: 3 })
  const item = {
    from: `hello@${workspace.domain}`,
    to: 'someone@example.com',
    subject: 'x',
    text: 'x',
  }
  const send = (count: number) =>
    ask(api.baseUrl, 'POST /api/v1/emails/batch', {
      key: workspace.key,
      body: Array.from({ length: count }, () => item),
      headers: { 'idempotency-key': 'batch' },
    })
  assertRefused(await send(4), 'quota_exceeded', { needed: 4, remaining: 3 })
  assert.equal(await workspace.messages(), 0)
  const answer = await send(3)
  assertAnswered(answer, 202)
  assert.equal(textAt(await send(3), 'data', '0', 'id'), textAt(answer, 'data', '0', 'id'))
  assert.equal(at(await me(workspace), 'quota', 'used'), 3)
})

test('a suppressed recipient in the middle of a batch: nothing is sent and nothing debited', async () => {
  const workspace = await api.workspace('middle', { monthlyQuota: 10 })
  await workspace.suppress('r2@example.com', 'complaint')
  const body = addresses(5).map((to) => ({
    from: `hello@${workspace.domain}`,
    to,
    subject: 'x',
    text: 'x',
  }))
  assertRefused(
    await ask(api.baseUrl, 'POST /api/v1/emails/batch', { key: workspace.key, body }),
    'suppressed_recipient',
    {
      recipients: [{ email: 'r2@example.com', reason: 'complaint', scope: 'organization' }],
    },
  )
  assert.equal(await workspace.messages(), 0)
  assert.equal(at(await me(workspace), 'quota', 'used'), 0)
})

test('workspaces that share a quota use it together, by messages, batches and campaigns; a cancellation gives back to both', async () => {
  const first = await api.workspace('shared', { monthlyQuota: 5 })
  const second = await api.workspace('beside')
  await api.run(
    `update workspace set plan = 'shared', quota_of = ${first.id} where id = ${second.id}`,
  )
  const both = async (used: number) => {
    for (const workspace of [first, second])
      assert.partialDeepStrictEqual(await me(workspace), {
        quota: { limit: 5, used, workspaces: 2 },
      })
  }
  const batch = (by: TestWorkspace, count: number) =>
    ask(api.baseUrl, 'POST /api/v1/emails/batch', {
      key: by.key,
      body: addresses(count).map((to) => ({
        from: `hello@${by.domain}`,
        to,
        subject: 'x',
        text: 'x',
      })),
    })
  const later = new Date(Date.now() + 86_400_000).toISOString()
  const scheduled = await accepted(api, second, { to: addresses(2), scheduled_at: later })
  assertAnswered(await batch(first, 2), 202)
  await both(4)
  const short = { limit: 5, used: 4, remaining: 1, needed: 2 }
  assertRefused(await post(api, second, { to: addresses(2) }), 'quota_exceeded', short)
  assertRefused(await batch(second, 2), 'quota_exceeded', short)
  await addSubscribers(api, second, 2)
  const campaign = await draftOf(api, second)
  assertRefused(await sendCampaign(api, second, campaign), 'validation_error', {
    reason: 'quota_exceeded',
    remaining: 1,
  })
  assertAnswered(
    await ask(api.baseUrl, `POST /api/v1/emails/${scheduled}/cancel`, { key: second.key }),
    200,
  )
  await both(2)
  assertAnswered(await sendCampaign(api, second, campaign), 202)
  await both(4)
  // The log of messages is filled where the quota was debited: the other's debit counts as this
  // one's.
  const versions = new Map(
    (await debitedWorkspaces(db)).map(({ workspaceId, version }) => [workspaceId, version]),
  )
  assert.ok(versions.has(second.id))
  assert.equal(versions.get(second.id), versions.get(first.id))

  const left = await accepted(api, second, { scheduled_at: later })
  await setPlan(api.service, { workspaceId: first.id, plan: { name: 'wider', monthlyQuota: 7 } })
  assert.partialDeepStrictEqual(await me(second), {
    plan: { name: 'wider' },
    quota: { limit: 7, used: 5 },
  })
  await setPlan(api.service, { workspaceId: second.id, plan: { name: 'shared', monthlyQuota: 5 } })
  assert.partialDeepStrictEqual(await me(first), { quota: { limit: 7, used: 5, workspaces: 1 } })
  assert.partialDeepStrictEqual(await me(second), { quota: { limit: 5, used: 0, workspaces: 1 } })
  assertAnswered(
    await ask(api.baseUrl, `POST /api/v1/emails/${left}/cancel`, { key: second.key }),
    200,
  )
  assert.partialDeepStrictEqual(await me(second), { quota: { used: 0 } })
})

test('a campaign may use the quota to the last recipient, beside single messages and alone', async () => {
  const beside = await api.workspace('last of ten', { monthlyQuota: 10 })
  await accepted(api, beside, { to: addresses(4) })
  await addSubscribers(api, beside, 6, 'six.example')
  assertAnswered(await sendCampaign(api, beside, await draftOf(api, beside)), 202)
  assert.partialDeepStrictEqual(await me(beside), { quota: { used: 10, remaining: 0 } })
  const alone = await api.workspace('all of six', { monthlyQuota: 6 })
  await addSubscribers(api, alone, 6, 'alone.example')
  assertAnswered(await sendCampaign(api, alone, await draftOf(api, alone)), 202)
  const over = await api.workspace('one too many', { monthlyQuota: 9 })
  await accepted(api, over, { to: addresses(4) })
  await addSubscribers(api, over, 6, 'over.example')
  const draft = await draftOf(api, over)
  assertRefused(await sendCampaign(api, over, draft), 'validation_error', {
    reason: 'quota_exceeded',
    needed: 6,
    remaining: 5,
  })
  assert.partialDeepStrictEqual(await me(over), { quota: { used: 4 } })
})

for (const [how, stop] of [
  ['cancelled', 'cancelCampaign'],
  ['taken back', 'undoCampaignSend'],
] as const) {
  test(`a campaign that is frozen in November and ${how} in December gives back November's recipients only`, async () => {
    const workspace = await api.workspace(`november ${how}`, { monthlyQuota: 10 })
    await addSubscribers(api, workspace, 6, `november-${how.replace(' ', '-')}.example`)
    const id = await draftOf(api, workspace)
    await setTime('2032-11-30T23:00:00Z')
    await accepted(api, workspace, { to: addresses(1), scheduled_at: '2033-01-10T00:00:00Z' })
    const options = {
      workspaceId: workspace.id,
      id,
      from: 'draft' as const,
      undoSeconds: 86_400,
      canary: null,
    }
    assert.equal(await freezeCampaign(api.service, options), 6)
    assert.equal(await usedIn(workspace, '2032-11-01'), 7)
    await setTime('2032-12-01T01:00:00Z')
    await accepted(api, workspace, { to: addresses(8), scheduled_at: '2033-01-10T00:00:00Z' })
    await callVerb(api.service, workspace.id, stop, { params: { id } })
    assert.deepEqual(
      [await usedIn(workspace, '2032-11-01'), await usedIn(workspace, '2032-12-01')],
      [1, 8],
    )
    await api.moveClock('0 seconds')
  })
}
