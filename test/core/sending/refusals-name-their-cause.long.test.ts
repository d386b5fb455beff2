/**
 * Every refusal that names its cause, said by a mail server on a real socket, ends at the sentence
 * that mends it: at the message, the campaign and the domain.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { readSesEvent } from '../../../src/core/feedback/amazon-ses/read-ses-event.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { cleanUp } from '../../../src/entrypoints/workers/clean-up.ts'
import { texts } from '../../../src/ground/texts/texts.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { callVerb } from '../../support/call-verb.ts'
import { addSubscribers, draftOf, recipientsOf, send } from '../../support/campaign-world.ts'
import { refusalReplies } from '../../support/refusal-replies.ts'
import { replies, sentenceOf } from '../../support/refusal-sentences.ts'
import {
  accepted,
  handedOver,
  ledgerRow,
  read,
  startRelayWorld,
} from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

const world = await startRelayWorld({
  workers: true,
  settings: { heloName: 'mail.sender.example' },
})
const { service } = world

/** The final dot of the n-th of `person<n>@…` is answered so. */
const answerEach = (output: (n: number) => string | undefined): void =>
  world.answer(({ phase, line }) =>
    phase === 'dot' ? output(Number(/person(\d+)@/.exec(line)?.[1] ?? 0)) : undefined,
  )

const startCampaign = async (workspace: TestWorkspace, recipients: number): Promise<string> => {
  await addSubscribers(world, workspace, recipients, workspace.domain)
  const id = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, id)).status, 202)
  return id
}

test('each reply: the page of the mail, of the campaign and of the domain say whose rule it is and what mends it; nobody is suppressed', async () => {
  const workspace = await world.workspace('every reply')
  answerEach((n) => replies[n - 1]?.text)
  const id = await startCampaign(workspace, replies.length)
  const rows = await until(
    () => recipientsOf(world, workspace, id),
    (all) => all.every(({ attempts, state }) => attempts > 0 && state !== 'leased'),
  )
  const subscribers = await service.db.rows<{ id: string; email: string }>(
    sql`select subscriber_id as id, email from campaign_recipient where workspace_id = ${workspace.id} and campaign_id = ${id}`,
  )
  assert.equal(rows.length, replies.length)
  for (const [at, { id: cause, text }] of replies.entries()) {
    const subscriber = subscribers.find(
      ({ email }) => email === `person${at + 1}@${workspace.domain}`,
    )
    const mail = await callVerb(service, workspace.id, 'getMessage', {
      params: { id: `${id}.${subscriber?.id}` },
    })
    const [recipient] = mail.recipients
    assert.equal(recipient?.refusal?.cause, cause, text)
    assert.equal(
      recipient?.refusal?.what,
      sentenceOf(cause, { text, domain: workspace.domain }),
      text,
    )
    assert.ok(recipient.refusal.next.length > 20)
    assert.ok(
      !/\{\{|\{ip\}|\{domain\}/.test(JSON.stringify(recipient.refusal)),
      JSON.stringify(recipient.refusal),
    )
  }
  const counts = new Map<string, number>()
  for (const { id: cause } of replies) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  const { refusals, pauseReason } = await callVerb(service, workspace.id, 'getCampaignRun', {
    params: { id },
  })
  assert.equal(pauseReason, null, 'they share no cause')
  assert.equal(refusals.length, 10)
  for (const { cause, count } of refusals) assert.equal(count, counts.get(cause), cause)
  const { data } = await callVerb(service, workspace.id, 'listRefusals', {
    params: { name: workspace.domain },
  })
  assert.deepEqual(
    new Map(data.map(({ cause, count }) => [cause, count])),
    new Map([...counts].toSorted()),
  )
  assert.deepEqual(
    [...new Set(data.map(({ requirement }) => requirement))].toSorted(),
    Object.keys(texts.en.refusals.what).toSorted(),
    'every requirement with a sentence is among them',
  )
  const [{ suppressed } = { suppressed: null }] = await service.db.rows<{ suppressed: number }>(
    sql`select count(*)::int as suppressed from suppression where workspace_id = ${workspace.id}`,
  )
  assert.equal(suppressed, 0)
})

const unauthenticated = refusalReplies['gmail_spf']?.[1] ?? ''

test('a reply to an attempt, a returned mail and a notice of Amazon SES: one cause, one sentence, the same counts', async () => {
  const workspace = await world.workspace('three ways')
  world.answer(undefined)
  const byDsn = await handedOver(world, workspace, { to: 'dsn@example.com' })
  const bySes = await handedOver(world, workspace, { to: 'ses@example.com' })
  await recordFeedback(service, {
    workspaceId: workspace.id,
    feedback: [
      {
        ...{
          source: 'dsn',
          sourceId: 'dsn 1',
          target: { messageId: byDsn, position: 0 },
          kind: 'bounced',
        },
        ...{ code: '5.7.27', detail: `smtp; ${unauthenticated}`, at: null },
      },
    ],
  })
  const event = readSesEvent({
    eventType: 'Bounce',
    mail: { messageId: 'ses-1', timestamp: '2026-11-26T20:00:00.000Z' },
    bounce: {
      bounceType: 'Permanent',
      bounceSubType: 'General',
      bouncedRecipients: [{ status: '5.7.27', diagnosticCode: `smtp; ${unauthenticated}` }],
    },
  })
  assert.ok(event?.kind === 'feedback')
  await recordFeedback(service, {
    workspaceId: workspace.id,
    feedback: [
      { source: 'amazon-ses', target: { messageId: bySes, position: 0 }, ...event.feedback },
    ],
  })
  world.answer(({ phase, line }) =>
    phase === 'dot' && line.includes('smtp@') ? unauthenticated : undefined,
  )
  // Two recipients: the call is not refused as a whole.
  const bySmtp = await handedOver(world, workspace, {
    to: ['smtp@example.com', 'other@example.com'],
  })
  world.answer(undefined)
  const pages = await Promise.all(
    [byDsn, bySes, bySmtp].map((id) =>
      callVerb(service, workspace.id, 'getMessage', { params: { id } }),
    ),
  )
  const [first, ...others] = pages.map(({ recipients }) => recipients[0]?.refusal)
  assert.partialDeepStrictEqual(first, {
    cause: 'gmail_spf',
    provider: 'Gmail',
    requirement: 'spf',
    what: `Gmail refuses mail of ${workspace.domain} because SPF does not allow 192.0.2.25 to send it.`,
  })
  for (const other of others) assert.deepEqual(other, first)
  assert.partialDeepStrictEqual(await read(world, workspace, bySes), {
    status: 'failed',
    recipients: [
      { bounce: 'policy', refusal: { cause: 'gmail_spf', provider: 'Gmail', requirement: 'spf' } },
    ],
  })
  const { data } = await callVerb(service, workspace.id, 'listRefusals', {
    params: { name: workspace.domain },
  })
  assert.partialDeepStrictEqual(data, [{ cause: 'gmail_spf', count: 3 }])
  assert.equal(data.length, 1)
  assert.ok(data[0]?.last_at)
})

test('a temporary refusal is explained while it is tried again, and counts once', async () => {
  const workspace = await world.workspace('tried again')
  const [deferred = ''] = refusalReplies['yahoo_deferred'] ?? []
  world.answer(({ phase }) => (phase === 'dot' ? deferred : undefined))
  const id = await handedOver(world, workspace, {})
  assert.partialDeepStrictEqual(await read(world, workspace, id), {
    status: 'queued',
    recipients: [
      { refusal: { cause: 'yahoo_deferred', provider: 'Yahoo', requirement: 'spam_rate' } },
    ],
  })
  await world.moveClock('2 minutes')
  await until(
    () => ledgerRow(world, workspace, id),
    ({ attempts, state }) => attempts > 1 && state === 'pending',
  )
  const { data } = await callVerb(service, workspace.id, 'listRefusals', {
    params: { name: workspace.domain },
  })
  assert.deepEqual(
    data.map(({ cause, count }) => [cause, count]),
    [['yahoo_deferred', 1]],
  )
  world.answer(undefined)
})

test('the records that mend it are those of the domain, as they should be; found ones are said to be found', async () => {
  const workspace = await world.workspace('records')
  const domain = await callVerb(service, workspace.id, 'addDomain', {
    body: { name: 'news.example' },
  })
  await world.run(
    `update domain set status = 'verified', verified_by = 'operator' where workspace_id = ${workspace.id}`,
  )
  const dkim = domain.records.find(({ purpose, required }) => purpose === 'dkim' && required)
  assert.ok(dkim)
  const [reply = ''] = refusalReplies['gmail_dkim'] ?? []
  world.answer(({ phase, line }) =>
    phase === 'dot' && line.includes('refused@') ? reply.replace('421 4.', '550 5.') : undefined,
  )
  const refusedOf = async (id: string) =>
    (await callVerb(service, workspace.id, 'getMessage', { params: { id } })).recipients.find(
      ({ email }) => email.startsWith('refused'),
    )?.refusal
  const to = ['refused@example.com', 'other@example.com']
  const id = await accepted(world, workspace, { from: 'hello@news.example', to })
  const explained = () => until(() => refusedOf(id))
  assert.partialDeepStrictEqual(await explained(), {
    next: 'Publish the DKIM record, then check the domain.',
    records: [{ type: 'TXT', name: dkim.name, value: dkim.value }],
  })
  await world.run(
    `insert into dns_record (workspace_id, domain, name, type, purpose, status, found, checked_at, in_use, misses)
     values (${workspace.id}, 'news.example', '${dkim.name}', 'TXT', 'dkim', 'found', '{}', facteur_now(), true, 0)`,
  )
  assert.match(
    (await explained())?.next ?? '',
    /^At its last check Facteur found the record in DNS\./,
  )
  const [noName = ''] = refusalReplies['gmail_ptr'] ?? []
  world.answer(({ phase, line }) =>
    phase === 'dot' && line.includes('refused@') ? noName : undefined,
  )
  const other = await accepted(world, workspace, { to })
  assert.deepEqual((await until(() => refusedOf(other))).records, [
    { type: 'PTR', name: '25.2.0.192.in-addr.arpa', value: 'mail.sender.example' },
    { type: 'A', name: 'mail.sender.example', value: '192.0.2.25' },
  ])
  const ofIpv6 = noName.replaceAll('192.0.2.25', '2001:db8::25')
  world.answer(({ phase, line }) =>
    phase === 'dot' && line.includes('refused@') ? ofIpv6 : undefined,
  )
  const last = await accepted(world, workspace, { to })
  assert.deepEqual((await until(() => refusedOf(last))).records, [
    {
      type: 'PTR',
      name: `5.2.${'0.'.repeat(22)}8.b.d.0.1.0.0.2.ip6.arpa`,
      value: 'mail.sender.example',
    },
    { type: 'AAAA', name: 'mail.sender.example', value: '2001:db8::25' },
  ])
  world.answer(undefined)
})

test('counts are deleted after a month, and those of another workspace are not shown', async () => {
  const workspace = await world.workspace('a month later')
  const other = await world.workspace('another')
  const insert = (id: number, days: number) =>
    world.run(
      `insert into refusal_day (workspace_id, day, domain, cause, refusals, last_at)
       values (${id}, (facteur_now() at time zone 'utc')::date - ${days}, '${workspace.domain}', 'gmail_spf', 1, facteur_now())`,
    )
  await insert(workspace.id, 0)
  await insert(workspace.id, 29)
  await insert(workspace.id, 30)
  await insert(workspace.id, 31)
  await insert(other.id, 0)
  const { data } = await callVerb(service, workspace.id, 'listRefusals', {
    params: { name: workspace.domain },
  })
  assert.deepEqual(
    data.map(({ count }) => count),
    [2],
  )
  await assert.rejects(
    callVerb(service, other.id, 'listRefusals', { params: { name: workspace.domain } }),
    { code: 'not_found' },
  )
  await cleanUp(service, new AbortController().signal)
  const [{ left } = { left: null }] = await service.db.rows<{ left: number }>(
    sql`select count(*)::int as left from refusal_day where workspace_id = ${workspace.id}`,
  )
  assert.equal(left, 3)
})
