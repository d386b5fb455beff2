/**
 * A campaign whose first hundred refusals share a cause pauses with what mends it, goes on when it
 * is resumed, and pauses at the next hundred.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { sql } from '../../../src/database/client/sql.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { callVerb } from '../../support/call-verb.ts'
import {
  addSubscribers,
  campaignRow,
  draftOf,
  noticesTo,
  recipientsOf,
  send,
  untilCampaign,
  untilSent,
  type CampaignState,
} from '../../support/campaign-world.ts'
import { refusalReplies } from '../../support/refusal-replies.ts'
import { answerDots, startRelayWorld, untilNothingLeased } from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

const world = await startRelayWorld({ workers: true })
const { service } = world

const reply = (id: string, at = 0): string => refusalReplies[id]?.[at] ?? ''
const spf = reply('gmail_spf', 1)
const unknownUser = '550 5.1.1 The email account that you tried to reach does not exist.'

/**
 * The final dot of the n-th of `person<n>@…` is answered so; after so many dots the peer waits
 * until it is to go on.
 */
const answerEach = (
  output: (n: number) => string | undefined,
  dots = Infinity,
): { goOn: () => void } =>
  answerDots(world, dots, ({ phase, line }) =>
    phase === 'dot' ? output(Number(/person(\d+)@/.exec(line)?.[1] ?? 0)) : undefined,
  )

async function start(workspace: TestWorkspace, recipients: number): Promise<string> {
  // The reputation of this workspace is not what these tests are about.
  await world.run(
    `update workspace set reputation_bounces_min = 1000000 where id = ${workspace.id}`,
  )
  await addSubscribers(world, workspace, recipients, workspace.domain)
  const id = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, id)).status, 202)
  return id
}

/** A campaign that is about to pause has dots that wait, and is therefore not over before. */
async function paused(
  workspace: TestWorkspace,
  id: string,
  { goOn } = { goOn: () => {} },
): Promise<CampaignState> {
  const row = await untilCampaign(world, workspace, id, (observed) => observed.paused !== null)
  goOn()
  return row
}
const runOf = (workspace: TestWorkspace, id: string) =>
  callVerb(service, workspace.id, 'getCampaignRun', { params: { id } })

test('a hundred refusals with one cause: paused with the sentence; resumed: not again for the same hundred, but for the next', async () => {
  const workspace = await world.workspace('one cause')
  const waiting = answerEach(() => spf, 150)
  const id = await start(workspace, 400)
  assert.partialDeepStrictEqual(await paused(workspace, id, waiting), {
    status: 'sending',
    paused: 'refusals',
  })
  await untilNothingLeased(service)
  const first = await campaignRow(world, workspace, id)
  assert.ok(first.failed >= 100 && first.pending > 0, JSON.stringify(first))
  const run = await runOf(workspace, id)
  assert.equal(run.pauseReason, 'refusals')
  assert.partialDeepStrictEqual(run.pauseRefusal, {
    cause: 'gmail_spf',
    requirement: 'spf',
    what: `Gmail refuses mail of ${workspace.domain} because SPF does not allow 192.0.2.25 to send it.`,
  })
  assert.partialDeepStrictEqual(run.refusals, [{ cause: 'gmail_spf', count: first.failed }])
  const [notice, another] = await noticesTo(world, workspace)
  assert.equal(another, undefined)
  assert.partialDeepStrictEqual(notice, {
    ...{
      subject: 'one cause\u00a0: la campagne «\u00a0News\u00a0» est en pause',
      email: `hello@${workspace.domain}`,
    },
  })
  for (const text of ['Les cent premiers refus', '192.0.2.25', `/app/one-cause/campaigns/${id}`])
    assert.ok(notice?.text.includes(text), notice?.text)

  const waitingAgain = answerEach(() => spf, 150)
  await callVerb(service, workspace.id, 'resumeCampaign', { params: { id } })
  const second = await paused(workspace, id, waitingAgain)
  assert.equal(second.paused, 'refusals')
  assert.ok(second.failed >= first.failed + 100, 'the hundred from before do not count again')
  assert.equal((await noticesTo(world, workspace)).length, 2, 'each pause is notified once')

  world.answer(undefined)
  await callVerb(service, workspace.id, 'resumeCampaign', { params: { id } })
  const end = await untilSent(world, workspace, id)
  assert.equal(end.sent, end.recipients - end.failed)
  assert.equal((await runOf(workspace, id)).pauseRefusal, null)
})

test('one requirement at several providers is one cause; refusals that are about the recipient are none of the hundred', async () => {
  const workspace = await world.workspace('two providers')
  const output = [spf, reply('microsoft_spf'), unknownUser, '552 5.2.2 mailbox full', undefined]
  const waiting = answerEach((n) => output[n % output.length], 350)
  const id = await start(workspace, 450)
  assert.partialDeepStrictEqual(await paused(workspace, id, waiting), { paused: 'refusals' })
  world.answer(undefined)
  await callVerb(service, workspace.id, 'cancelCampaign', { params: { id } })
})

test('another requirement or a refusal without a known cause among the hundred: it goes on', async () => {
  for (const other of [reply('gmail_tls', 1), '550 5.7.1 You are not welcome here']) {
    const workspace = await world.workspace(`beside ${other}`)
    answerEach((n) => (n === 50 ? other : spf))
    const id = await start(workspace, 600)
    const end = await untilSent(world, workspace, id)
    assert.deepEqual([end.failed, end.pending], [600, 0])
    world.answer(undefined)
  }
})

test('exactly ninety-nine are not enough', async () => {
  const workspace = await world.workspace('ninety-nine')
  answerEach((n) => (n <= 99 ? spf : undefined))
  const id = await start(workspace, 400)
  assert.deepEqual([(await untilSent(world, workspace, id)).failed], [99])
  assert.partialDeepStrictEqual((await runOf(workspace, id)).refusals, [
    { cause: 'gmail_spf', count: 99 },
  ])
  world.answer(undefined)
})

test('only the first hundred are compared: later ones with another cause do not save it', async () => {
  const workspace = await world.workspace('later ones')
  const waiting = answerEach((n) => (n <= 120 ? spf : reply('gmail_tls', 1)), 200)
  const id = await start(workspace, 300)
  assert.partialDeepStrictEqual(await paused(workspace, id, waiting), { paused: 'refusals' })
  world.answer(undefined)
  await callVerb(service, workspace.id, 'cancelCampaign', { params: { id } })
})

test('temporary refusals count at their first attempt, unless they only ask for a slower pace', async () => {
  const workspace = await world.workspace('for now')
  answerEach(
    () => '450 4.7.1 Client host rejected: Service refused due to bad behavior. SFR_IN_101',
  )
  const id = await start(workspace, 1_000)
  assert.partialDeepStrictEqual(await paused(workspace, id), { paused: 'refusals', failed: 0 })
  assert.partialDeepStrictEqual((await runOf(workspace, id)).pauseRefusal, {
    cause: 'sfr_spam',
    requirement: 'spam_rate',
  })
  await callVerb(service, workspace.id, 'cancelCampaign', { params: { id } })

  const slower = await world.workspace('slower')
  answerEach((n) =>
    n <= 150
      ? '450 4.7.1 Client host rejected: Service refused due to bad behavior. SFR_IN_105'
      : undefined,
  )
  const other = await start(slower, 300)
  await until(
    () => recipientsOf(world, slower, other),
    (all) => all.every(({ attempts, state }) => attempts > 0 && state !== 'leased'),
  )
  assert.partialDeepStrictEqual(await campaignRow(world, slower, other), {
    paused: null,
    pending: 150,
  })
  assert.partialDeepStrictEqual((await runOf(slower, other)).refusals, [
    { cause: 'sfr_rate', count: 150 },
  ])
  world.answer(undefined)
})

test('refusals that come back as reports count like answers', async () => {
  const workspace = await world.workspace('by reports')
  world.answer(({ phase, line }) =>
    phase === 'dot' && /person(2\d\d|3\d\d)@/.test(line) ? '450 4.3.0 later' : undefined,
  )
  const id = await start(workspace, 300)
  await untilCampaign(world, workspace, id, ({ sent }) => sent === 199)
  const rows = await service.db.rows<{ id: string }>(sql`
    select subscriber_id as id from campaign_recipient where workspace_id = ${workspace.id} and campaign_id = ${id} and status = 'sent' limit 100`)
  const report = (subscriberId: string) =>
    recordFeedback(service, {
      workspaceId: workspace.id,
      feedback: [
        {
          ...{
            source: 'dsn',
            sourceId: `dsn ${subscriberId}`,
            kind: 'bounced',
            code: '5.7.27',
            at: null,
          },
          ...{ target: { campaignId: id, subscriberId }, detail: `smtp; ${spf}` },
        },
      ],
    })
  for (const row of rows.slice(0, 99)) await report(row.id)
  // A report that comes twice counts once.
  await report(rows[0]?.id ?? '')
  assert.equal((await campaignRow(world, workspace, id)).paused, null)
  await report(rows[99]?.id ?? '')
  assert.partialDeepStrictEqual(await paused(workspace, id), { paused: 'refusals' })
  world.answer(undefined)
})
