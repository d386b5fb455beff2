/**
 * A workspace gets one mail when its sending is suspended, and one when it resumes; nothing new is
 * accepted between (semantics 1, Reputation).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { notifySuspensionChange } from '../../../src/core/reputation/notify-suspension-change.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { beginReputationEpoch } from '../../../src/db/workspaces/account-status.ts'
import { changeSettings } from '../../../src/core/workspaces/change-settings.ts'
import { cleanUp } from '../../../src/entrypoints/workers/clean-up.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { ask, assertRefused } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import { newsFrom } from '../../support/feedback.ts'
import { handedOver, post, startRelayWorld, turn } from '../../support/relay-world.ts'

const announced: string[] = []
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields: object, message: string) =>
    void announced.push(`${message} ${JSON.stringify(fields)}`),
  error: (fields: object, message: string) => console.error(message, fields),
}
const world = await startRelayWorld({ log })
const { service } = world
const { db } = service

interface Notice {
  subject: string
  text: string
  email: string
  status: string
}

const noticesOf = (workspace: TestWorkspace): Promise<Notice[]> =>
  db.rows<Notice>(sql`
    select m.subject, b.text, r.email, r.status from message m
    join message_body b on b.workspace_id = m.workspace_id and b.message_id = m.id
    join recipient r on r.workspace_id = m.workspace_id and r.message_id = m.id
    where m.workspace_id = ${workspace.id} and m.notice order by m.created_at, m.id`)

/** A workspace one complaint before its suspension, and the message that is complained of. */
async function atTheBrink(
  name: string,
): Promise<{ workspace: TestWorkspace; complain(): Promise<unknown> }> {
  const workspace = await world.workspace(name)
  const id = await handedOver(world, workspace)
  await workspace.setReputation({ handOffs: 1_000, bounces: 0, complaints: 1 })
  return {
    workspace,
    complain: () =>
      recordFeedback(service, {
        workspaceId: workspace.id,
        feedback: [newsFrom({ messageId: id, position: 0 }, 'complained')],
      }),
  }
}

const sendingOf = async (workspace: TestWorkspace) =>
  at((await ask(world.baseUrl, 'GET /api/v1/me', { key: workspace.key })).body, 'sending')

test('the complaint that suspends is followed by one notice, which leaves; what follows it adds none', async () => {
  const { workspace, complain } = await atTheBrink('told once')
  assert.partialDeepStrictEqual(await sendingOf(workspace), {
    status: 'active',
    suspended_since: null,
  })
  const beganAt = Date.now()
  await complain()
  await Promise.all(Array.from({ length: 5 }, () => notifySuspensionChange(service, workspace.id)))
  await complain()
  const notices = await noticesOf(workspace)
  assert.equal(notices.length, 1)
  assert.partialDeepStrictEqual(notices, [
    { subject: "told once\u00a0: l'envoi est suspendu", email: `hello@${workspace.domain}` },
  ])
  assert.match(notices[0]?.text ?? '', /1000 e-mails .* 2 ont été signalés comme spam \(0,2\s%\)/)
  const { status, suspended_since: since } = (await sendingOf(workspace)) as {
    status: string
    suspended_since: string
  }
  assert.equal(status, 'suspended')
  const endedAt = Date.now()
  assert.ok(Date.parse(since) >= beganAt && Date.parse(since) <= endedAt)
  assertRefused(await post(world, workspace), 'reputation_blocked')
  await turn(world, workspace)
  assert.partialDeepStrictEqual(await noticesOf(workspace), [{ status: 'sent' }])
  assert.ok(
    announced.some(
      (line) =>
        line.startsWith('A workspace is notified') &&
        line.includes(`"workspaceId":${workspace.id},"cause":"suspended","mailed":true`),
    ),
  )
})

test('of several checks at the same moment one sends the mail', async () => {
  const workspace = await world.workspace('at once')
  await workspace.setReputation({ handOffs: 1_000, bounces: 100, complaints: 0 })
  await Promise.all(Array.from({ length: 8 }, () => notifySuspensionChange(service, workspace.id)))
  assert.equal((await noticesOf(workspace)).length, 1)
})

test('it goes to the contact, in the language of the workspace', async () => {
  const { workspace, complain } = await atTheBrink('contact')
  await changeSettings(
    { db, makeId: service.makeId, workspaceId: workspace.id },
    { contact: 'ops@elsewhere.example' },
  )
  await db.count(sql`update workspace set language = 'en' where id = ${workspace.id}`)
  await complain()
  assert.partialDeepStrictEqual(await noticesOf(workspace), [
    { subject: 'contact: sending is suspended', email: 'ops@elsewhere.example' },
  ])
})

test('when the window has cleared, the cleanup announces the end; a second suspension gets a second mail', async () => {
  const { workspace, complain } = await atTheBrink('cleared')
  await complain()
  const stopping = new AbortController().signal
  await cleanUp(service, stopping)
  assert.equal((await noticesOf(workspace)).length, 1, 'still suspended')
  await world.moveClock('31 days')
  await cleanUp(service, stopping)
  await cleanUp(service, stopping)
  const subjects = async () => (await noticesOf(workspace)).map(({ subject }) => subject)
  assert.deepEqual(await subjects(), [
    "cleared\u00a0: l'envoi est suspendu",
    "cleared\u00a0: l'envoi a repris",
  ])
  assert.partialDeepStrictEqual(await sendingOf(workspace), {
    status: 'active',
    suspended_since: null,
  })
  assert.equal((await post(world, workspace, { to: 'other@example.com' })).status, 202)
  await workspace.setReputation({ handOffs: 1_000, bounces: 200, complaints: 0 })
  await notifySuspensionChange(service, workspace.id)
  assert.deepEqual((await subjects()).slice(2), ["cleared\u00a0: l'envoi est suspendu"])
  await world.moveClock('0 days')
})

test('a bounce of our own attempt suspends and announces as well', async () => {
  const workspace = await world.workspace('own')
  await workspace.setReputation({ handOffs: 100, bounces: 5, complaints: 0 })
  world.answer((moment) => (moment.phase === 'rcpt' ? '550 5.1.1 no such user' : undefined))
  await post(world, workspace, { to: 'gone@example.com' })
  world.answer(undefined)
  assert.partialDeepStrictEqual(await noticesOf(workspace), [
    { subject: "own\u00a0: l'envoi est suspendu" },
  ])
})

test('resuming by the operator is announced, and later bounces suspend and announce again', async () => {
  const { workspace, complain } = await atTheBrink('by hand')
  await complain()
  await beginReputationEpoch(db, workspace.id)
  await notifySuspensionChange(service, workspace.id)
  await workspace.setReputation({ handOffs: 1_000, bounces: 0, complaints: 9 })
  await notifySuspensionChange(service, workspace.id)
  assert.deepEqual(
    (await noticesOf(workspace)).map(({ subject }) => subject),
    [
      "by hand\u00a0: l'envoi est suspendu",
      "by hand\u00a0: l'envoi a repris",
      "by hand\u00a0: l'envoi est suspendu",
    ],
  )
})

test('hand-offs of a campaign that are not counted yet count: no mail reports a suspension that is none', async () => {
  const workspace = await world.workspace('in flight')
  await workspace.setReputation({ handOffs: 100, bounces: 20, complaints: 0 })
  const id = service.makeId()
  await db.count(sql`
    insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at)
    values (${workspace.id}, ${id}, '', '', 'text', '{}', 'sending', facteur_now(), facteur_now())`)
  await db.count(sql`
    insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending, handed_over, counted)
    values (${workspace.id}, ${id}, ${id}, facteur_now(), 1000, 0, 900, 100)`)
  await notifySuspensionChange(service, workspace.id)
  assert.deepEqual(await noticesOf(workspace), [])
})

test('without a sender on a verified domain no mail can go: the log says so, and the announcement is recorded', async () => {
  const { workspace, complain } = await atTheBrink('no sender')
  await db.count(sql`delete from sender where workspace_id = ${workspace.id}`)
  await complain()
  assert.deepEqual(await noticesOf(workspace), [])
  assert.ok(
    announced.some((line) =>
      line.includes(`"workspaceId":${workspace.id},"cause":"suspended","mailed":false`),
    ),
  )
  assert.partialDeepStrictEqual(await sendingOf(workspace), { status: 'suspended' })
})
