/**
 * Any order, any repetition, any division into calls, one connection or two: a set of feedback ends
 * in the state that a small model computes from the set alone; and what hangs on it is counted once
 * (semantics 3).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { BounceClass } from '../../../src/contract/emails.ts'
import type { Feedback, FeedbackTarget } from '../../../src/core/feedback-target.ts'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { recountCampaign } from '../../../src/db/campaigns/campaign-recount.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { newsFrom } from '../../support/feedback.ts'
import { progress, sentCampaign, tallies } from '../../support/tracking-world.ts'

const api = await startApi({ workers: false })
const { service } = api
const { db } = service

/** The status of a recipient before any feedback. */
const starts = {
  sent: { state: 'settled', status: 'sent', sent: true, deliveredBy: null },
  silent: { state: 'settled', status: 'delivered', sent: true, deliveredBy: 'silence' },
  doubtful: { state: 'in_doubt', status: 'queued', sent: false, deliveredBy: null },
  waiting: { state: 'pending', status: 'queued', sent: false, deliveredBy: null },
  failed: { state: 'settled', status: 'failed', sent: false, deliveredBy: null },
} as const
type Start = keyof typeof starts

interface Report {
  kind: Feedback['kind']
  bounce?: BounceClass
}

const order = ['queued', 'sent', 'failed', 'delivered', 'bounced', 'complained']
const classes: BounceClass[] = ['other', 'policy', 'soft', 'hard']
const furthest = (statuses: string[]): string =>
  statuses.toSorted((a, b) => order.indexOf(b) - order.indexOf(a))[0] ?? 'queued'

/** The model: it sees the set, never the order. */
function end(start: Start, reported: Report[]) {
  const asks = reported.map(({ kind, bounce }) =>
    kind === 'delayed' ? 'queued' : kind === 'bounced' && bounce !== 'hard' ? 'failed' : kind,
  )
  const before = starts[start]
  const reached = furthest([...asks, before.deliveredBy === 'silence' ? 'sent' : before.status])
  const status = before.deliveredBy === 'silence' && reached === 'sent' ? 'delivered' : reached
  const bounces = reported.flatMap(({ kind, bounce }) =>
    kind === 'bounced' && bounce ? [bounce] : [],
  )
  const gravest = bounces.toSorted((a, b) => classes.indexOf(b) - classes.indexOf(a))[0] ?? null
  const hard = bounces.includes('hard')
  return {
    status,
    bounce:
      status === 'bounced' || (status === 'complained' && hard)
        ? 'hard'
        : status === 'failed'
          ? gravest
          : null,
    settled: status !== before.status || before.state === 'settled',
    handOff: !before.sent && status !== before.status,
    hard,
    complaint: status === 'complained',
    closed: status === 'complained' ? 'complaint' : status === 'bounced' ? 'bounce' : null,
  }
}

const reportArbitrary: fc.Arbitrary<Report> = fc.oneof(
  fc.record({ kind: fc.constantFrom('sent', 'delivered', 'delayed', 'complained', 'failed') }),
  fc.record({ kind: fc.constant('bounced' as const), bounce: fc.constantFrom(...classes) }),
)
const recipient = fc.record({
  start: fc.constantFrom<Start>('sent', 'sent', 'silent', 'doubtful', 'waiting', 'failed'),
  told: fc.array(reportArbitrary, { minLength: 1, maxLength: 4 }),
})
const contacts = fc.array(recipient, { minLength: 1, maxLength: 3 })
type Contact = typeof recipient extends fc.Arbitrary<infer P> ? P : never

let runs = 0

/** The recipients of single messages, as rows. */
async function messagesOf(workspace: TestWorkspace, persons: Contact[]): Promise<FeedbackTarget[]> {
  return Promise.all(
    persons.map(async ({ start }, index) => {
      const id = service.makeId()
      const { state, status, sent, deliveredBy } = starts[start]
      await db.count(sql`
        insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
        values (${workspace.id}, ${id}, '{}', '', ${id}, facteur_now(), '2026-01-01')`)
      await db.count(sql`
        insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, attempts, sent_at, delivered_by)
        values (${workspace.id}, ${id}, 0, 'to', ${`m${index}@example.com`}, ${`m${index}@example.com`}, ${status}, ${state}, 'transactional',
          facteur_now() + interval '1 hour', 1, case when ${sent} then facteur_now() end, ${deliveredBy})`)
      return { messageId: id, position: 0 }
    }),
  )
}

async function campaignOf(workspace: TestWorkspace, persons: Contact[]) {
  const campaign = await sentCampaign(api, workspace, { contacts: persons.length })
  for (const [index, { start }] of persons.entries()) {
    const { state, status, sent, deliveredBy } = starts[start]
    await db.count(sql`
      update campaign_recipient set state = ${state}, status = ${status}, sent_at = case when ${sent} then sent_at end, delivered_by = ${deliveredBy}
      where workspace_id = ${workspace.id} and campaign_id = ${campaign.id} and subscriber_id = ${campaign.contacts[index]}`)
  }
  await recountCampaign(db, { workspaceId: workspace.id, campaignId: campaign.id })
  return campaign
}

/** The final state of all that feedback may change. */
async function stateOf(workspace: TestWorkspace, campaignId: string) {
  const ofMessages = await db.rows<{ status: string; bounce: string | null; settled: boolean }>(sql`
    select status, bounce, state = 'settled' as settled from recipient where workspace_id = ${workspace.id} order by address_key`)
  const ofCampaign = await db.rows<{ status: string; bounce: string | null; settled: boolean }>(sql`
    select status, bounce, state = 'settled' as settled from campaign_recipient
    where workspace_id = ${workspace.id} and campaign_id = ${campaignId} order by subscriber_id`)
  const closed = await db.rows<{ email: string; reason: string }>(sql`
    select email, reason from suppression where workspace_id = ${workspace.id} order by email`)
  const subscribers = await db.rows<{ status: string }>(sql`
    select status from subscriber where workspace_id = ${workspace.id} order by id`)
  const [reputation] = await db.rows(sql`
    select coalesce(sum(hand_offs), 0)::int as hand_offs, coalesce(sum(bounces), 0)::int as bounces, coalesce(sum(complaints), 0)::int as complaints
    from reputation_day where workspace_id = ${workspace.id}`)
  const [reported] = await db.rows<{ news: number; notices: number }>(sql`
    select (select count(*) from feedback where workspace_id = ${workspace.id})::int as news,
      (select count(*) from raw_notice where workspace_id = ${workspace.id})::int as notices`)
  return {
    ofMessages,
    ofCampaign,
    closed,
    subscribers: subscribers.map(({ status }) => status),
    reputation,
    told: reported,
  }
}

const shown = ({ status, bounce, settled }: ReturnType<typeof end>) => ({ status, bounce, settled })

test("the end is the model's for the same feedback, and everything is counted once", async () => {
  await fc.assert(
    fc.asyncProperty(
      contacts,
      contacts,
      fc.infiniteStream(fc.nat()),
      async (singles, readers, chance) => {
        const draw = (max: number): number => (chance.next().value ?? 0) % max
        const workspace = await api.workspace(`properties ${++runs}`)
        const campaign = await campaignOf(workspace, readers)
        const targets = await messagesOf(workspace, singles)
        const ofReaders = campaign.contacts.map((subscriberId) => ({
          campaignId: campaign.id,
          subscriberId,
        }))
        const all = [
          ...singles.map(({ told: reported }, index) => [targets[index], reported] as const),
          ...readers.map(({ told: reported }, index) => [ofReaders[index], reported] as const),
        ]
          .flatMap(([target, reported]) =>
            target ? reported.map(({ kind, ...more }) => newsFrom(target, kind, more)) : [],
          )
          // One notice may have held two pieces of feedback.
          .map((feedback, index) => ({
            ...feedback,
            raw: { id: `notice ${Math.floor(index / 2)}`, bytes: Buffer.from(`notice ${index}`) },
          }))
        const repeated = [
          ...all,
          ...all.filter(() => draw(2) === 0),
          ...all.filter(() => draw(3) === 0),
        ]
        const shuffled = repeated
          .map((item) => [draw(1_000_000), item] as const)
          .toSorted(([a], [b]) => a - b)
        const calls: Feedback[][] = []
        for (const [, item] of shuffled) {
          if (calls.length === 0 || draw(2) === 0) calls.push([])
          calls.at(-1)?.push(item)
        }
        const hands: Feedback[][][] = [[], []]
        const isAlone = draw(2) === 0
        for (const call of calls) hands[isAlone ? 0 : draw(2)]?.push(call)
        const changes = (
          await Promise.all(
            hands.map(async (ownCalls) => {
              const each = []
              for (const call of ownCalls)
                each.push(
                  ...(await recordFeedback(service, { workspaceId: workspace.id, feedback: call }))
                    .changes,
                )
              return each
            }),
          )
        ).flat()

        const ends = singles.map(({ start, told: reported }) => end(start, reported))
        const readerEnds = readers.map(({ start, told: reported }) => end(start, reported))
        const everybody = [...ends, ...readerEnds]
        const is = await stateOf(workspace, campaign.id)
        assert.deepEqual(is.ofMessages, ends.map(shown))
        assert.deepEqual(is.ofCampaign, readerEnds.map(shown))
        const closed = [
          ...ends.map(({ closed: reason }, index) => ({ email: `m${index}@example.com`, reason })),
          ...readerEnds.map(({ closed: reason }, index) => ({
            email: `p${index + 1}.${campaign.id}@example.com`,
            reason,
          })),
        ]
        assert.deepEqual(
          is.closed,
          closed.filter(({ reason }) => reason !== null),
        )
        assert.deepEqual(
          is.subscribers,
          readerEnds.map(({ closed: reason }) =>
            reason === 'complaint' ? 'complained' : reason === 'bounce' ? 'bounced' : 'subscribed',
          ),
        )
        assert.deepEqual(is.reputation, {
          handOffs: ends.filter(({ handOff }) => handOff).length,
          bounces: everybody.filter(({ hard }) => hard).length,
          complaints: everybody.filter(({ complaint }) => complaint).length,
        })
        assert.deepEqual(is.told, { news: all.length, notices: Math.ceil(all.length / 2) })
        assert.equal(
          await recountCampaign(db, { workspaceId: workspace.id, campaignId: campaign.id }),
          0,
          'progress and tallies are what the rows say',
        )
        const counted = await tallies(api, workspace, campaign.id)
        assert.equal(
          counted['bounced'] ?? 0,
          readerEnds.filter(({ status }) => status === 'bounced').length,
        )
        assert.equal(
          counted['delivered'] ?? 0,
          readerEnds.filter(({ status }) => ['delivered', 'complained'].includes(status)).length,
        )
        const five = await progress(api, workspace, campaign.id)
        assert.equal(
          Object.values(five).reduce((sum, count) => sum + count, 0),
          readers.length,
        )
        // Each step forward is applied once.
        for (const { was, status } of changes)
          assert.ok(
            order.indexOf(status) > order.indexOf(was) ||
              (was === 'delivered' && status === 'failed'),
            `${was}, ${status}`,
          )
        const steps = changes.map(({ target, status }) => JSON.stringify([target, status]))
        assert.equal(new Set(steps).size, steps.length)
      },
    ),
    { numRuns: 60 },
  )
})

test('ten kinds of feedback on one recipient from twenty callers at once: each stored once, the furthest stays', async () => {
  const workspace = await api.workspace('many callers')
  const [target] = await messagesOf(workspace, [{ start: 'doubtful', told: [] }])
  assert.ok(target)
  const kinds = ['sent', 'delivered', 'delayed', 'failed', 'bounced'] as const
  const all = [...kinds, ...kinds].map((kind) => newsFrom(target, kind))
  await Promise.all(
    [...all, ...all.toReversed()].map((feedback) =>
      recordFeedback(service, { workspaceId: workspace.id, feedback: [feedback] }),
    ),
  )
  const is = await stateOf(workspace, service.makeId())
  assert.deepEqual(is.ofMessages, [{ status: 'bounced', bounce: 'hard', settled: true }])
  assert.deepEqual(is.reputation, { handOffs: 1, bounces: 1, complaints: 0 })
  assert.deepEqual(is.told, { news: 10, notices: 0 })
})
