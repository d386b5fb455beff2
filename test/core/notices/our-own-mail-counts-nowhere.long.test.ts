/**
 * Notices to a workspace's own users, and requests to confirm, count in no quota and in no
 * reputation (semantics 1, Quota).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { notifySuspensionChange } from '../../../src/core/reputation/notify-suspension-change.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { textAt, ask, assertAnswered } from '../../support/ask.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { newsFrom } from '../../support/feedback.ts'
import { operatorEntryPoints } from '../../support/operator-entry-points.ts'
import { signIn } from '../../support/sign-in.ts'
import { handedOver, ledgerRow, startRelayWorld, turn } from '../../support/relay-world.ts'

const world = await startRelayWorld({ entry: operatorEntryPoints() })
const { service } = world
const { db } = service

/** Each kind of notice, to a recipient of its own. */
async function writeEach(workspace: TestWorkspace, slug: string): Promise<void> {
  const owner = await signIn(world, { in: { [workspace.id]: 'owner' } })
  const at = `/workspaces/${slug}/api/v1`
  assertAnswered(
    await owner.ask(`POST ${at}/invitations`, {
      body: { email: 'invited@people.test', role: 'viewer' },
    }),
    201,
  )
  assertAnswered(
    await owner.ask('POST /people/api/v1/password-resets', { body: { email: owner.email } }),
    202,
  )
  const campaign = { name: 'N', subject: 'S', text: 'T' }
  const id = textAt(
    await ask(world.baseUrl, 'POST /api/v1/campaigns', { key: workspace.key, body: campaign }),
    'id',
  )
  const tester = await signIn(world, { in: { [workspace.id]: 'editor' } })
  assertAnswered(await tester.ask(`POST ${at}/campaigns/${id}/test`), 202)
  const reader = { email: 'reader@people.test' }
  assertAnswered(
    await ask(world.baseUrl, 'POST /api/v1/subscribers', { key: workspace.key, body: reader }),
    201,
  )
  await workspace.setReputation({ handOffs: 1_000, bounces: 100, complaints: 0 })
  await notifySuspensionChange(service, workspace.id)
}

const countsOf = async (workspace: TestWorkspace) => {
  const { body } = await ask(world.baseUrl, 'GET /api/v1/me', { key: workspace.key })
  const { quota } = body as { quota: { used: number } }
  const [day] = await db.rows<{ handOffs: number; bounces: number; complaints: number }>(sql`
    select hand_offs::int, bounces::int, complaints::int from reputation_day where workspace_id = ${workspace.id}`)
  return { used: quota.used, ...day }
}

const noticesOf = ({ id }: TestWorkspace) =>
  db.rows<{ messageId: string; status: string }>(sql`
    select r.message_id, r.status from recipient r
    join message m on m.workspace_id = r.workspace_id and m.id = r.message_id
    where r.workspace_id = ${id} and m.notice`)

const untouched = { used: 0, handOffs: 1_000, bounces: 100, complaints: 0 }

test('suspension, invitation, new password, test of a campaign, request to confirm: their hand-offs, complaints and late bounces count nowhere', async () => {
  const workspace = await world.workspace('ours')
  await writeEach(workspace, 'ours')
  await turn(world, workspace)
  const sent = await noticesOf(workspace)
  assert.deepEqual(
    sent.map(({ status }) => status),
    Array.from({ length: 5 }, () => 'sent'),
  )
  assert.deepEqual(await countsOf(workspace), untouched)
  for (const kind of ['bounced', 'complained'] as const) {
    const news = sent.map(({ messageId }) => newsFrom({ messageId, position: 0 }, kind))
    assert.equal(
      (await recordFeedback(service, { workspaceId: workspace.id, feedback: news })).changes.length,
      5,
    )
  }
  assert.deepEqual(await countsOf(workspace), untouched)
})

test('a refusal of them by the mail host counts nowhere; a message in the same turn counts', async () => {
  const workspace = await world.workspace('refused')
  const in1h = new Date(Date.now() + 3_600_000).toISOString()
  const id = await handedOver(world, workspace, { to: 'gone@people.test', scheduled_at: in1h })
  await writeEach(workspace, 'refused')
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${id}'`)
  world.answer((moment) => (moment.phase === 'rcpt' ? '550 5.1.1 no such user' : undefined))
  await turn(world, workspace)
  world.answer(undefined)
  const refused = await noticesOf(workspace)
  assert.deepEqual(
    refused.map(({ status }) => status),
    Array.from({ length: 5 }, () => 'bounced'),
  )
  assert.equal((await ledgerRow(world, workspace, id)).status, 'bounced')
  assert.deepEqual(await countsOf(workspace), {
    used: 1,
    handOffs: 1_001,
    bounces: 101,
    complaints: 0,
  })
})
