/**
 * The real program with Amazon SES by its settings: mail leaves by it, and its queue and its hook
 * are read.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDatabase } from '../support/database.ts'
import { ask, textAt } from '../support/ask.ts'
import { startAwsStandIn, testAccount } from '../support/aws-stand-in.ts'
import { at } from '../support/json.ts'
import { startProgram } from '../support/service.ts'
import { bounceOf } from '../inbound/ses-world.ts'
import { until } from '../support/until.ts'

const { url } = await freshDatabase()
const sessionToken = 'IQoJb3JpZ2luX2VjEPT//////////wEaCWV1LXdlc3QtMSJHMEUCIQ+/='

test('mail leaves by SES and bounces by a notice in the queue, also after a change of the provider', async (t) => {
  const aws = await startAwsStandIn()
  t.after(() => aws.close())
  const env = {
    ...{
      DATABASE_URL: url,
      FACTEUR_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
      FACTEUR_PROVIDER: 'amazon-ses',
    },
    ...{
      FACTEUR_SES_REGION: testAccount.region,
      FACTEUR_SES_ENDPOINT: aws.url,
      FACTEUR_SES_CONFIGURATION_SET: 'facteur',
    },
    FACTEUR_SES_ACCESS_KEY_ID: testAccount.credentials.accessKeyId,
    FACTEUR_SES_SECRET_ACCESS_KEY: testAccount.credentials.secretAccessKey,
    FACTEUR_SES_SESSION_TOKEN: sessionToken,
    FACTEUR_SES_QUEUE_URL: `${aws.url}/123456789012/facteur`,
  }
  const service = await startProgram(t, { env })
  await service.saying(/Authorization: Bearer \S+'/)
  const [, sender = ''] = /with the sender (\S+)\. Its/.exec(service.output()) ?? []
  const [, key = ''] = /Authorization: Bearer (\S+?)'/.exec(service.output()) ?? []
  const base = `http://127.0.0.1:${service.port}`
  const send = async (to: string): Promise<string> => {
    const email = { from: sender, to, subject: 'Bonjour', text: 'Bonjour' }
    return textAt(await ask(base, 'POST /api/v1/emails', { key, body: email }), 'id')
  }
  const id = await send('ada@example.com')
  const [mail] = aws.sent
  assert.ok(mail)
  assert.deepEqual(
    [mail.to, mail.configurationSet, aws.forged],
    [['ada@example.com'], 'facteur', []],
  )
  assert.equal(mail.sessionToken, sessionToken)
  aws.enqueue(JSON.stringify(bounceOf(mail)))
  const untilBounced = async (server: string, sent: string): Promise<void> => {
    const read = async (): Promise<unknown> =>
      at((await ask(server, `GET /api/v1/emails/${sent}`, { key })).body, 'status')
    await until(read, (observed) => observed === 'bounced')
  }
  await untilBounced(base, id)
  await until(() => aws.queue.size === 0)
  const hook = await fetch(`${base}/hooks/amazon-ses`, { method: 'POST', body: '{}' })
  assert.equal(hook.status, 403)
  await service.saying(/A notice was refused/)
  for (const secret of [testAccount.credentials.secretAccessKey, sessionToken])
    assert.ok(!service.output().includes(secret))

  const later = await send('grace@example.com')
  service.child.kill('SIGTERM')
  await service.ended
  const sent = aws.sent.at(-1)
  assert.ok(sent)
  aws.enqueue(JSON.stringify(bounceOf(sent)))
  const moved = await startProgram(t, { env: { ...env, FACTEUR_PROVIDER: 'local-capture' } })
  await moved.saying(/ready/)
  await untilBounced(`http://127.0.0.1:${moved.port}`, later)
})

for (const [env, message] of [
  [{ FACTEUR_PROVIDER: 'amazon-ses' }, /FACTEUR_SES_REGION: Amazon SES needs it/],
  [
    { FACTEUR_SES_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/x' },
    /FACTEUR_SES_REGION: Amazon SES needs it/,
  ],
  [{ FACTEUR_PROVIDER: 'smtp-relay' }, /FACTEUR_SMTP_URL has to name the relay/],
  [
    { FACTEUR_PROVIDER: 'pigeon' },
    /FACTEUR_PROVIDER is "pigeon": expected local-capture, smtp-relay, direct-mx, amazon-ses/,
  ],
] as const) {
  test(`refused in one line: ${JSON.stringify(env)}`, async (t) => {
    const service = await startProgram(t, { env: { DATABASE_URL: url, ...env } })
    assert.equal((await service.ended).code, 1)
    assert.match(service.output(), message)
  })
}
