/**
 * How we confirm to Amazon SNS that we want a topic's notices: by its own host alone, once, and for
 * listed topics alone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seenTopics } from '../../src/db/feedback/ses-notices.ts'
import { snsHost, topicArn, type Notice } from '../support/sns-stand-in.ts'
import { startSesWorld } from './ses-world.ts'

const world = await startSesWorld()
const { sns } = world
sns.answers.set('/', { status: 200, body: '<ConfirmSubscriptionResponse/>' })

const confirmedAt = async (): Promise<Date | null | undefined> =>
  (await seenTopics(world.service.db, [topicArn]))[0]?.confirmedAt
const requests = (): string[] => sns.requests.filter((path) => path.includes('Action='))

async function refuses(notice: Notice, why: RegExp): Promise<void> {
  const before = [await world.state(), requests().length]
  const from = world.logged.length
  assert.equal(await world.post(notice), 403)
  assert.deepEqual([await world.state(), requests().length], before)
  assert.match(world.logged.slice(from).join('\n'), why)
}

const query = `Action=ConfirmSubscription&TopicArn=${topicArn}&Token=${'a1b2'.repeat(20)}`
const elsewhere = [
  `https://evil.test/?${query}`,
  `https://${snsHost}.evil.test/?${query}`,
  `https://${snsHost}@evil.test/?${query}`,
  `https://user@${snsHost}/?${query}`,
  `http://${snsHost}/?${query}`,
  `https://${snsHost}:8443/?${query}`,
  `https://${snsHost}/other?${query}`,
  `https://sns.us-east-1.amazonaws.com/?${query}`,
  `https://${snsHost}/?${query.replace('ConfirmSubscription', 'DeleteTopic')}`,
  `https://${snsHost}/?${query}&Action=DeleteTopic`,
  `https://${snsHost}/?${query.replace('ses-news', 'other')}`,
  `https://${snsHost}/?${query.replace('a1b2', 'ffff')}`,
  'file:///etc/passwd',
]
test('403, nothing is requested: a SubscribeURL that leads anywhere but to the confirmation of this topic', async () => {
  for (const SubscribeURL of elsewhere)
    await refuses(sns.confirmation({ SubscribeURL }), /SubscribeURL does not lead to Amazon SNS/)
})

test('403, nothing is requested: forged, of another topic, too old', async () => {
  await refuses({ ...sns.confirmation(), Token: 'changed' }, /signature does not match/)
  await refuses(
    sns.confirmation({ TopicArn: topicArn.replace('ses-news', 'other') }),
    /topic is on no list/,
  )
  await refuses(
    sns.confirmation({ Timestamp: new Date(Date.now() - 3 * 3_600_000).toISOString() }),
    /too old/,
  )
})

test('503 while Amazon does not confirm; 200 when it does, by one request; a replay requests nothing', async () => {
  const notice = sns.confirmation()
  sns.answers.set('/', { status: 500, body: '' })
  assert.equal(await world.post(notice), 503)
  assert.equal(await confirmedAt(), undefined)
  sns.answers.set('/', { status: 200, body: '<ConfirmSubscriptionResponse/>' })
  assert.equal(await world.post(notice), 200)
  assert.ok(await confirmedAt())
  const before = requests().length
  assert.equal(requests().at(-1), `/?${query}`)
  assert.equal(await world.post(notice), 200)
  assert.equal(requests().length, before)
})

test('200: the end of a subscription is stored and logged, and not undone', async () => {
  const before = requests().length
  assert.equal(await world.post(sns.confirmation({ Type: 'UnsubscribeConfirmation' })), 200)
  assert.equal(requests().length, before)
  assert.equal(await confirmedAt(), null)
  assert.match(world.logged.join('\n'), /subscription to a topic ended/)
})
