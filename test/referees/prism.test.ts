/**
 * Prism, another project's reader of OpenAPI, stands between a caller and the service and finds
 * nothing that our description does not say.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { ErrorCode } from '../../src/contract/errors.ts'
import { asJson, exampleOf, plainSchema } from '../../src/contract/json-schema.ts'
import { openApi } from '../../src/contract/openapi.ts'
import { errorsOf } from '../../src/contract/operation-errors.ts'
import { operationIds, operations, type OperationId } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { allScopes } from '../../src/contract/scopes.ts'
import { startApi } from '../support/api.ts'
import {
  ask,
  assertAnswered,
  assertRefused,
  textAt,
  type Answer,
  type Requested,
} from '../support/ask.ts'
import { freePort } from '../support/free-port.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

const nothing = () => undefined
const api = await startApi({
  log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
})
const proxy = await startPrism(api.baseUrl)
const receiver = await startReceiver()
const shop = await api.workspace('shop')

interface Violation {
  location: string[]
  message: string
}

/**
 * The violations that Prism found in an answer; those of our deliberately bad requests do not
 * count.
 */
function violationsOf({ headers }: Answer): Violation[] {
  const matches: Violation[] = JSON.parse(headers.get('sl-violations') ?? '[]')
  return matches.filter(({ location }) => location[0] === 'response')
}

/** Runs Prism until the file ends; answers its address. */
async function startPrism(upstream: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'facteur-prism-'))
  const description = join(folder, 'openapi.json')
  await writeFile(description, JSON.stringify(openApi(upstream)))
  const port = await freePort()
  const cli = join(import.meta.dirname, '../../node_modules/@stoplight/prism-cli/dist/index.js')
  const child = spawn(process.execPath, [
    cli,
    'proxy',
    description,
    upstream,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
  ])
  after(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await rm(folder, { recursive: true })
  })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    const listen = (piece: Buffer): void => {
      output += piece.toString()
      if (output.includes('Prism is listening')) resolve()
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.on('exit', () => reject(new Error(output)))
  })
  return `http://127.0.0.1:${port}`
}

/**
 * Every kind of answer that the calls have met, such as `sendEmail 202` or `sendEmail
 * quota_exceeded`.
 */
const met = new Set<string>()

/** One call of an operation through the proxy, with nothing to say against its answer. */
async function walk(
  id: OperationId,
  request: Requested & {
    id?: string
    email?: string
    deliveryId?: string
    name?: string
    query?: string
  },
): Promise<Answer> {
  const { method, path } = operations[id]
  const filled = path
    .replace('{id}', request.id ?? '')
    .replace('{deliveryId}', request.deliveryId ?? '')
    .replace('{email}', encodeURIComponent(request.email ?? ''))
    .replace('{name}', request.name ?? '')
  const answer = await ask(proxy, `${method} ${filled}${request.query ?? ''}`, {
    key: shop.key,
    ...request,
  })
  assert.deepEqual(violationsOf(answer), [], `${id} ${answer.status}`)
  met.add(`${id} ${answer.status < 400 ? answer.status : textAt(answer, 'name')}`)
  return answer
}

async function walkInto(
  code: ErrorCode,
  id: OperationId,
  request: Parameters<typeof walk>[1],
): Promise<void> {
  assertRefused(await walk(id, request), code)
}

const mail = {
  from: 'Boutique <hello@shop.test>',
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
}
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString()
const schedule = async (): Promise<string> =>
  textAt(await walk('sendEmail', { body: { ...mail, scheduled_at: inAnHour() } }), 'id')

const apiIds = operationIds.filter((id) => operations[id].entry === 'api')
const operationOf = (id: OperationId): Operation => operations[id]
const keyedIds = apiIds.filter((id) => operationOf(id).scope !== 'none')
/** The contract's own example of a call. */
const exampleCall = (id: OperationId) => {
  const { body } = operationOf(id)
  return {
    id: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
    deliveryId: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e41',
    email: 'nobody@example.com',
    name: 'shop.test',
    ...(body && { body: exampleOf(plainSchema(body)) }),
    // It deletes nothing without a filter.
    ...(id === 'deleteCapturedMails' && { query: '?to=nobody%40example.com' }),
  }
}

test('no violation: messages are sent in every form, read in every state, moved, cancelled and listed', async () => {
  const full = {
    ...mail,
    to: ['camille@example.com', 'Inès <ines@example.com>'],
    cc: 'cc@example.com',
    bcc: ['bcc@example.com'],
    html: '<p>Bonjour</p>',
    replyTo: 'answers@example.com',
    headers: { 'X-Order': '1042' },
    tags: [{ name: 'order', value: '1042' }],
    attachments: [{ filename: 'a.txt', content: 'AAAA' }],
  }
  const sent = textAt(
    await walk('sendEmail', { body: full, headers: { 'idempotency-key': 'walk' } }),
    'id',
  )
  const replay = await walk('sendEmail', { body: full, headers: { 'idempotency-key': 'walk' } })
  assert.equal(replay.headers.get('idempotent-replay'), 'true')
  assertAnswered(await walk('getEmail', { id: sent }), 200)
  assertAnswered(await walk('sendEmailBatch', { body: [mail, full] }), 202)
  for (const word of ['delivered', 'bounced', 'complained', 'failed', 'deferred']) {
    const id = textAt(
      await walk('sendEmail', { body: { ...mail, to: `${word}@simulator.test` } }),
      'id',
    )
    if (word !== 'deferred') await shop.capturedMails(id, 1)
    assertAnswered(await walk('getEmail', { id }), 200)
  }
  const waiting = await schedule()
  assertAnswered(
    await walk('updateEmail', { id: waiting, body: { scheduled_at: inAnHour() } }),
    200,
  )
  assertAnswered(await walk('getEmail', { id: waiting }), 200)
  assertAnswered(await walk('cancelEmail', { id: waiting }), 200)
  assertAnswered(await walk('getEmail', { id: waiting }), 200)
  assertAnswered(await walk('listEmails', {}), 200)
  assertAnswered(
    await walk('listEmails', { query: '?limit=2&tag=order&recipient=camille%40example.com' }),
    200,
  )
})

test('no violation: the account with and without a limit, suppression, the map', async () => {
  const limited = await api.workspace('limited', { monthlyQuota: 10 })
  assertAnswered(await walk('getAccount', {}), 200)
  assertAnswered(await walk('getAccount', { key: limited.key }), 200)
  assertAnswered(
    await walk('addSuppression', { body: { email: 'gone@example.com', reason: 'complaint' } }),
    201,
  )
  await api.suppressOnPlatform('gone@example.com')
  assertAnswered(await walk('listSuppression', {}), 200)
  assertAnswered(await walk('listSuppression', { query: '?email=gone%40example.com' }), 200)
  assertAnswered(await walk('getApiMap', {}), 200)
})

test('no violation: subscribers are added, changed, read and removed', async () => {
  const ines = {
    email: 'ines@example.com',
    firstName: 'Inès',
    tags: ['vip'],
    fields: { city: 'Paris' },
  }
  assertAnswered(await walk('addSubscriber', { body: { ...ines, double_opt_in: false } }), 201)
  assertAnswered(
    await walk('addSubscriber', { body: { email: ines.email, lastName: 'Durand' } }),
    200,
  )
  assertAnswered(await walk('addSubscriber', { body: { email: 'waits@example.com' } }), 201)
  const headers = { 'idempotency-key': 'batch' }
  const batch = [ines, { email: 'new@example.com', double_opt_in: false }, { email: 'nobody' }]
  assertAnswered(await walk('addSubscriberBatch', { body: batch, headers }), 200)
  const again = await walk('addSubscriberBatch', { body: batch, headers })
  assert.equal(again.headers.get('idempotent-replay'), 'true')
  await walkInto('idempotency_key_reused', 'addSubscriberBatch', { body: [ines], headers })
  await walkInto('validation_error', 'addSubscriberBatch', { body: [] })
  const file = { csv: 'email\nfile@example.com\n', double_opt_in: true }
  const keyed = { headers: { 'idempotency-key': 'file' } }
  const started = await walk('createSubscriberImport', { body: file, ...keyed })
  assertAnswered(started, 202)
  const restarted = await walk('createSubscriberImport', { body: file, ...keyed })
  assert.equal(restarted.headers.get('idempotent-replay'), 'true')
  await walkInto('idempotency_key_reused', 'createSubscriberImport', {
    ...{ body: { ...file, name: 'other.csv' }, ...keyed },
  })
  assertAnswered(await walk('getSubscriberImport', { id: textAt(started, 'id') }), 200)
  assertAnswered(await walk('listSubscriberImports', { query: '?limit=10' }), 200)
  assertAnswered(await walk('getSubscriber', { email: ines.email }), 200)
  assertAnswered(await walk('listSubscribers', { query: '?status=pending&q=waits' }), 200)
  assertAnswered(await walk('removeSubscriber', { email: 'waits@example.com' }), 200)
})

test('no violation: campaigns are written, sent, read with their statistics and listed', async () => {
  const write = { name: 'News', subject: 'News', from: 'Boutique <hello@shop.test>' }
  const blocks = [{ type: 'button', text: 'Read', href: 'https://example.com/' }]
  const id = textAt(await walk('createCampaign', { body: { ...write, content: blocks } }), 'id')
  assertAnswered(await walk('getCampaign', { id }), 200)
  assertAnswered(await walk('getCampaignStats', { id }), 200)
  assertAnswered(await walk('sendCampaign', { id }), 202)
  assertAnswered(await walk('getCampaign', { id }), 200)
  assertAnswered(await walk('getCampaignStats', { id }), 200)
  await walkInto('conflict', 'sendCampaign', { id })
  assertAnswered(await walk('listCampaigns', { query: '?limit=1' }), 200)
})

/** A workspace with a draft, and with a subscriber who confirmed by a click. */
async function withDraft(name: string, options: { monthlyQuota?: number } = {}) {
  const workspace = await api.workspace(name, options)
  const { key } = workspace
  const body = { email: 'reader@example.com', double_opt_in: false }
  assertAnswered(await walk('addSubscriber', { key, body }), 201)
  await api.run(
    `update subscriber set confirmed_at = created_at where workspace_id = ${workspace.id}`,
  )
  const news = { name: 'News', subject: 'News', text: 'News' }
  return { workspace, key, id: textAt(await walk('createCampaign', { key, body: news }), 'id') }
}
const reader = { to: 'reader@example.com' }

test('no violation: drafts are changed, copied, checked, tested, scheduled, deleted; a campaign is cancelled', async () => {
  const { key, id } = await withDraft('drafts')
  const scheduledAt = inAnHour()
  assertAnswered(await walk('updateCampaign', { key, id, body: { subject: 'Soon' } }), 200)
  assertAnswered(await walk('duplicateCampaign', { key, id, body: { name: 'Again' } }), 201)
  assertAnswered(await walk('preflightDraft', { key, id }), 200)
  assertAnswered(await walk('sendDraftTest', { key, id, body: reader }), 202)
  assertAnswered(await walk('scheduleCampaign', { key, id, body: { scheduledAt } }), 200)
  await walkInto('conflict', 'updateCampaign', { key, id, body: { subject: 'Late' } })
  await walkInto('conflict', 'deleteCampaign', { key, id })
  await walkInto('conflict', 'cancelCampaign', { key, id })
  assertAnswered(await walk('unscheduleCampaign', { key, id }), 200)
  await walkInto('conflict', 'unscheduleCampaign', { key, id })
  assertAnswered(await walk('deleteCampaign', { key, id }), 200)
  const { key: another, id: unfinished, workspace } = await withDraft('unfinished')
  await api.run(`update campaign set unfinished = true where id = '${unfinished}'`)
  for (const operation of ['preflightDraft', 'sendDraftTest'] as const)
    await walkInto('conflict', operation, {
      ...{ key: another, id: unfinished },
      ...(operation === 'sendDraftTest' && { body: reader }),
    })
  await api.run(`update campaign set unfinished = false where id = '${unfinished}'`)
  await api.run(
    `update campaign set status = 'sending', sent_at = now() where id = '${unfinished}'`,
  )
  await api.run(`insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending, sent, failed, suppressed, in_doubt)
    values (${workspace.id}, '${unfinished}', '${unfinished}', facteur_now(), 0, 0, 0, 0, 0, 0)`)
  await walkInto('conflict', 'scheduleCampaign', {
    ...{ key: another, id: unfinished, body: { scheduledAt } },
  })
  assertAnswered(await walk('cancelCampaign', { key: another, id: unfinished }), 200)
})

test('no violation: the refusals of drafts', async () => {
  const { key, id, workspace } = await withDraft('refusals')
  const absent = { key, id: 'x' }
  await walkInto('not_found', 'updateCampaign', { ...absent, body: { subject: 's' } })
  await walkInto('not_found', 'deleteCampaign', absent)
  await walkInto('not_found', 'duplicateCampaign', { ...absent, body: {} })
  await walkInto('not_found', 'preflightDraft', absent)
  await walkInto('not_found', 'sendDraftTest', { ...absent, body: reader })
  await walkInto('not_found', 'scheduleCampaign', { ...absent, body: { scheduledAt: inAnHour() } })
  await walkInto('not_found', 'unscheduleCampaign', absent)
  await walkInto('not_found', 'cancelCampaign', absent)
  await walkInto('validation_error', 'updateCampaign', { key, id, body: { subject: '' } })
  await walkInto('validation_error', 'duplicateCampaign', { key, id, body: { name: '' } })
  await walkInto('validation_error', 'scheduleCampaign', { key, id, body: {} })
  await walkInto('validation_error', 'sendDraftTest', { key, id, body: { to: 'x@example.com' } })
  await walkInto('unverified_from_domain', 'updateCampaign', {
    ...{ key, id, body: { from: 'x@elsewhere.test' } },
  })
  await workspace.suppress('reader@example.com', 'manual')
  await api.run(`update subscriber set status = 'subscribed' where workspace_id = ${workspace.id}`)
  await walkInto('suppressed_recipient', 'sendDraftTest', { key, id, body: reader })
  await workspace.setReputation({ handOffs: 1000, bounces: 900, complaints: 0 })
  await walkInto('reputation_blocked', 'sendDraftTest', { key, id, body: reader })
  await api.run(`update domain set status = 'pending' where workspace_id = ${workspace.id}`)
  await walkInto('unverified_from_domain', 'sendDraftTest', { key, id, body: reader })
  const none = await withDraft('none', { monthlyQuota: 0 })
  await walkInto('quota_exceeded', 'sendDraftTest', { key: none.key, id: none.id, body: reader })
})

test('no violation: webhooks are made, changed, tried, replayed and removed, and events are read', async () => {
  const expected = { url: receiver.url, events: ['email.sent', 'email.delivered'] }
  const id = textAt(await walk('createWebhook', { body: expected }), 'id')
  assertAnswered(await walk('getWebhook', { id }), 200)
  assertAnswered(await walk('listWebhooks', {}), 200)
  const nowhere = '00000000-0000-4000-8000-000000000000'
  assertRefused(await walk('listWebhooks', { query: `?after=${nowhere}` }), 'validation_error')
  assertAnswered(await walk('updateWebhook', { id, body: { name: 'shop', enabled: true } }), 200)
  assertAnswered(await walk('rotateWebhookSecret', { id, query: '?overlap_hours=1' }), 200)
  const deliveryId = textAt(await walk('testWebhook', { id }), 'delivery_id')
  receiver.answer = (_request, response) => void response.writeHead(500).end('no')
  assertAnswered(await walk('replayWebhookDelivery', { id, deliveryId }), 200)
  assertAnswered(await walk('testWebhook', { id }), 200)
  assertAnswered(await walk('listWebhookDeliveries', { id }), 200)
  assertAnswered(
    await walk('replayWebhookEvents', { id, body: { from: '2026-01-01T00:00:00Z', only: 'all' } }),
    202,
  )
  assertAnswered(await walk('listEvents', { query: '?limit=2' }), 200)
  assertAnswered(await walk('deleteWebhook', { id }), 200)
})

test('no violation: the refusals that a key meets, on every operation', async () => {
  const revoked = await shop.makeKey(allScopes)
  await shop.revokeKey(revoked)
  const slow = await api.workspace('slow', { ratePerMinute: 1 })
  for (const id of keyedIds) {
    const { scope } = operationOf(id)
    const call = exampleCall(id)
    assertRefused(await walk(id, { ...call, headers: { authorization: '' } }), 'invalid_api_key')
    await walkInto('invalid_api_key', id, { ...call, key: api.unknownKey(shop) })
    await walkInto('revoked_api_key', id, { ...call, key: revoked })
    if (scope !== null)
      await walkInto('insufficient_scope', id, {
        ...call,
        key: await shop.makeKey(allScopes.filter((known) => known !== scope)),
      })
    const key = await slow.makeKey(allScopes)
    assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key }), 200)
    await walkInto('rate_limit_exceeded', id, { ...call, key })
  }
})

test('no violation: the refusals of each operation by itself', async () => {
  await walkInto('validation_error', 'listEmails', { query: '?limit=101' })
  await walkInto('validation_error', 'listEmails', { query: '?cursor=x' })
  await walkInto('validation_error', 'listSuppression', { query: '?limit=0' })
  await walkInto('validation_error', 'addSuppression', { body: { email: 'nobody' } })
  await walkInto('validation_error', 'updateEmail', {
    id: await schedule(),
    body: { scheduled_at: 'tomorrow' },
  })
  await walkInto('not_found', 'getEmail', { id: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40' })
  await walkInto('not_found', 'updateEmail', { id: 'x', body: { scheduled_at: inAnHour() } })
  await walkInto('not_found', 'cancelEmail', { id: 'x' })
  const gone = await schedule()
  await walk('cancelEmail', { id: gone })
  await walkInto('conflict', 'cancelEmail', { id: gone })
  await walkInto('conflict', 'updateEmail', { id: gone, body: { scheduled_at: inAnHour() } })

  for (const id of ['getCampaign', 'getCampaignStats', 'sendCampaign'] as const)
    await walkInto('not_found', id, { id: 'x' })
  const news = { name: 'News', subject: 'News', text: 'News' }
  await walkInto('validation_error', 'listCampaigns', { query: '?status=none' })
  await walkInto('validation_error', 'createCampaign', {
    body: { ...news, text: null, content: [{ type: 'video' }] },
  })
  await walkInto('unverified_from_domain', 'createCampaign', {
    body: { ...news, from: 'x@elsewhere.test' },
  })
  await walkInto('not_found', 'createCampaign', { body: { ...news, from: 'x@shop.test' } })
  const lonely = await api.workspace('lonely')
  const nobodys = textAt(await walk('createCampaign', { key: lonely.key, body: news }), 'id')
  await walkInto('validation_error', 'sendCampaign', { key: lonely.key, id: nobodys })
  await api.run(`update domain set status = 'pending' where workspace_id = ${lonely.id}`)
  await walkInto('unverified_from_domain', 'sendCampaign', { key: lonely.key, id: nobodys })
  await walkInto('unverified_from_domain', 'addSubscriber', {
    key: lonely.key,
    body: { email: 'a@example.com' },
  })
  await walkInto('validation_error', 'listSubscribers', { query: '?status=none' })
  const file = { csv: 'email\na@example.com\n', double_opt_in: true }
  await walkInto('unverified_from_domain', 'createSubscriberImport', {
    key: lonely.key,
    body: file,
  })
  await walkInto('validation_error', 'createSubscriberImport', { body: { csv: file.csv } })
  await walkInto('validation_error', 'listSubscriberImports', { query: '?limit=0' })
  await walkInto('not_found', 'getSubscriberImport', { id: 'none' })
  await walkInto('validation_error', 'addSubscriber', { body: { email: 'nobody' } })
  await walkInto('not_found', 'getSubscriber', { email: 'nobody@example.com' })
  await walkInto('not_found', 'removeSubscriber', { email: 'nobody@example.com' })

  const webhook = textAt(
    await walk('createWebhook', {
      body: { url: receiver.url, events: ['email.sent'], enabled: false },
    }),
    'id',
  )
  await walkInto('validation_error', 'createWebhook', {
    body: { url: 'ftp://example.com/', events: ['email.sent'] },
  })
  await walkInto('validation_error', 'updateWebhook', { id: webhook, body: { events: [] } })
  await walkInto('validation_error', 'rotateWebhookSecret', {
    id: webhook,
    query: '?overlap_hours=-1',
  })
  await walkInto('validation_error', 'replayWebhookEvents', {
    id: webhook,
    body: { from: 'yesterday' },
  })
  await walkInto('validation_error', 'listWebhookDeliveries', { id: webhook, query: '?limit=0' })
  await walkInto('validation_error', 'listEvents', { query: '?limit=0' })
  const ofOneWebhook = operationIds.filter((each) =>
    operations[each].path.startsWith('/api/v1/webhooks/{id}'),
  )
  for (const each of ofOneWebhook) await walkInto('not_found', each, exampleCall(each))

  const small = await api.workspace('small', { monthlyQuota: 0 })
  const damaged = await api.workspace('damaged')
  await damaged.setReputation({ handOffs: 100, bounces: 50, complaints: 0 })
  await shop.suppress('closed@example.com', 'manual')
  await walkInto('suppressed_recipient', 'addSubscriber', { body: { email: 'closed@example.com' } })
  await walkInto('reputation_blocked', 'addSubscriber', {
    key: damaged.key,
    body: { email: 'a@example.com' },
  })
  await walkInto('reputation_blocked', 'createSubscriberImport', {
    key: damaged.key,
    body: { csv: 'email\na@example.com\n', double_opt_in: true },
  })
  await api.run(`
    insert into import_file (workspace_id, id, name, state, user_email, created_at)
    select ${damaged.id}, gen_random_uuid(), 'n', 'arriving', '', facteur_now() from generate_series(1, 10)`)
  await walkInto('conflict', 'createSubscriberImport', {
    key: damaged.key,
    body: { csv: 'email\na@example.com\n', double_opt_in: false, consent: 'By hand' },
  })
  const forms: [OperationId, (body: object) => unknown][] = [
    ['sendEmail', (body) => body],
    ['sendEmailBatch', (body) => [body]],
  ]
  for (const [id, form] of forms) {
    await walkInto('validation_error', id, { body: form({ ...mail, text: '' }) })
    await walkInto('validation_error', id, { body: form({ ...mail, to: [3], subject: '' }) })
    await walkInto('unverified_from_domain', id, {
      body: form({ ...mail, from: 'x@elsewhere.test' }),
    })
    await walkInto('suppressed_recipient', id, {
      body: form({ ...mail, to: 'closed@example.com' }),
    })
    await walkInto('quota_exceeded', id, {
      key: small.key,
      body: form({ ...mail, from: `x@${small.domain}` }),
    })
    await walkInto('reputation_blocked', id, {
      key: damaged.key,
      body: form({ ...mail, from: `x@${damaged.domain}` }),
    })
    await walkInto('send_failed', id, { body: form({ ...mail, to: 'refused@simulator.test' }) })
    const headers = { 'idempotency-key': `reused-${id}` }
    assertAnswered(await walk(id, { body: form(mail), headers }), 202)
    await walkInto('idempotency_key_reused', id, {
      body: form({ ...mail, subject: 'Other' }),
      headers,
    })
  }
})

test('no violation: a contact is exported and erased', async () => {
  const email = 'leaving@example.com'
  assertAnswered(await walk('addSubscriber', { body: { email, double_opt_in: false } }), 201)
  await walk('sendEmail', { body: { ...mail, to: email } })
  assertAnswered(await walk('exportSubscriber', { email }), 200)
  await walkInto('not_found', 'exportSubscriber', exampleCall('exportSubscriber'))
  await walkInto('not_found', 'eraseSubscriber', exampleCall('eraseSubscriber'))
  // A worker holds a mail to the address.
  const lease = (state: string) =>
    api.run(`update recipient set state = '${state}', next_at = facteur_now() + interval '1 hour'
      where workspace_id = ${shop.id} and address_key = '${email}'`)
  await lease('leased')
  await walkInto('conflict', 'eraseSubscriber', { email })
  await lease('settled')
  assertAnswered(await walk('eraseSubscriber', { email }), 200)
})

test('no violation: captured mails are listed, read and deleted, while nothing is delivered for real', async () => {
  const list = await walk('listCapturedMails', { query: '?to=camille%40example.com' })
  assertAnswered(list, 200)
  assertAnswered(await walk('getCapturedMail', { id: textAt(list, 'data', '0', 'id') }), 200)
  await walkInto('not_found', 'getCapturedMail', exampleCall('getCapturedMail'))
  await walkInto('validation_error', 'listCapturedMails', { query: '?wait=31' })
  await walkInto('validation_error', 'deleteCapturedMails', {})
  const call = exampleCall('deleteCapturedMails')
  assertAnswered(await walk('deleteCapturedMails', call), 200)
  const { providers } = api.service
  const { of } = providers
  const delivering = { ...of(shop.id), captures: false }
  Object.assign(providers, { of: () => delivering })
  await walkInto('not_found', 'listCapturedMails', {})
  await walkInto('not_found', 'deleteCapturedMails', call)
  Object.assign(providers, { of })
})

test('no violation: 500 internal_error when the database has lost its tables', async () => {
  const tables = [
    'captured_mail',
    'domain',
    'request_log',
    'message',
    'suppression',
    'sender',
    'subscriber',
    'campaign',
    'webhook',
    'event',
    'webhook_delivery',
    'import_file',
  ]
  for (const table of tables) await api.run(`alter table ${table} rename to lost_${table}`)
  for (const id of keyedIds) await walkInto('internal_error', id, exampleCall(id))
  for (const table of tables) await api.run(`alter table lost_${table} rename to ${table}`)
  // The map is made of constants: what can fail is the count of its callers.
  await api.run('alter table request_rate rename to lost_request_rate')
  await walkInto('internal_error', 'getApiMap', {})
  await api.run('alter table lost_request_rate rename to request_rate')
})

test('no violation: 409 conflict for a subscriber whose row is taken by others again and again', async () => {
  // A race that is lost each time looks like this to the statement: it writes no row.
  await api.run(
    `create function lose() returns trigger language plpgsql as 'begin return null; end'`,
  )
  await api.run(
    'create trigger lose before insert on subscriber for each row execute function lose()',
  )
  const body = { email: 'raced@example.com', double_opt_in: false }
  await walkInto('conflict', 'addSubscriber', { body })
  await api.run('drop trigger lose on subscriber')
  assertAnswered(await walk('addSubscriber', { body }), 201)
})

test('no violation: 401 missing_api_key, and 429 for an address that asked 600 times without a key', async () => {
  for (const id of keyedIds) {
    const { method, path } = operations[id]
    const call = exampleCall(id)
    const filled = path
      .replace('{id}', call.id)
      .replace('{email}', call.email)
      .replace('{deliveryId}', call.deliveryId)
    const answer = await ask(
      proxy,
      `${method} ${filled}`,
      'body' in call ? { body: call.body } : {},
    )
    assertRefused(answer, 'missing_api_key')
    assert.deepEqual(violationsOf(answer), [])
    met.add(`${id} missing_api_key`)
  }
  while ((await ask(api.baseUrl, 'GET /api/v1')).status === 200);
  await walkInto('rate_limit_exceeded', 'getApiMap', {})
})

test('no violation: domains are added, read and checked; the figures of days and the log of calls are read', async () => {
  await walk('listDomains', {})
  await walk('addDomain', { body: { name: 'news.example' } })
  await walkInto('validation_error', 'addDomain', { body: { name: 'a b' } })
  await walk('getDomain', { name: 'shop.test' })
  await walkInto('not_found', 'getDomain', { name: 'other.example' })
  await walk('checkDomain', { name: 'shop.test' })
  await walkInto('not_found', 'checkDomain', { name: 'other.example' })
  // After the loss of the tables: the figures stay in memory for a while.
  await walk('getStats', {})
  await walkInto('validation_error', 'getStats', { query: '?from=yesterday' })
  await walk('listRequests', {})
  await walkInto('validation_error', 'listRequests', { query: '?limit=0' })
})

test('the calls have met every answer of every operation', () => {
  const promised = apiIds.flatMap((id) =>
    [String(operations[id].answer.status), ...errorsOf(operations[id])].map(
      (answer) => `${id} ${answer}`,
    ),
  )
  assert.deepEqual(
    promised.filter((answer) => !met.has(answer)),
    [],
  )
})

test('Prism reports an answer that breaks the description: a wrong type, an unknown code, a status or a header that is missing', async () => {
  const account = Object(exampleOf(plainSchema(operations.getAccount.answer.schema)))
  const rates = {
    'x-ratelimit-limit': '600',
    'x-ratelimit-remaining': '1',
    'x-ratelimit-reset': '1',
  }
  const good = { status: 200, headers: { 'x-request-id': 'one', ...rates }, body: account }
  const wrong: { status: number; headers: Record<string, string>; body: unknown }[] = [
    { ...good, body: { ...account, subscribers: 'many' } },
    { ...good, body: { ...account, quota: undefined } },
    {
      ...good,
      status: 401,
      body: asJson({
        error: { code: 'conflict', message: '', details: {} },
        statusCode: 401,
        message: '',
        name: 'conflict',
      }),
    },
    { ...good, status: 418 },
    { ...good, headers: { 'x-request-id': 'one', ...rates, 'x-ratelimit-limit': 'many' } },
    { ...good, headers: rates },
  ]
  let next: (typeof wrong)[number] = good
  const liar = createServer((_request, response) => {
    response.writeHead(next.status, { 'content-type': 'application/json', ...next.headers })
    response.end(JSON.stringify(next.body))
  })
  const port = await freePort()
  liar.listen(port, '127.0.0.1')
  await once(liar, 'listening')
  after(() => liar.close())
  const strict = await startPrism(`http://127.0.0.1:${port}`)
  const read = async () => {
    const { status, headers } = await fetch(`${strict}/api/v1/me`, {
      headers: { 'x-api-key': 'any' },
    })
    return violationsOf({ status, headers, body: null })
  }
  assert.deepEqual(await read(), [])
  for (next of wrong) assert.notDeepEqual(await read(), [], JSON.stringify(next))
})
