/**
 * Workspaces whose own providers hang block only their own slots; mail of other workspaces leaves.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setProvider } from '../../src/core/workspaces/set-provider.ts'
import { sql } from '../../src/database/client/sql.ts'
import { createSlots } from '../../src/entrypoints/workers/slots.ts'
import { localCaptureChoice } from '../../src/providers/local-capture/local-capture-kind.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { startAwsStandIn, testAccount } from '../support/aws-stand-in.ts'
import { addSubscribers, draftOf, send, untilCampaign } from '../support/campaign-world.ts'
import { until } from '../support/until.ts'

/**
 * One for each kind: accounts of one address share its connections, and who waits for one too long
 * goes back.
 */
const [aws, aside, partly] = [
  await startAwsStandIn(),
  await startAwsStandIn(),
  await startAwsStandIn(),
]
for (const awsStandIn of [aws, aside, partly]) {
  awsStandIn.answer(() => 'hang')
  after(() => awsStandIn.close())
}
// Four of the eight slots are a provider's own, for any use by others.
partly.answer(({ to }) => (/^person[1-4]@/.test(to[0] ?? '') ? 'hang' : undefined))
const api = await startApi({ choice: localCaptureChoice })
const { secretAccessKey, accessKeyId } = testAccount.credentials

/** Workspaces, each with an account of its own that never answers. */
async function hungOnes(
  name: string,
  count: number,
  { url }: { url: string },
): Promise<TestWorkspace[]> {
  const created = await Promise.all(
    Array.from({ length: count }, (_, index) => api.workspace(`${name}-${index}`)),
  )
  const texts = {
    region: testAccount.region,
    accessKeyId,
    endpoint: url,
    configurationSet: null,
    topicArns: null,
    queueUrl: null,
  }
  for (const { id: workspaceId } of created) {
    const stored = { type: 'amazon-ses', ratePerSecond: null, settings: texts } as const
    await setProvider(api.service, {
      secrets: api.service.secrets,
      workspaceId,
      stored,
      secret: secretAccessKey,
    })
  }
  for (const { id } of created)
    await until(() => api.service.providers.of(id).name === 'amazon-ses')
  return created
}

/** One message to so many, left to the workers. */
async function waiting({ domain, key, id }: TestWorkspace, recipients: number): Promise<void> {
  const to = Array.from({ length: recipients }, (_, index) => `ada${index}@example.com`)
  const email = {
    from: `hello@${domain}`,
    to,
    subject: 'x',
    text: 'x',
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  }
  assertAnswered(await ask(api.baseUrl, 'POST /api/v1/emails', { key, body: email }), 202)
  await api.run(`update recipient set next_at = facteur_now() where workspace_id = ${id}`)
  await api.run(
    `update due set next_at = facteur_now() where workspace_id = ${id} and lane = 'transactional'`,
  )
}

const [many, campaigning] = [
  await hungOnes('hung', 11, aws),
  await hungOnes('campaigning', 8, aside),
]
const [half] = await hungOnes('half', 1, partly)
const [sound, quick] = [await api.workspace('sound'), await api.workspace('quick')]
for (const workspace of many) await waiting(workspace, 50)
/** How many of its recipients have got their mail. */
async function left({ id }: TestWorkspace): Promise<number> {
  const [row] = await api.service.db.rows<{ left: number }>(sql`
    select count(*)::int as left from recipient where workspace_id = ${id} and status in ('sent', 'delivered')`)
  return row?.left ?? 0
}

test('eleven hung accounts hold all that a process may: mail of others leaves all the same', async () => {
  await until(() => api.service.sending.leasedCount() >= 512)
  await waiting(sound, 50)
  await until(
    () => left(sound),
    (observed) => observed >= 50,
  )
  assert.ok(api.service.sending.leasedCount() >= 512)
})

test('one that hangs with all bytes of mail that a process may hold leaves each other provider some', () => {
  const slots = createSlots(api.service, 64_000)
  const [hung, other] = [slots.of(many[0]?.id ?? 0), slots.of(quick.id)]
  assert.ok(hung.retainBytes(100_000))
  assert.deepEqual([hung.bytesFree(), hung.free(), hung.retainBytes(1)], [0, 0, false])
  assert.equal(other.bytesFree(), 1_000)
  assert.ok(other.free() > 0 && other.retainBytes(5_000))
  assert.equal(other.retainBytes(1), false)
  other.releaseBytes(5_000)
  assert.equal(other.bytesFree(), 1_000)
})

test('campaigns of eight more are on their way and hang: that of another is sent', async () => {
  const started: string[] = []
  for (const workspace of [...campaigning, quick]) {
    await addSubscribers(api, workspace, 5)
    const id = await draftOf(api, workspace)
    assertAnswered(await send(api, workspace, id), 202)
    started.push(id)
    if (workspace !== quick)
      await until(
        () => api.service.sending.leasedCount((isWorkspace) => isWorkspace === workspace.id) >= 5,
      )
  }
  await untilCampaign(api, quick, started.at(-1) ?? '', ({ status }) => status === 'sent')
})

test('a campaign that hangs with half of its slots sends to all other recipients', async () => {
  assert.ok(half)
  await addSubscribers(api, half, 40)
  const id = await draftOf(api, half)
  assertAnswered(await send(api, half, id), 202)
  await untilCampaign(api, half, id, ({ sent }) => sent === 36)
  // The service learns of the last commit a moment after the database shows it.
  await until(() => api.service.sending.leasedCount((isWorkspace) => isWorkspace === half.id) === 4)
})
