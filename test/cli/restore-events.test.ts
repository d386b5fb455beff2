/**
 * `facteur restore events`: a log of webhook calls gives back what a restored backup cannot know.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { splitObjects } from '../../src/core/restore/split-objects.ts'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { addSubscribers, draftOf, recipientsOf, send } from '../support/campaign-world.ts'
import { runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { until } from '../support/until.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({ workers: false })
const { url } = api.database
const workspace = await api.workspace('acme', { monthlyQuota: 1_000 })
const operator = createOperator({
  DATABASE_URL: url,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
})
const folder = makeTemporaryFolder('events')
const inASecond = (): string => new Date(Date.now() + 1_000).toISOString()
const rows = async (statement: string): Promise<Record<string, unknown>[]> =>
  (await runOn(url, statement)).rows

const receiver = await startReceiver()
await operator.json([
  'webhook',
  'create',
  '--workspace',
  'acme',
  '--events',
  'email.sent',
  receiver.url,
])

let events = 0
const event = (type: string, data: object, createdAt = new Date().toISOString()): object => ({
  id: `evt_019aa5a17f007c319a5e3b1f${String(++events).padStart(8, '0')}`,
  ...{ type, created_at: createdAt, data },
})
const ofMail = (id: string, recipient: string) => ({
  email_id: id,
  from: `hello@${workspace.domain}`,
  recipient,
  campaign_id: null,
})
const ofCampaign = (id: string, n: number) => ({
  ...{
    email_id: null,
    from: `hello@${workspace.domain}`,
    recipient: `person${n}@example.com`,
    campaign_id: id,
  },
  subscriber_id: `01990000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
})
function fileOf(lines: unknown[], name = 'events.ndjson'): string {
  const path = join(folder, name)
  writeFileSync(
    path,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  )
  return path
}
const read = (path: string): Promise<unknown> =>
  operator.json(['restore', 'events', '--workspace', 'acme', path])

const withheld = { mails: ['', ''], sending: '', scheduled: '' }

test('refused before a restore', async () => {
  await operator.refused(
    ['restore', 'events', '--workspace', 'acme', fileOf([event('email.sent', ofMail('', ''))])],
    {
      ...{ code: 'refused', exit: 1, message: /was never restored/ },
    },
  )
})

test('mail that a file names as sent counts as sent, addresses are suppressed again, a second run changes nothing', async () => {
  await addSubscribers(api, workspace, 4)
  withheld.mails = [await mail('ada@example.com'), await mail('bob@example.com')]
  withheld.sending = await draftOf(api, workspace)
  withheld.scheduled = await draftOf(api, workspace)
  assert.equal((await send(api, workspace, withheld.sending)).status, 202)
  await operator.json([
    'campaign',
    'schedule',
    '--workspace',
    'acme',
    withheld.scheduled,
    '--scheduled-at',
    inASecond(),
  ])
  await operator.json(['restore', 'hold', '--yes'])

  const path = fileOf([
    event('email.sent', ofMail(withheld.mails[0] ?? '', 'Ada@example.com')),
    event('email.delivered', ofMail(withheld.mails[0] ?? '', 'ada@example.com')),
    event('email.sent', ofCampaign(withheld.sending, 1)),
    event('email.bounced', ofCampaign(withheld.sending, 2)),
    event('email.sent', ofCampaign(withheld.scheduled, 1)),
    event(
      'email.complained',
      ofMail('019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40', 'unknown@example.com'),
    ),
    event('subscriber.unsubscribed', { email: 'Person4@example.com', reason: 'unsubscribe' }),
    event(
      'email.sent',
      ofMail(withheld.mails[1] ?? '', 'bob@example.com'),
      '2020-01-01T00:00:00.000Z',
    ),
    event('email.sent', { test: true }),
    'not JSON at all',
    '{"id":"evt_1","type":"email.sent",',
    {
      object: 'list',
      data: [
        event('suppression.created', {
          email: 'bob@example.org',
          reason: 'manual',
          scope: 'organization',
        }),
      ],
    },
  ])
  const taken = await read(path)
  assert.partialDeepStrictEqual(taken, {
    ...{
      events: 9,
      older_than_backup: 1,
      mails: 1,
      campaign_recipients: 2,
      begun_campaigns: 1,
      suppressed: 4,
      refused: 2,
    },
    reasons: ['line 10: no whole JSON object', 'line 11: no whole JSON object'],
  })
  assert.deepEqual(await rows(`select email, reason, source_id from suppression order by email`), [
    { email: 'bob@example.org', reason: 'manual', source_id: null },
    { email: 'person2@example.com', reason: 'bounce', source_id: withheld.sending },
    { email: 'person4@example.com', reason: 'unsubscribe', source_id: null },
    {
      email: 'unknown@example.com',
      reason: 'complaint',
      source_id: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
    },
  ])
  assert.partialDeepStrictEqual(await read(path), {
    mails: 0,
    campaign_recipients: 0,
    suppressed: 0,
    suppressed_before: 4,
  })
  const statuses = (await recipientsOf(api, workspace, withheld.sending)).map(
    ({ state, status }) => `${state} ${status}`,
  )
  assert.deepEqual(statuses, [
    'settled sent',
    'settled bounced',
    'pending queued',
    'settled suppressed',
  ])
  const [mails] = await rows(
    `select status, sent_at is not null as sent from recipient where message_id = '${withheld.mails[0]}'`,
  )
  assert.deepEqual(mails, { status: 'delivered', sent: true })
})

test('review lists what is known as sent; released, the rest leaves and nothing of that', async () => {
  const review = await operator.json(['restore', 'review'])
  assert.partialDeepStrictEqual(at(review, 'data', '0'), { slug: 'acme', mails: 1, known_sent: 3 })
  assert.match(
    await operator.text(['restore', 'review']),
    /acme: 1 mail, .*; 3 more are known as sent, and release leaves them out/,
  )
  assert.match(
    await operator.text(['restore', 'review']),
    /was scheduled for .*; mail of it has left since, so it stays a draft/,
  )
  await operator.json(['restore', 'release', '--all', '--yes'])
  await startApi({ database: api.database })
  await until(
    async () =>
      (await rows(`select 1 from campaign where id = '${withheld.sending}' and status = 'sent'`))
        .length === 1,
  )
  await until(async () => (await captured()).length >= 2)
  assert.deepEqual(await captured(), ['bob@example.com', 'person3@example.com'])
  const calls = await receiver.received(2)
  assert.deepEqual(
    calls.map(({ body }) => at(JSON.parse(body), 'data', 'recipient')).toSorted(),
    await captured(),
  )
  assert.deepEqual(await rows(`select status from campaign where id = '${withheld.scheduled}'`), [
    { status: 'draft' },
  ])
  assert.deepEqual(
    await rows(`select recipients, sent, failed, suppressed, pending, in_doubt from campaign_run`),
    [{ recipients: 4, sent: 3, failed: 0, suppressed: 1, pending: 0, in_doubt: 0 }],
  )
  assert.deepEqual(at(await operator.json(['restore', 'review']), 'data'), [])
  assert.equal((await rows(`select 1 from audit_log where act = 'restore.events_read'`)).length, 2)
})

test('a file of another workspace, and one without events, change nothing', async () => {
  const before = await rows('select count(*) from suppression')
  const other = { ...ofMail(withheld.mails[0] ?? '', 'x@example.com'), from: 'hello@other.test' }
  const lines = [
    event('email.bounced', ofMail(withheld.mails[1] ?? '', 'y@example.com')),
    event('email.bounced', other),
  ]
  await operator.refused(['restore', 'events', '--workspace', 'acme', fileOf(lines)], {
    ...{
      code: 'failed',
      exit: 1,
      message: /^Line 2 .* is about mail from other\.test, which is no domain of this workspace/,
    },
  })
  await operator.refused(['restore', 'events', '--workspace', 'acme', fileOf(['nothing'])], {
    ...{ code: 'failed', exit: 1, message: /holds no event \(line 1: no whole JSON object\)/ },
  })
  assert.deepEqual(await rows('select count(*) from suppression'), before)
})

test('objects of a file: lines, arrays, printed over several lines, cut into any pieces; a damaged one costs no other', async () => {
  const objects = ['{"a":"}{\\"","b":{"c":[{}]}}', '{"é":1}', '{}']
  const expected = objects.map((text) => text)
  const result = async (text: string, size: number): Promise<(string | null)[]> => {
    const bytes = Buffer.from(text)
    async function* pieces(): AsyncGenerator<Buffer> {
      for (let from = 0; from < bytes.length; from += size)
        yield await Promise.resolve(bytes.subarray(from, from + size))
    }
    const texts: (string | null)[] = []
    for await (const object of splitObjects(pieces())) texts.push(object.text)
    return texts
  }
  for (const size of [1, 2, 3, 1_000]) {
    assert.deepEqual(await result(objects.join('\n'), size), expected)
    assert.deepEqual(await result(`\ufeff[${objects.join(', ')}]\r\n`, size), expected)
    assert.deepEqual(await result('{\n "a": {\n  "b": 1\n }\n}\n{"c":2}', size), [
      '{\n "a": {\n  "b": 1\n }\n}',
      '{"c":2}',
    ])
    assert.deepEqual(await result(`{"a":"x\n{"b":1}\noops oops\n{"c":`, size), [
      null,
      '{"b":1}',
      null,
      null,
    ])
  }
})

async function mail(to: string): Promise<string> {
  const body = {
    from: `hello@${workspace.domain}`,
    to,
    subject: 'Hello',
    text: 'It works.',
    scheduled_at: inASecond(),
  }
  const answer = await ask(api.baseUrl, 'POST /api/v1/emails', { key: workspace.key, body })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return textAt(answer, 'id')
}

const captured = async (): Promise<unknown[]> =>
  (await rows('select recipient from captured_mail order by recipient')).map(
    ({ recipient }) => recipient,
  )
