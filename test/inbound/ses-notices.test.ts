/**
 * `POST /hooks/amazon-ses`: what Amazon SNS signed for a listed topic moves what it is about;
 * everything else changes nothing, and the log says why (security: SES notices).
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeCertificate, type CertificateOptions } from '../support/make-certificate.ts'
import { certificatePath, snsHost, topicArn, type Notice } from '../support/sns-stand-in.ts'
import { bounceOf, eventOf, startSesWorld } from './ses-world.ts'

const world = await startSesWorld()
const { sns } = world
const home = await world.workspace('ses-home')
const other = await world.workspace('ses-other')

/** Nothing is changed, and the log has a line with this reason. */
async function refuses(notice: Notice | string, why: RegExp, status = 403): Promise<void> {
  const before = await world.state()
  const from = world.logged.length
  assert.equal(await world.post(notice), status)
  assert.deepEqual(await world.state(), before)
  assert.match(world.logged.slice(from).join('\n'), why)
}

test('200: a genuine bounce changes its recipient, suppresses the address, and is stored', async () => {
  for (const SignatureVersion of ['1', '2']) {
    const { id, mail } = await world.mailOf(home)
    assert.equal(await world.post(sns.notice(bounceOf(mail), { SignatureVersion })), 200)
    assert.deepEqual(await world.row(home, id), {
      status: 'bounced',
      error: 'Permanent/NoEmail: smtp; 550 5.1.1 user unknown',
    })
  }
})

test('200: an envelope with a Subject, which is then part of what is signed', async () => {
  const { id, mail } = await world.mailOf(home)
  assert.equal(
    await world.post(
      sns.notice(bounceOf(mail), { Subject: 'Amazon SES Email Event Notification' }),
    ),
    200,
  )
  assert.equal((await world.row(home, id)).status, 'bounced')
})

test('200: with any content type', async () => {
  const { mail } = await world.mailOf(home)
  for (const type of ['application/json', 'no type at all', 'text/plain']) {
    const event = eventOf(mail, 'Delivery', { delivery: { timestamp: new Date().toISOString() } })
    assert.equal(await world.post(sns.notice(event), { 'content-type': type }), 200)
  }
})

const wrongly: Record<string, [change: (notice: Notice) => Notice, why: RegExp]> = {
  'a message that was changed after it was signed': [
    (notice) => ({ ...notice, Message: String(notice.Message).replace('Permanent', 'Transient') }),
    /signature does not match/,
  ],
  'a time that was changed after it was signed': [
    (notice) => ({ ...notice, Timestamp: new Date(Date.now() + 1000).toISOString() }),
    /signature does not match/,
  ],
  'an identifier that was changed after it was signed': [
    (notice) => ({ ...notice, MessageId: 'another' }),
    /signature does not match/,
  ],
  'a subject that was added after it was signed': [
    (notice) => ({ ...notice, Subject: 'Hello' }),
    /signature does not match/,
  ],
  'no signature': [(notice) => ({ ...notice, Signature: '' }), /no notice of Amazon SNS/],
  'a signature by another key': [
    (notice) => sns.signed(notice, makeCertificate()),
    /signature does not match/,
  ],
  'a signature of version 2 that says it is of version 1': [
    (notice) => ({ ...notice, SignatureVersion: '1' }),
    /signature does not match/,
  ],
  'a signature version that does not exist': [
    (notice) => sns.signed({ ...notice, SignatureVersion: '3' }),
    /signature is of an unknown version/,
  ],
  'a topic that is not listed': [
    (notice) => sns.signed({ ...notice, TopicArn: topicArn.replace('ses-news', 'other') }),
    /topic is on no list/,
  ],
  'a topic of the same name in another account': [
    (notice) =>
      sns.signed({ ...notice, TopicArn: topicArn.replace('123456789012', '210987654321') }),
    /topic is on no list/,
  ],
  'no JSON': [() => ({}), /no notice of Amazon SNS/],
  'a message that is no event of SES': [
    (notice) => sns.signed({ ...notice, Message: '{"eventType":"Bounce"}' }),
    /no event of Amazon SES/,
  ],
}
for (const [title, [change, why]] of Object.entries(wrongly)) {
  test(`403, nothing changes: ${title}`, async () => {
    const { mail } = await world.mailOf(home)
    await refuses(change(sns.notice(bounceOf(mail))), why)
  })
}

const foreignUrls = [
  `http://${snsHost}${certificatePath}`,
  `https://${snsHost}:444${certificatePath}`,
  `https://${snsHost}:443${certificatePath}`,
  `https://user@${snsHost}${certificatePath}`,
  `https://${snsHost}${certificatePath}?x=1`,
  `https://${snsHost}${certificatePath}#x`,
  `https://${snsHost}/x/..${certificatePath}`,
  `https://${snsHost}//${certificatePath}`,
  `https://${snsHost}/SimpleNotificationService-0a.pem`,
  `https://${snsHost}/SimpleNotificationService-${'0A'.repeat(16)}.pem`,
  `https://${snsHost}.evil.test${certificatePath}`,
  `https://evil.test${certificatePath}`,
  `https://evil.test/${snsHost}${certificatePath}`,
  `https://sns.us-east-1.amazonaws.com${certificatePath}`,
  `https://sns.eu-west-1.amazonaws.com.cn${certificatePath}`,
  `https://SNS.eu-west-1.amazonaws.com${certificatePath}`,
  `https://bucket.s3.eu-west-1.amazonaws.com${certificatePath}`,
  `https://127.0.0.1${certificatePath}`,
  'file:///etc/passwd',
  'not an address',
]
test('403, nothing changes and nothing is asked: a certificate anywhere but on the host and path of the topic', async () => {
  const { mail } = await world.mailOf(home)
  for (const SigningCertURL of foreignUrls) {
    const requested = sns.requests.length
    await refuses(
      sns.signed({ ...sns.notice(bounceOf(mail)), SigningCertURL }),
      /certificate is not at the address/,
    )
    assert.equal(sns.requests.length, requested, SigningCertURL)
  }
})

/** A certificate on the right host, under an address of its own, and notices that it signed. */
function elsewhere(digit: string, options: CertificateOptions) {
  const path = `/SimpleNotificationService-${digit.repeat(32)}.pem`
  const certificate = makeCertificate(options)
  sns.answers.set(path, { status: 200, body: certificate.pem })
  return (notice: Notice): Notice =>
    sns.signed({ ...notice, SigningCertURL: `https://${snsHost}${path}` }, certificate)
}
const dayMs = 86_400_000
const foreign: Record<string, [CertificateOptions, why: RegExp]> = {
  'of another name': [{ commonName: 'evil.test' }, /certificate is not one of Amazon SNS/],
  'of a name that only ends alike': [
    { commonName: 'sns.amazonaws.com.evil.test' },
    /certificate is not one of Amazon SNS/,
  ],
  'of another service': [
    { commonName: 'evil.s3.amazonaws.com' },
    /certificate is not one of Amazon SNS/,
  ],
  'that has expired': [{ to: new Date(Date.now() - dayMs) }, /certificate was not valid/],
  'that is not valid yet': [{ from: new Date(Date.now() + dayMs) }, /certificate was not valid/],
  'with another kind of key': [{ type: 'ec' }, /no RSA key/],
}
for (const [index, [title, [options, why]]] of Object.entries(foreign).entries()) {
  test(`403, nothing changes: a certificate ${title}`, async () => {
    const { mail } = await world.mailOf(home)
    await refuses(elsewhere(String(index), options)(sns.notice(bounceOf(mail))), why)
  })
}

test('a certificate of SNS under any of its names is one', async () => {
  const { mail } = await world.mailOf(home)
  for (const [digit, commonName] of [
    ['a', 'sns-signing.eu-south-1.amazonaws.com'],
    ['b', 'sns-us-gov-west-1.amazonaws.com'],
  ] as const) {
    assert.equal(
      await world.post(elsewhere(digit, { commonName })(sns.notice(eventOf(mail, 'Send')))),
      200,
    )
  }
})

test('503 while the certificate cannot be had; the same notice is taken when it comes again', async () => {
  const { id, mail } = await world.mailOf(home)
  const sign = elsewhere('c', {})
  const notice = sign(sns.notice(bounceOf(mail)))
  const path = `/SimpleNotificationService-${'c'.repeat(32)}.pem`
  const known = sns.answers.get(path)
  sns.answers.set(path, { status: 500, body: '' })
  await refuses(notice, /certificate was not fetched \(HTTP 500\)/, 503)
  if (known) sns.answers.set(path, known)
  assert.equal(await world.post(notice), 200)
  assert.equal((await world.row(home, id)).status, 'bounced')
})

test('nothing changes: a replay of a notice, also much later', async () => {
  const { mail } = await world.mailOf(home)
  const notice = sns.notice(
    eventOf(mail, 'Delivery', { delivery: { timestamp: new Date().toISOString() } }),
  )
  assert.equal(await world.post(notice), 200)
  await refuses(notice, /acted on before/, 200)
  const twins = Array.from({ length: 5 }, () =>
    world.post(sns.notice(bounceOf(mail), { MessageId: 'one-of-five' })),
  )
  assert.deepEqual(new Set(await Promise.all(twins)), new Set([200]))
  assert.equal(
    world.logged.filter((line) => line.includes('one-of-five') && line.includes('acted on before'))
      .length,
    4,
  )
})

test('403, nothing changes: older than two hours, and dated ahead of now', async () => {
  const { mail } = await world.mailOf(home)
  const hour = 3_600_000
  await refuses(
    sns.notice(bounceOf(mail), {
      Timestamp: new Date(Date.now() - 2 * hour - 60_000).toISOString(),
    }),
    /too old/,
  )
  await refuses(
    sns.notice(bounceOf(mail), { Timestamp: new Date(Date.now() + hour).toISOString() }),
    /dated ahead of now/,
  )
  assert.equal(
    await world.post(
      sns.notice(bounceOf(mail), {
        Timestamp: new Date(Date.now() - 2 * hour + 60_000).toISOString(),
      }),
    ),
    200,
  )
})

test('403, nothing changes: no tag, a tag of another recipient, one that was changed; the body names no victim', async () => {
  const { mail } = await world.mailOf(home)
  const tag = mail.tags['facteur-attempt'] ?? ''
  const tagged = (tags: Record<string, string>): Notice =>
    sns.notice(eventOf(mail, 'Delivery', { delivery: {} }, tags))
  await refuses(tagged({}), /no tag of ours/)
  await refuses(
    tagged({ 'facteur-attempt': tag.replace(`${home.id}_`, `${other.id}_`) }),
    /tag was not made by us/,
  )
  await refuses(tagged({ 'facteur-attempt': `${tag.slice(0, -1)}x` }), /tag was not made by us/)
})

test('403, nothing changes: 1,000 forged notices, without one question to Amazon', async () => {
  const { mail } = await world.mailOf(home)
  const before = await world.state()
  const requested = sns.requests.length
  const genuine = sns.notice(bounceOf(mail))
  for (let round = 0; round < 20; round++) {
    const forged = Array.from({ length: 50 }, (_, index) =>
      world.post({
        ...genuine,
        MessageId: `forged-${round}-${index}`,
        SigningCertURL: `https://${snsHost}${certificatePath}`,
      }),
    )
    assert.deepEqual(new Set(await Promise.all(forged)), new Set([403]))
  }
  assert.deepEqual(await world.state(), before)
  assert.equal(sns.requests.length, requested)
})

test('certificates at addresses of their own are asked for thirty times a minute, not more', async () => {
  const { mail } = await world.mailOf(home)
  const genuine = sns.notice(bounceOf(mail))
  const requested = sns.requests.length
  const statuses = new Set<number>()
  for (let number = 0; number < 60; number++) {
    const digits = number.toString(16).padStart(32, 'd')
    statuses.add(
      await world.post({
        ...genuine,
        SigningCertURL: `https://${snsHost}/SimpleNotificationService-${digits}.pem`,
      }),
    )
  }
  assert.ok(sns.requests.length - requested <= 30)
  assert.deepEqual(statuses, new Set([403, 503].filter((status) => statuses.has(status))))
  assert.ok(statuses.has(503))
  assert.equal(await world.post(genuine), 200, 'the known certificate needs no question')
})

test('413 and 200: a body of a megabyte is the longest', async () => {
  await refuses('x'.repeat(1024 * 1024 + 1), /too long/, 413)
  const { mail } = await world.mailOf(home)
  assert.equal(
    await world.post(sns.notice(eventOf(mail, 'Send', { send: {}, padding: 'é'.repeat(100_000) }))),
    200,
  )
})

test('404 or 405 for anything but POST', async () => {
  assert.equal((await fetch(`${world.baseUrl}/hooks/amazon-ses`)).status, 404)
})

after(() => assert.deepEqual(world.aws.forged, []))
