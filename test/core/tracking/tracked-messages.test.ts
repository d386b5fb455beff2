/**
 * Single messages are tracked when they ask for it, each recipient for itself, and never otherwise.
 */
import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { sql } from '../../../src/database/client/sql.ts'
import { addTrackingRoutes } from '../../../src/entrypoints/pages/tracking/add-tracking-routes.ts'
import { startApi } from '../../support/api.ts'
import { ask, textAt } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import { handedOver, ledgerRow, read, startRelayWorld, turn } from '../../support/relay-world.ts'
import { filter, messagePaths, open } from '../../support/tracking-world.ts'

const addRoutes = {
  entry: (service) => ({ addRoutes: (server) => addTrackingRoutes(server, service) }),
} satisfies Parameters<typeof startApi>[0]
const api = await startApi(addRoutes)
const world = await startRelayWorld(addRoutes)
const workspace = await api.workspace('tracked messages')
const relayed = await world.workspace('tracked messages')

const html =
  '<p><a href="https://example.com/one?a=1&amp;b=2">one</a> <a href="mailto:x@example.com">mail</a> <a href=https://example.org/two>two</a></p>'

async function accept(body: object, to: string[]): Promise<string> {
  const answer = await ask(api.baseUrl, 'POST /api/v1/emails', {
    key: workspace.key,
    body: { from: `hello@${workspace.domain}`, to, subject: 'x', html, ...body },
  })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return textAt(answer, 'id')
}

async function mailsOf(id: string, count: number): Promise<string[]> {
  const raws = await workspace.capturedMails(id, count)
  return Promise.all(raws.map(async (raw) => (await PostalMime.parse(raw)).html ?? ''))
}

async function send(
  body: object,
  to: string[] = ['a@example.com'],
): Promise<{ id: string; mails: string[] }> {
  const id = await accept(body, to)
  return { id, mails: await mailsOf(id, to.length) }
}

const pathsIn = (mail: string): string[] =>
  [...mail.matchAll(/(?:href|src)="(http[^"]+)"/g)].map((match) =>
    (match[1] ?? '').replace(api.baseUrl, ''),
  )

/** The message's only recipient, as the API answers it. */
const recipientOf = async (id: string): Promise<unknown> =>
  at(
    (await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: workspace.key })).body,
    'recipients',
    '0',
  )

test('a message that does not ask for it is not tracked: its html leaves as it was written', async () => {
  for (const body of [{}, { track_opens: false, track_clicks: null }]) {
    const { mails } = await send(body)
    assert.equal(mails[0]?.trim(), html)
  }
})

test('opens alone, clicks alone', async () => {
  const opens = await send({ track_opens: true })
  assert.match(mailOf(opens), /example\.com\/one.*<img src="http[^"]+\/o\/[\w-]{64}"/s)
  const clicks = await send({ track_clicks: true })
  assert.doesNotMatch(mailOf(clicks), /<img|href="?https:\/\/example/)
  assert.match(mailOf(clicks), /href="mailto:x@example\.com"/)
})

const mailOf = ({ mails }: { mails: string[] }): string => mails[0] ?? ''

test('each recipient has links of their own, and its own counts on the read', async () => {
  const { id, mails } = await send({ track_opens: true, track_clicks: true }, [
    'a@example.com',
    'b@example.com',
  ])
  assert.notEqual(mails[0], mails[1])
  const [first = '', second = '', pixel = ''] = pathsIn(mails[1] ?? '')
  assert.equal((await open(api, first)).headers.get('location'), 'https://example.com/one?a=1&b=2')
  assert.equal((await open(api, second)).headers.get('location'), 'https://example.org/two')
  assert.equal((await open(api, pixel)).status, 200)
  const body = (await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: workspace.key })).body
  assert.partialDeepStrictEqual(at(body, 'recipients', '0'), { opened_at: null, clicked_at: null })
  for (const name of ['opened_at', 'clicked_at'])
    assert.match(String(at(body, 'recipients', '1', name)), /^\d{4}-.*Z$/)
})

test('requests of scanners are stored and shown nowhere', async () => {
  const { id, mails } = await send({ track_opens: true })
  await open(api, pathsIn(mails[0] ?? '').at(-1) ?? '', filter)
  assert.partialDeepStrictEqual(await recipientOf(id), { opened_at: null })
  const stored = await api.service.db.rows(
    sql`select visitor from engagement where workspace_id = ${workspace.id} and message_id = ${id}`,
  )
  assert.deepEqual(stored, [{ visitor: 'scanner' }])
})

test('handed over inside the call too, and a repeat has the same bytes', async () => {
  const known: string[] = []
  for (const body of [{ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }, {}]) {
    const id = await handedOver(world, relayed, { html, track_clicks: true, ...body })
    await world.run(`update recipient set next_at = facteur_now() where message_id = '${id}'`)
    await turn(world, relayed)
    known.push(id)
  }
  const mails = world.peer.mails.map(({ bytes }) => bytes.toString())
  assert.equal(mails.length, known.length)
  for (const mail of mails) assert.match(mail.replaceAll('=\r\n', ''), /\/c\/[\w-]{64}\/1/)
})

test('an open proves that a message in doubt arrived: it is not sent again', async () => {
  const id = await handedOver(world, relayed, { html, track_opens: true })
  await world.run(
    `update recipient set state = 'in_doubt', status = 'queued', sent_at = null where message_id = '${id}'`,
  )
  const token = world.service.linkTokens.make('track', {
    workspaceId: relayed.id,
    first: id,
    second: '00000000-0000-0000-0000-000000000000',
  })
  await open(world, `/o/${token}`)
  assert.partialDeepStrictEqual(await ledgerRow(world, relayed, id), {
    state: 'settled',
    status: 'delivered',
  })
  assert.partialDeepStrictEqual(at(await read(world, relayed, id), 'recipients', '0'), {
    delivered_by: 'open',
  })
})

/**
 * A tracked message of one recipient whose row is changed by hand, and the paths of its pixel and
 * its first link.
 */
async function trackedRow(set: string): Promise<{ id: string; pixel: string; link: string }> {
  const id = await handedOver(world, relayed, { html, track_opens: true, track_clicks: true })
  await world.run(`update recipient set ${set} where message_id = '${id}'`)
  const { pixel, link } = messagePaths(world, relayed, id)
  return { id, pixel, link: link(0) }
}

const openedAt = async (id: string): Promise<unknown> =>
  at(await read(world, relayed, id), 'recipients', '0', 'opened_at')

test('an open while the hand-off of a message still waits for its answer: delivered, and the holder completes the row', async () => {
  const { id, pixel } = await trackedRow(
    `state = 'leased', status = 'queued', attempts = 1, sent_at = null`,
  )
  await open(world, pixel)
  assert.partialDeepStrictEqual(await ledgerRow(world, relayed, id), {
    state: 'leased',
    status: 'delivered',
  })
})

test('an open while a message waits for another try: delivered, and not sent again', async () => {
  const { id, pixel } = await trackedRow(
    `state = 'pending', status = 'queued', attempts = 1, sent_at = null`,
  )
  await open(world, pixel)
  assert.partialDeepStrictEqual(await ledgerRow(world, relayed, id), {
    state: 'settled',
    status: 'delivered',
  })
})

test('a message that was never handed over cannot be opened: nothing is stored', async () => {
  const { id, pixel, link } = await trackedRow(
    `state = 'pending', status = 'queued', attempts = 0, sent_at = null`,
  )
  assert.equal((await open(world, pixel)).status, 200)
  assert.equal((await open(world, link)).status, 302)
  assert.deepEqual(
    await world.service.db.rows(sql`select 1 from engagement where message_id = ${id}`),
    [],
  )
  assert.partialDeepStrictEqual(await ledgerRow(world, relayed, id), {
    state: 'pending',
    status: 'queued',
  })
})

test('a bounce and a complaint of a message stay what they are when it is opened', async () => {
  for (const status of ['bounced', 'complained']) {
    const { id, pixel, link } = await trackedRow(
      `state = 'settled', status = '${status}', error = 'as told'`,
    )
    await open(world, pixel)
    await open(world, link)
    assert.partialDeepStrictEqual(await ledgerRow(world, relayed, id), {
      state: 'settled',
      status,
      error: 'as told',
    })
  }
})

test('a message shows its first open, and its event is published once; each click is an event', async () => {
  const hook = {
    url: 'https://receiver.example/',
    events: ['email.opened', 'email.clicked', 'email.delivered'],
  }
  await ask(world.baseUrl, 'POST /api/v1/webhooks', { key: relayed.key, body: hook })
  const { id, pixel, link } = await trackedRow(
    `state = 'settled', status = 'sent', delivered_at = null, delivered_by = null`,
  )
  await open(world, pixel)
  const first = await openedAt(id)
  assert.match(String(first), /^\d{4}-.*Z$/)
  await world.moveClock('5 seconds')
  for (const path of [pixel, link, link]) await open(world, path)
  assert.equal(await openedAt(id), first)
  const events = await world.service.db.rows<{ type: string }>(sql`
    select type from event where workspace_id = ${relayed.id} and body like ${`%${id}%`} order by place`)
  assert.deepEqual(events.map(({ type }) => type).toSorted(), [
    'email.clicked',
    'email.clicked',
    'email.delivered',
    'email.opened',
  ])
})

test('the text part is made once for fifty tracked recipients, in the request and by a worker', async () => {
  const to = Array.from({ length: 50 }, (_, index) => `reader${index}@example.com`)
  const inRequest = await callsOf('textOfHtml', () =>
    send({ track_opens: true, track_clicks: true }, to),
  )
  assert.ok(inRequest.result.mails.every((mail) => mail.includes('/o/')))
  assert.equal(inRequest.calls, 1)
  const scheduled = {
    track_opens: true,
    track_clicks: true,
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  }
  const byWorker = await callsOf('textOfHtml', async () => {
    const id = await accept(scheduled, to)
    await api.moveClock('2 hours')
    return { id, mails: await mailsOf(id, to.length) }
  })
  assert.ok(byWorker.result.mails.every((mail) => mail.includes('/o/')))
  // Once for each claim, however a loaded machine divides them.
  assert.ok(byWorker.calls >= 1 && byWorker.calls <= 5, `${byWorker.calls} calls`)
})

test('the customer’s host of links, once it is in use: links and pixel go by it, and stay the mail’s own afterwards', async () => {
  const domain = `host-${workspace.domain}`
  const host = `links.${domain}`
  await api.run(`
    insert into domain (workspace_id, name, status, verified_at, created_at)
    values (${workspace.id}, '${domain}', 'verified', facteur_now(), facteur_now());
    insert into dns_record (workspace_id, domain, name, type, purpose, status, found, in_use, misses, checked_at)
    values (${workspace.id}, '${domain}', '${host}', 'CNAME', 'tracking', 'found', '{}', true, 0, facteur_now())`)
  const tracked = { track_opens: true, track_clicks: true, from: `hello@${domain}` }
  const { id, mails } = await send(tracked)
  const base = api.baseUrl.replace('127.0.0.1', host)
  const [first = '', second = '', pixel = ''] = [
    ...mailOf({ mails }).matchAll(/(?:href|src)="(http[^"]+)"/g),
  ].map(([, url = '']) => url)
  for (const url of [first, second, pixel]) assert.ok(url.startsWith(`${base}/`), url)
  assert.equal(
    (await open(api, first.slice(base.length))).headers.get('location'),
    'https://example.com/one?a=1&b=2',
  )
  const shown = await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: workspace.key })
  assert.equal(shown.status, 200)
  // Scheduled while the host is in use, and handed over when it is not any more: a retry never has
  // other bytes.
  const scheduled = await accept(
    { ...tracked, scheduled_at: new Date(Date.now() + 86_400_000).toISOString() },
    ['b@example.com'],
  )
  await api.run(`delete from dns_record where workspace_id = ${workspace.id}`)
  await api.moveClock('2 days')
  const [late = ''] = await mailsOf(scheduled, 1)
  assert.match(late, new RegExp(`href="${base}/c/`))
})

/** How often a function of this process is called while `work` runs, as the engine counts it. */
async function callsOf<T>(
  name: string,
  work: () => Promise<T>,
): Promise<{ result: T; calls: number }> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const result = await work()
    const coverage = await session.post('Profiler.takePreciseCoverage')
    const match = coverage.result
      .flatMap(({ functions }) => functions)
      .filter(({ functionName }) => functionName === name)
    return { result, calls: match.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0) }
  } finally {
    session.disconnect()
  }
}
