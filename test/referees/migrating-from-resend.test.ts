/** The unmodified SDK of Resend behaves as the migration guide says, call by call. */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { after, test } from 'node:test'
import { Resend } from 'resend'
import { verifyWebhook } from '../../client/src/index.ts'
import { isEventType } from '../../src/contract/events.ts'
import { resendCalls } from '../../src/contract/reference/resend-calls.ts'
import { resendGuide } from '../../src/contract/reference/resend-guide.ts'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { startFileServer } from '../support/file-server.ts'
import { resendEntryPoints } from '../support/resend-entry-points.ts'

const files = await startFileServer(['files.test'], {
  '/a.pdf': (response) => response.writeHead(200).end('%PDF-1'),
})
const api = await startApi({
  entry: resendEntryPoints,
  outbound: {
    authorities: files.authorities,
    resolve: (host) =>
      host === 'files.test'
        ? Promise.resolve([{ address: '127.0.0.1', family: 4 }])
        : Promise.reject(Object.assign(new Error('No name server'), { code: 'EAI_AGAIN' })),
  },
})
const shop = await api.workspace('shop')
const guide = resendGuide(api.baseUrl)
const mail = {
  from: 'hello@shop.test',
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
}

let received: { headers: IncomingHttpHeaders; body: string } = { headers: {}, body: '' }
const receiver = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (text: string) => (body += text))
  request.on('end', () => {
    received = { headers: request.headers, body }
    response.writeHead(204).end()
  })
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
after(() => receiver.close().closeAllConnections())
const bound = receiver.address()
const hook = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}/`

type Called = Promise<{ data: unknown; error: { name: string; statusCode: number | null } | null }>
const refusal = async (call: Called): Promise<string> => {
  const { error } = await call
  return `${error?.statusCode} ${error?.name}`
}
const resend = new Resend(shop.key, { baseUrl: `${api.baseUrl}/api/v1` })

test('two variables of the environment are all that a program needs', async () => {
  const [, address = ''] = /^export RESEND_BASE_URL=(.*)$/m.exec(guide) ?? []
  process.env['RESEND_BASE_URL'] = address
  process.env['RESEND_API_KEY'] = shop.key
  const { data } = await new Resend().emails.send(mail)
  assert.ok(data?.id)
})

test('a suppressed recipient refuses the call', async () => {
  await shop.suppress('gone@example.com', 'bounce')
  assert.equal(
    await refusal(resend.emails.send({ ...mail, to: ['gone@example.com', mail.to] })),
    '422 suppressed_recipient',
  )
})

test('a file by address is fetched, in a message and not in a batch', async () => {
  const attachments = [{ path: `https://files.test:${files.port}/a.pdf` }]
  const { data } = await resend.emails.send({ ...mail, attachments })
  const [raw] = await shop.capturedMails(data?.id ?? '', 1)
  assert.match(String(raw), /filename=a\.pdf\r\n\r\nJVBERi0x/)
  const lost = await resend.emails.send({
    ...mail,
    attachments: [{ path: `https://files.test:${files.port}/b.pdf` }],
  })
  assert.equal(lost.error?.name, 'validation_error')
  const batch = await resend.batch.send([Object.assign({}, mail, { attachments })])
  assert.match(batch.error?.message ?? '', /path/)
})

test('templates and topics are refused; times in words are read', async () => {
  const { text: _, ...bare } = mail
  for (const [call, field] of [
    [resend.emails.send({ ...bare, template: { id: 'welcome' } }), 'template'],
    [resend.emails.send({ ...mail, topicId: 'b6d24b8e' }), 'topic_id'],
    [resend.batch.send([mail, { ...mail, topicId: 'b6d24b8e' }]), 'topic_id'],
  ] as const) {
    const { error } = await call
    assert.equal(error?.name, 'validation_error')
    assert.ok(error.message.includes(field), error.message)
  }
  for (const scheduledAt of ['in 1 min', new Date(Date.now() + 60_000).toISOString()])
    assert.equal((await resend.emails.send({ ...mail, scheduledAt })).error, null)
  assert.equal(
    await refusal(resend.emails.send({ ...mail, scheduledAt: 'one day' })),
    '422 validation_error',
  )
})

test('a batch that may be sent in part is refused, and nothing of it is sent', async () => {
  const { error } = await resend.batch.send([mail], { batchValidation: 'permissive' })
  assert.equal(error?.name, 'validation_error')
  assert.match(error.message, /pas du tout|not at all/)
  assert.equal((await resend.batch.send([mail], { batchValidation: 'strict' })).error, null)
  assert.equal((await resend.batch.send([mail])).error, null)
})

test('a key of Resend is unknown', async () => {
  const { baseUrl } = api
  assert.equal(
    await refusal(new Resend('re_123', { baseUrl: `${baseUrl}/api/v1` }).emails.list()),
    '401 invalid_api_key',
  )
})

test('each row of the table of calls answers what it says', async () => {
  const scheduled = { ...mail, scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }
  const email = textAt(
    await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: scheduled }),
    'id',
  )
  const webhook = async () =>
    (await resend.webhooks.create({ endpoint: hook, events: ['email.sent'] })).data?.id ?? ''
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const later = { scheduled_at: new Date(Date.now() + 7_200_000).toISOString() }
  const contact = textAt(
    await ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: shop.key,
      body: { email: 'ines@example.com', double_opt_in: false },
    }),
    'id',
  )
  const segment = (await resend.segments.list()).data?.data[0]?.id ?? ''
  const webhooks = [await webhook(), await webhook()]
  await api.service.requestLog.flush()
  const [log] = (await resend.logs.list()).data?.data ?? []
  const ofCall: Record<string, string> = {
    contacts: contact,
    suppressions: 'left@example.com',
    logs: log?.id ?? '',
    domains: 'shop.test',
  }
  const idOf = (call: string): string => {
    if (call.startsWith('webhooks.')) return webhooks[call === 'webhooks.remove' ? 1 : 0] ?? ''
    return ofCall[call.split('.')[0] ?? ''] ?? email
  }
  const broadcastFor = async (call: string): Promise<string> => {
    const news = { name: 'News', subject: 'News', text: 'Bonjour' }
    const draft = await ask(api.baseUrl, 'POST /api/v1/campaigns', { key: shop.key, body: news })
    const id = textAt(draft, 'id')
    if (call === 'broadcasts.cancel') await resend.broadcasts.send(id, { scheduledAt: tomorrow })
    return id
  }
  const answers: [string, number][] = []
  for (const { call, request, body } of resendCalls) {
    const [method, path = ''] = request.split(' ')
    const filled = path
      .replace(/(?<=^\/(?:segments|audiences)\/)\{id\}/, segment)
      .replaceAll('{id}', call.startsWith('broadcasts.') ? await broadcastFor(call) : idOf(call))
    const sent = call === 'emails.update' ? later : body
    const expected = call === 'broadcasts.recipients' ? '?type=sent' : ''
    const { status } = await ask(api.baseUrl, `${method} /api/v1${filled}${expected}`, {
      key: shop.key,
      ...(sent && { body: sent }),
    })
    answers.push([request, status])
  }
  assert.deepEqual(
    answers,
    resendCalls.map(({ request, status = 404 }) => [request, status]),
  )
  for (const { request } of resendCalls) assert.ok(guide.includes(`| \`${request}\` |`), request)
})

test('calls that have no counterpart here are not found', async () => {
  for (const call of [
    resend.domains.remove('shop.test'),
    resend.apiKeys.list(),
    resend.segments.create({ name: 'x' }),
    resend.broadcasts.clickedLinks('x'),
  ])
    assert.equal(await refusal(call), '404 not_found')
})

test('webhooks.create works; webhooks.verify accepts our calls by either spelling of the headers, and so does the client, until something is changed', async () => {
  const { data: created } = await resend.webhooks.create({
    endpoint: hook,
    events: ['email.bounced'],
  })
  const { id, signing_secret: secret } = created ?? { id: '', signing_secret: '' }
  await ask(api.baseUrl, `POST /api/v1/webhooks/${id}/test`, { key: shop.key })
  const text = (name: string): string => String(received.headers[name])
  const headersOf = (scheme: string) => ({
    id: text(`${scheme}-id`),
    timestamp: text(`${scheme}-timestamp`),
    signature: text(`${scheme}-signature`),
  })
  const headers = headersOf('svix')
  assert.deepEqual(headersOf('webhook'), headers)
  const verify = (payload: string): unknown =>
    resend.webhooks.verify({ payload, headers, webhookSecret: secret })
  assert.deepEqual(verify(received.body), JSON.parse(received.body))
  assert.throws(() => verify(`${received.body} `))
  const event = await verifyWebhook({ ...received, secret })
  assert.deepEqual(
    [event.id, event.type, event.data],
    [headers.id, 'email.bounced', { test: true }],
  )
  for (const forged of [
    { ...received, body: `${received.body} `, secret },
    { ...received, secret: `${secret}x` },
    { ...received, secret, ageMaxSeconds: -1 },
    { body: received.body, headers: {}, secret },
  ])
    await assert.rejects(verifyWebhook(forged), { name: 'WebhookSignatureError' })
})

test('webhooks.get, list, update, rotateSigningSecret and remove answer as the SDK types them', async () => {
  const { data: created } = await resend.webhooks.create({
    endpoint: hook,
    events: ['email.bounced'],
  })
  const id = created?.id ?? ''
  const { data: read } = await resend.webhooks.get(id)
  assert.deepEqual(
    [read?.endpoint, read?.status, read?.events, read?.signing_secret],
    [hook, 'enabled', ['email.bounced'], created?.signing_secret],
  )
  const endpoint = `${hook}moved`
  const change = { endpoint, events: ['email.sent' as const], status: 'disabled' as const }
  assert.equal((await resend.webhooks.update(id, change)).data?.id, id)
  const { data: list } = await resend.webhooks.list({ limit: 1 })
  const [newest] = list?.data ?? []
  assert.deepEqual(
    [newest?.id, newest?.endpoint, newest?.status, newest?.events],
    [id, endpoint, 'disabled', ['email.sent']],
  )
  const own = await ask(api.baseUrl, `GET /api/v1/webhooks/${id}`, { key: shop.key })
  assert.deepEqual([textAt(own, 'url'), at(own.body, 'enabled')], [endpoint, false])
  const { data: rotated } = await resend.webhooks.rotateSigningSecret(id)
  const { data: again } = await resend.webhooks.get(id)
  assert.equal(again?.signing_secret, rotated?.signing_secret)
  assert.notEqual(again?.signing_secret, created?.signing_secret)
  assert.equal((await resend.webhooks.remove(id)).data?.deleted, true)
  assert.equal(await refusal(resend.webhooks.get(id)), '404 not_found')
})

test('the table of event types is true', () => {
  const rows = guide.split('| Type there | Type here |')[1]?.split('\n\n')[0]?.split('\n') ?? []
  const namesOf = (cell = ''): string[] =>
    [...cell.matchAll(/`((?:email|contact|domain|suppression)\.\w+)`/g)].map(
      ([, name = '']) => name,
    )
  const cells = rows.map((row) => row.split('|')).filter(([, there]) => namesOf(there).length > 0)
  assert.equal(cells.length, 5)
  for (const [, there, here = ''] of cells) {
    const same = here.includes('The same names')
    for (const name of namesOf(there)) assert.equal(isEventType(name), same, name)
    for (const name of namesOf(here)) assert.ok(isEventType(name), name)
  }
})
