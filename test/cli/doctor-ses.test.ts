/**
 * The findings of the doctor about Amazon SES: whether it lets us send, how fast, and whether
 * notices can be lost.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { insertSesTopic } from '../../src/db/feedback/ses-notices.ts'
import { checkNotices } from '../../src/providers/amazon-ses/check-notices.ts'
import { checkSes } from '../../src/providers/amazon-ses/check-ses.ts'
import type { Check } from '../../src/entrypoints/cli/doctor/check.ts'
import { createOutbound } from '../../src/ground/outbound/create-outbound.ts'
import { subnetList, loopbackRanges } from '../../src/ground/outbound/check-address.ts'
import type { SesSettings } from '../../src/providers/amazon-ses/ses-settings.ts'
import { startAwsStandIn, testAccount } from '../support/aws-stand-in.ts'
import { freshDatabase } from '../support/database.ts'
import { at } from '../support/json.ts'
import { topicArn } from '../support/sns-stand-in.ts'
import { createOperator } from './facteur.ts'

const aws = await startAwsStandIn()
const { url, connection: db } = await freshDatabase()
const outbound = createOutbound({
  allowed: subnetList(loopbackRanges),
  allowsRanges: true,
  userAgent: 'test',
})
after(async () => {
  await outbound.close()
  await aws.close()
})
const settings: SesSettings = {
  ...testAccount,
  endpoint: aws.url,
  configurationSet: null,
  topicArns: [topicArn],
  queueUrl: null,
}
const variables = { topicArns: 'FACTEUR_SES_TOPIC_ARN', queueUrl: 'FACTEUR_SES_QUEUE_URL' }
const parts = { db, outbound, clock: systemClock, signal: new AbortController().signal }

const account = (changes: object, ratePerSecond: number | null = 14): Promise<Check> => {
  aws.account = {
    ...{ SendingEnabled: true, ProductionAccessEnabled: true },
    SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 12 },
    ...changes,
  }
  return checkSes(settings, { ...parts, ratePerSecond, rateSetting: 'FACTEUR_RATE_PER_SECOND=' })
}
const news = (
  changes: Partial<SesSettings>,
  baseUrl = 'https://mail.example.com',
): Promise<Check> =>
  checkNotices(
    { ...settings, ...changes },
    { ...parts, baseUrl, nameOf: (setting) => variables[setting as keyof typeof variables] },
  )

function says(check: Check, status: Check['status'], message: RegExp, next: RegExp | null): void {
  assert.equal(check.status, status, check.message)
  assert.match(check.message, message)
  if (next === null) assert.equal(check.next, null)
  else assert.match(check.next ?? '', next)
}

test('the account: whether it may send, how fast, how much is left; and the causes that stop it', async () => {
  says(await account({}), 'ok', /takes 14 a second, 49 988 of 50 000 left in 24 hours/, null)
  says(await account({}, null), 'warning', /more would be asked/, /FACTEUR_RATE_PER_SECOND=14/)
  says(await account({}, 100), 'warning', /more would be asked/, /FACTEUR_RATE_PER_SECOND=14/)
  says(
    await account({ ProductionAccessEnabled: false }),
    'warning',
    /in the sandbox/,
    /production access/,
  )
  const spent = { Max24HourSend: 200, MaxSendRate: 14, SentLast24Hours: 200 }
  says(await account({ SendQuota: spent }), 'warning', /0 of 200 left/, /quota/)
  says(
    await account({ SendingEnabled: false, EnforcementStatus: 'SHUTDOWN' }),
    'problem',
    /does not let.*SHUTDOWN/,
    /console/,
  )
  const wrong = {
    ...settings,
    credentials: { ...settings.credentials, secretAccessKey: 'another' },
  }
  const refused = await checkSes(wrong, { ...parts, ratePerSecond: null, rateSetting: '' })
  says(refused, 'problem', /InvalidSignatureException/, /ses:GetAccount/)
  const away = await checkSes(
    { ...settings, endpoint: 'http://127.0.0.1:1' },
    { ...parts, ratePerSecond: null, rateSetting: '' },
  )
  says(away, 'problem', /ECONNREFUSED/, /region, the endpoint/)
})

test('notices: no way, an HTTP address that SNS cannot use, no confirmed subscription, and notices that are lost while we are away', async () => {
  says(
    await news({ topicArns: [] }),
    'warning',
    /silence counts as delivery/,
    /FACTEUR_SES_QUEUE_URL/,
  )
  for (const baseUrl of [
    'http://mail.example.com',
    'https://127.0.0.1:3025',
    'http://127.0.0.1:3025',
  ])
    says(await news({}, baseUrl), 'warning', /cannot deliver.*lost/, /Amazon SQS/)
  says(
    await news({}),
    'warning',
    /no confirmed subscription of arn.*lost/,
    /https:\/\/mail\.example\.com\/hooks\/amazon-ses/,
  )
  await insertSesTopic(db, topicArn, true)
  says(
    await news({}),
    'warning',
    /subscribed; last notice.*while the service is away.*lost/,
    /Amazon SQS/,
  )
  await insertSesTopic(db, topicArn, false)
  says(await news({}), 'warning', /no confirmed subscription/, /hooks/)
})

test('notices in a queue: it answers, and how many wait; or why not', async () => {
  const queueUrl = `${aws.url}/123456789012/news`
  aws.enqueue('one')
  says(await news({ queueUrl }), 'ok', /the queue answers; 1 wait/, null)
  says(
    await news({ queueUrl, topicArns: [] }),
    'warning',
    /only raw message delivery/,
    /FACTEUR_SES_TOPIC_ARN/,
  )
  const wrong = { ...settings.credentials, secretAccessKey: 'another' }
  says(
    await news({ queueUrl, credentials: wrong }),
    'problem',
    /InvalidSignature/,
    /sqs:ReceiveMessage/,
  )
})

test('facteur doctor reports both beside the rest; a setting that is missing by its name', async () => {
  await account({})
  const env = {
    ...{
      DATABASE_URL: url,
      FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      FACTEUR_PROVIDER: 'amazon-ses',
    },
    ...{
      FACTEUR_SES_ACCESS_KEY_ID: settings.credentials.accessKeyId,
      FACTEUR_SES_ENDPOINT: aws.url,
    },
    ...{
      FACTEUR_SES_SECRET_ACCESS_KEY: settings.credentials.secretAccessKey,
      FACTEUR_SES_TOPIC_ARN: topicArn,
    },
  }
  const checks = async (more: Record<string, string>): Promise<unknown[]> => {
    const output = await createOperator({ ...env, ...more }).run(['doctor', '--json'])
    const result = at(JSON.parse(output.stdout.toString()), 'checks')
    assert.ok(Array.isArray(result), output.stderr)
    return result.filter((check) => ['provider', 'notices'].includes(String(at(check, 'name'))))
  }
  const [good, bad] = await Promise.all([checks({ FACTEUR_SES_REGION: 'eu-west-1' }), checks({})])
  assert.deepEqual(
    good.map((check) => [at(check, 'name'), at(check, 'status')]),
    [
      ['provider', 'warning'],
      ['notices', 'warning'],
    ],
  )
  assert.partialDeepStrictEqual(bad, [
    {
      status: 'problem',
      message: 'FACTEUR_SES_REGION: Amazon SES needs it',
      next: 'Mend FACTEUR_SES_REGION.',
    },
  ])
})
