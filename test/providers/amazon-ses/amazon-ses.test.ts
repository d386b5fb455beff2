/** Amazon SES keeps a provider's promises, and what it answers becomes the right outcome. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../../src/ground/clock.ts'
import { createOutbound } from '../../../src/ground/outbound/create-outbound.ts'
import { subnetList, loopbackRanges } from '../../../src/ground/outbound/check-address.ts'
import { createAmazonSes } from '../../../src/providers/amazon-ses/amazon-ses.ts'
import { createAttemptTags } from '../../../src/providers/amazon-ses/attempt-tag.ts'
import { queueRegion } from '../../../src/providers/amazon-ses/queue.ts'
import type { SesSettings } from '../../../src/providers/amazon-ses/ses-settings.ts'
import type { Envelope, Outcome, Provider } from '../../../src/providers/provider.ts'
import {
  startAwsStandIn,
  testAccount,
  type AwsStandIn,
  type ScriptedAnswer,
} from '../../support/aws-stand-in.ts'
import { freePort } from '../../support/free-port.ts'
import { testProvider } from '../conformance.ts'
import { until } from '../../support/until.ts'

const outbound = createOutbound({
  allowed: subnetList(loopbackRanges),
  allowsRanges: true,
  userAgent: 'test',
})
const tags = createAttemptTags(Buffer.alloc(32, 7))
const settings = (endpoint: string): SesSettings => ({
  ...testAccount,
  ...{ endpoint, configurationSet: 'facteur', topicArns: [], queueUrl: null },
})
const providerOf = (endpoint: string): Provider =>
  createAmazonSes({ clock: systemClock, outbound, tags, settings: settings(endpoint) })
const shared = await startAwsStandIn()
after(async () => {
  await outbound.close()
  await shared.close()
})

testProvider('amazon-ses', async () => {
  const aws = await startAwsStandIn()
  let silent = 0
  const slowly = Promise.withResolvers<void>()
  aws.answer(({ to: [recipient = ''] }) => {
    if (recipient.startsWith('policy@'))
      return { status: 400, type: 'MessageRejected', body: { message: 'Virus found' } }
    if (recipient.startsWith('deferred@')) return { status: 429, type: 'TooManyRequestsException' }
    if (recipient.startsWith('slow@')) return { status: 200, after: slowly.promise }
    if (!recipient.startsWith('silent@')) return undefined
    silent++
    return 'hang'
  })
  return {
    provider: providerOf(aws.url),
    deliveredTo: (recipient) =>
      recipient.startsWith('silent@')
        ? silent
        : aws.sent.filter((mail) => mail.to.includes(recipient)).length,
    recipients: {
      accepted: 'accepted@example.test',
      policy: 'policy@example.test',
      deferred: 'deferred@example.test',
      slow: 'slow@example.test',
      silent: 'silent@example.test',
    },
    wakeSlow: () => slowly.resolve(),
    async stop() {
      assert.deepEqual(aws.forged, [])
      await aws.close()
    },
  }
})

const envelope: Envelope = {
  ...{ workspaceId: 42, reference: '01890000-0000-7000-8000-000000000001/3', attempt: 2 },
  ...{
    returnPath: 'hello@demo.test',
    fromDomain: 'demo.test',
    recipient: 'ada@example.test',
    utf8: false,
  },
  bytes: Buffer.from(
    'From: hello@demo.test\r\nTo: others@example.test\r\nSubject: é\r\n\r\nBonjour\r\n',
  ),
}
const freeLease = { mayProceed: () => true, mayPassDot: () => true }

async function outcomeOf(
  aws: AwsStandIn,
  answer: ScriptedAnswer | undefined,
  changes: Partial<Envelope> = {},
): Promise<Outcome> {
  aws.answer(() => answer)
  const provider = providerOf(aws.url)
  const outcome = await provider.handOff({ ...envelope, ...changes }, freeLease)
  await provider.close(0)
  return outcome
}

test('the message goes whole and to its envelope alone, with our tag and the configuration set, and its answer is stored', async () => {
  const outcome = await outcomeOf(shared, undefined)
  const mail = shared.sent.at(-1)
  assert.deepEqual(outcome, { kind: 'accepted', response: `200 ${mail?.messageId}` })
  assert.deepEqual(mail?.to, ['ada@example.test'])
  assert.deepEqual(mail.raw, envelope.bytes)
  assert.equal(mail.configurationSet, 'facteur')
  assert.deepEqual(shared.forged, [])
  const tag = mail.tags['facteur-attempt'] ?? ''
  assert.match(tag, /^[\w-]{1,256}$/)
  const target = { messageId: '01890000-0000-7000-8000-000000000001', position: 3 }
  assert.deepEqual(tags.read(tag), { workspaceId: 42, target, attempt: 2 })
})

test('a tag that was changed anywhere, or made under another key, is none of ours', () => {
  const tag = tags.make({
    ...envelope,
    bulk: true,
    reference: `${'a'.repeat(8)}-0000-7000-8000-000000000001/01890000-0000-7000-8000-000000000002`,
  })
  assert.ok(tags.read(tag))
  for (let at = 0; at < tag.length; at++) {
    const other = tag[at] === '1' ? '2' : '1'
    const changed = tag.slice(0, at) + other + tag.slice(at + 1)
    assert.equal(tags.read(changed), null, changed)
  }
  assert.equal(createAttemptTags(Buffer.alloc(32, 8)).read(tag), null)
  assert.equal(tags.read(`${tag} `), null)
  const alike = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
    (last) => tag.slice(0, -1) + last,
  )
  assert.deepEqual(
    alike.filter((text) => tags.read(text) !== null),
    [tag],
  )
})

type Answers = [said: ScriptedAnswer, kind: Outcome['kind'], more?: object]
const answers: Record<string, Answers> = {
  MessageRejected: [{ status: 400, type: 'MessageRejected' }, 'refused', { reason: 'policy' }],
  BadRequestException: [
    { status: 400, type: 'BadRequestException' },
    'refused',
    { reason: 'other' },
  ],
  'too large': [{ status: 413, body: '' }, 'refused', { reason: 'other' }],
  TooManyRequestsException: [
    { status: 429, type: 'TooManyRequestsException' },
    'deferred',
    { slower: true },
  ],
  Throttling: [{ status: 400, type: 'Throttling' }, 'deferred', { slower: true }],
  LimitExceededException: [
    { status: 400, type: 'LimitExceededException' },
    'deferred',
    { slower: true },
  ],
  ServiceUnavailable: [{ status: 503, type: 'ServiceUnavailable' }, 'deferred', { slower: true }],
  AccountSuspendedException: [
    { status: 400, type: 'AccountSuspendedException' },
    'deferred',
    { slower: false },
  ],
  SendingPausedException: [
    { status: 400, type: 'SendingPausedException' },
    'deferred',
    { slower: false },
  ],
  MailFromDomainNotVerifiedException: [
    { status: 400, type: 'MailFromDomainNotVerifiedException' },
    'deferred',
    { slower: false },
  ],
  NotFoundException: [{ status: 404, type: 'NotFoundException' }, 'deferred', { slower: false }],
  'keys that are not accepted': [
    { status: 403, type: 'UnrecognizedClientException' },
    'deferred',
    { slower: false },
  ],
  'an error that nobody knows': [
    { status: 400, type: 'NewException' },
    'deferred',
    { slower: false },
  ],
  InternalFailure: [{ status: 500, type: 'InternalFailure' }, 'deferred', { slower: false }],
  'a gateway that lost its service': [
    { status: 504, body: '<html>' },
    'in_doubt',
    { phase: 'dot' },
  ],
  'a gateway that says it is down': [{ status: 503, body: '<html>' }, 'deferred', { slower: true }],
  'a redirect': [{ status: 301, body: '' }, 'deferred', { slower: false }],
  'success without a MessageId': [{ status: 200, body: '<html>' }, 'in_doubt', { phase: 'dot' }],
  'the connection is lost before the answer': ['cut', 'in_doubt', { phase: 'dot' }],
}
for (const [title, [answer, kind, more]] of Object.entries(answers)) {
  test(`${kind}: ${title}`, async () => {
    const outcome = await outcomeOf(shared, answer)
    assert.partialDeepStrictEqual(outcome, { kind, ...more })
    if (typeof answer === 'object' && answer.type !== undefined)
      assert.match(JSON.stringify(outcome), new RegExp(answer.type))
  })
}

test('returned: fifty calls are under way, and more come at the same time than there are places', async () => {
  shared.answer(() => 'hang')
  const [requests, provider] = [shared.callCount, providerOf(shared.url)]
  const outcomes = Promise.all(
    Array.from({ length: 60 }, () => provider.handOff(envelope, freeLease)),
  )
  assert.equal(provider.free(), 0)
  await until(() => shared.callCount >= requests + 50)
  await provider.close(0)
  const kinds = Map.groupBy(await outcomes, ({ kind }) => kind)
  assert.deepEqual(
    [shared.callCount - requests, kinds.get('in_doubt')?.length, kinds.get('returned')?.length],
    [50, 50, 10],
  )
})

test('the error stands in the body, as older services say it: understood alike', async () => {
  const answer = {
    status: 400,
    body: {
      __type: 'com.amazonaws.sesv2#MessageRejected',
      message: 'Email address is not verified.',
    },
  }
  assert.partialDeepStrictEqual(await outcomeOf(shared, answer), {
    ...{
      kind: 'refused',
      reason: 'policy',
      response: 'MessageRejected: Email address is not verified.',
    },
  })
})

test('deferred: no listener, or the certificate is not of the host: nothing was written', async () => {
  for (const url of [`http://127.0.0.1:${await freePort()}`, shared.url.replace('http', 'https')]) {
    const provider = providerOf(url)
    const outcome = await provider.handOff(envelope, freeLease)
    assert.partialDeepStrictEqual(outcome, { kind: 'deferred', phase: 'dial', slower: false })
    await provider.close(0)
  }
})

test('refused: letters beyond ASCII before the @, which SES does not take', async () => {
  const requested = shared.callCount
  assert.partialDeepStrictEqual(
    await outcomeOf(shared, undefined, { recipient: 'é@example.test', utf8: true }),
    {
      kind: 'refused',
      reason: 'other',
    },
  )
  assert.equal(shared.callCount, requested)
})

test('returned: the lease ends while a connection is opened, and nothing is written', async () => {
  let requested = 0
  const before = shared.callCount
  const provider = providerOf(shared.url)
  const outcome = await provider.handOff(envelope, {
    mayProceed: () => ++requested < 2,
    mayPassDot: () => true,
  })
  assert.partialDeepStrictEqual(outcome, { kind: 'returned' })
  assert.deepEqual([requested, shared.callCount], [2, before])
  await provider.close(0)
})

test('a queue is asked in its own region, which its host names', () => {
  for (const [host, region] of [
    ['sqs.us-east-1.amazonaws.com', 'us-east-1'],
    ['sqs.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['vpce-0a1b.sqs.ap-southeast-2.vpce.amazonaws.com', 'ap-southeast-2'],
    ['127.0.0.1:9324', 'eu-west-1'],
    ['queue.example.com', 'eu-west-1'],
  ] as const)
    assert.equal(
      queueRegion({ queueUrl: `https://${host}/123456789012/news`, region: 'eu-west-1' }),
      region,
    )
})
