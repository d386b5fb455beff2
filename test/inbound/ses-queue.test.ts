/**
 * Notices fetched from a queue of Amazon SQS: taken at any age, and deleted only after that is
 * committed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReceiveNotice } from '../../src/core/feedback/amazon-ses/receive-notice.ts'
import { receiveQueued } from '../../src/core/feedback/amazon-ses/receive-queued.ts'
import { sql } from '../../src/database/client/sql.ts'
import type { FeedbackSource } from '../../src/providers/providers.ts'
import { testAccount } from '../support/aws-stand-in.ts'
import { topicArn } from '../support/sns-stand-in.ts'
import { bounceOf, eventOf, startSesWorld } from './ses-world.ts'
import { until } from '../support/until.ts'

const world = await startSesWorld()
const { aws, sns } = world
const home = await world.workspace('ses-queue')
const other = await world.workspace('ses-queue-other')
const queueUrl = `${aws.url}/123456789012/news`
const sourceOf = (workspaceId: number | null, topics = [topicArn]): FeedbackSource => ({
  workspaceId,
  settings: {
    ...testAccount,
    ...{ endpoint: aws.url, configurationSet: null, topicArns: topics, queueUrl },
  },
})
const take = createReceiveNotice(world.service)
async function round(
  source = sourceOf(null),
  stopping = new AbortController().signal,
): Promise<string | null> {
  const started = await receiveQueued(world.service, {
    takeNotice: take,
    source,
    queueUrl,
    stopping,
  })
  return started.kind === 'failed' ? started.why : started.ended
}

test('an envelope of SNS and an event by itself (raw delivery) change their recipient, and are deleted', async () => {
  for (const wrap of [(event: object) => sns.notice(event), (event: object) => event]) {
    const { id, mail } = await world.mailOf(home)
    const receipt = aws.enqueue(JSON.stringify(wrap(bounceOf(mail))))
    assert.equal(await round(), null)
    assert.equal((await world.row(home, id)).status, 'bounced')
    assert.ok(aws.deleted.includes(receipt))
  }
  assert.deepEqual(aws.forged, [])
})

test('days old, and repeated by the queue: taken, once', async () => {
  const { id, mail } = await world.mailOf(home)
  const old = sns.notice(bounceOf(mail), {
    Timestamp: new Date(Date.now() - 3 * 86_400_000).toISOString(),
  })
  aws.enqueue(JSON.stringify(old))
  aws.enqueue(JSON.stringify(old))
  assert.equal(await round(), null)
  assert.equal((await world.row(home, id)).status, 'bounced')
  assert.equal(aws.queue.size, 0)
  const [stored] = await world.service.db.rows<{ count: number }>(sql`
    select count(*)::int as count from feedback where workspace_id = ${home.id} and message_id = ${id}`)
  assert.equal(stored?.count, 1)
})

test('a message that can never be used is logged and deleted: forged, of a topic that is not listed, no notice, without a tag', async () => {
  const { mail } = await world.mailOf(home)
  const before = await world.state()
  const notice = sns.notice(bounceOf(mail))
  const wrong: [body: unknown, why: RegExp, source?: FeedbackSource][] = [
    [{ ...notice, Message: '{}' }, /signature does not match/],
    [notice, /topic is on no list/, sourceOf(null, [`${topicArn}-other`])],
    ['hello', /no event of Amazon SES/],
    [eventOf(mail, 'Delivery', {}, {}), /no tag of ours/],
    [sns.confirmation(), /no subscription to confirm/],
    [bounceOf(mail), /account is that of another workspace/, sourceOf(other.id)],
    [notice, /account is that of another workspace/, sourceOf(other.id)],
  ]
  for (const [body, why, source] of wrong) {
    const from = world.logged.length
    const receipt = aws.enqueue(JSON.stringify(body))
    assert.equal(await round(source), null)
    assert.match(world.logged.slice(from).join('\n'), why)
    assert.ok(aws.deleted.includes(receipt))
  }
  assert.deepEqual(await world.state(), before)
})

test('a message that the database could not commit is not deleted, and is taken when it comes again', async () => {
  const { id, mail } = await world.mailOf(home)
  const receipt = aws.enqueue(JSON.stringify(bounceOf(mail)))
  await world.run('alter table ses_notice rename to ses_notice_away')
  assert.equal(await round(), null)
  assert.ok(aws.queue.has(receipt) && !aws.deleted.includes(receipt))
  assert.equal((await world.row(home, id)).status, 'sent')
  await world.run('alter table ses_notice_away rename to ses_notice')
  const waiting = aws.queue.get(receipt)
  if (waiting) waiting.hiddenUntilMs = 0
  assert.equal(await round(), null)
  assert.equal((await world.row(home, id)).status, 'bounced')
  assert.ok(aws.deleted.includes(receipt))
})

test('one that cannot be verified now stays, and the others of its round are taken', async () => {
  const { id, mail } = await world.mailOf(home)
  const path = `/SimpleNotificationService-${'e'.repeat(32)}.pem`
  sns.answers.set(path, { status: 500, body: '' })
  const stays = aws.enqueue(
    JSON.stringify({
      ...sns.notice(bounceOf(mail)),
      SigningCertURL: `https://sns.eu-west-1.amazonaws.com${path}`,
    }),
  )
  const goes = aws.enqueue(
    JSON.stringify(
      eventOf(mail, 'Delivery', { delivery: { timestamp: new Date().toISOString() } }),
    ),
  )
  assert.equal(await round(), null)
  assert.deepEqual([aws.queue.has(stays), aws.queue.has(goes)], [true, false])
  assert.equal((await world.row(home, id)).status, 'delivered')
  aws.queue.clear()
})

test('an envelope while no topic is listed stays in the queue, and is taken once it is', async () => {
  const { id, mail } = await world.mailOf(home)
  const receipt = aws.enqueue(JSON.stringify(sns.notice(bounceOf(mail))))
  const from = world.logged.length
  assert.equal(await round(sourceOf(null, [])), null)
  assert.match(world.logged.slice(from).join('\n'), /must be sent again .*no topic is listed/)
  const waiting = aws.queue.get(receipt)
  assert.ok(waiting)
  waiting.hiddenUntilMs = 0
  assert.equal(await round(), null)
  assert.equal((await world.row(home, id)).status, 'bounced')
})

test('the log has the refusal of a queue; one that has nothing is waited for, and let go when we stop', async () => {
  const keys = { ...testAccount.credentials, secretAccessKey: 'another' }
  const refused = { ...sourceOf(null), settings: { ...sourceOf(null).settings, credentials: keys } }
  assert.match((await round(refused)) ?? '', /InvalidSignatureException/)
  const stopping = new AbortController()
  const waiting = round(sourceOf(null), stopping.signal)
  stopping.abort()
  assert.match((await waiting) ?? '', /ABORTED/)
  aws.forged.length = 0
})

test('workers ask the queue by themselves', async () => {
  const working = await startSesWorld({ queueUrl }, { database: world.database, workers: true })
  const { id, mail } = await world.mailOf(home)
  aws.enqueue(JSON.stringify(bounceOf(mail)))
  await until(
    () => world.row(home, id),
    ({ status }) => status === 'bounced',
  )
  assert.equal(working.service.providers.of(home.id).reportsDelivery, true)
})
