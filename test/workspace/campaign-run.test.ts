/**
 * Campaigns from the draft on, as their pages steer and show them: agreed sends, acts by state and
 * role, recipients one by one, results.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  notReachedCountedMax,
  type CampaignRun,
} from '../../src/contract/workspace/campaign-run.ts'
import type { AnswerOf } from '../../src/contract/operations.ts'
import {
  ledgerStatuses,
  recipientsWanted,
  type RecipientWanted,
} from '../../src/contract/workspace/campaign-recipients.ts'
import { countAudience } from '../../src/core/campaigns/preflight/check-audience.ts'
import { recountCampaign } from '../../src/db/campaigns/campaign-recount.ts'
import { sql } from '../../src/database/client/sql.ts'
import { browser, filter, gmailRelay, open } from '../support/tracking-world.ts'
import { until } from '../support/until.ts'
import { addSubscribers, draftOf, untilCampaign, untilSent } from '../support/campaign-world.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn, type Visitor } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { service } = api

interface World {
  name: string
  shop: TestWorkspace
  editor: Visitor
  viewer: Visitor
  /** `POST /pause` of a campaign. */
  act(id: string, line: string, body?: object, by?: Visitor): ReturnType<Visitor['ask']>
  run(id: string): Promise<CampaignRun>
  recipients(id: string, query?: string): Promise<AnswerOf<'listCampaignRecipients'>['body']>
  file(id: string, path: string, by?: Visitor): Promise<Response>
  /** The file of the recipients of the list that is frozen now. */
  exported(id: string, only?: string): Promise<Response>
}

let worlds = 0

async function world(contacts: number): Promise<World> {
  const name = `run${++worlds}`
  const shop = await api.workspace(name)
  await addSubscribers(api, shop, contacts, `${name}.example`)
  const editor = await signIn(api, { in: { [shop.id]: 'editor' } })
  const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
  const base = (id: string) => `/workspaces/${name}/api/v1/campaigns/${id}`
  return {
    ...{ name, shop, editor, viewer },
    act(id, line, body, by = editor) {
      const [method = '', path = ''] = line.split(' ')
      return by.ask(`${method} ${base(id)}${path}`, body === undefined ? {} : { body })
    },
    run: async (id) => {
      const answer = await viewer.ask(`GET ${base(id)}/run`)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body as CampaignRun
    },
    recipients: async (id, query = '') => {
      const answer = await viewer.ask(`GET ${base(id)}/recipients${query}`)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body as AnswerOf<'listCampaignRecipients'>['body']
    },
    file: (id, path, by = editor) =>
      fetch(`${api.baseUrl}${base(id)}${path}`, { headers: { cookie: by.cookie } }),
    exported: async (id, only) => {
      const run = await editor.ask(`GET ${base(id)}/run`)
      return fetch(`${api.baseUrl}${base(id)}/recipients/export`, {
        method: 'POST',
        headers: {
          ...{ cookie: editor.cookie, 'content-type': 'application/json' },
          origin: api.baseUrl,
        },
        body: JSON.stringify({ frozen_at: at(run.body, 'frozenAt'), only }),
      })
    },
  }
}

/** Every filter gives a file of the recipients that it lists. */
async function assertExportsListed(
  { recipients, exported }: World,
  id: string,
  filters: readonly RecipientWanted[] = recipientsWanted,
): Promise<void> {
  for (const only of filters) {
    const listed = (await recipients(id, `?only=${only}`)).data.map(({ email }) => email)
    const lines = (await (await exported(id, only)).text()).split('\r\n').slice(1, -1)
    assert.deepEqual(
      lines.map((line) => line.split(',')[0]),
      listed,
      only,
    )
  }
}

const auditOf = async ({ shop, editor }: World): Promise<string[]> => {
  const rows = await service.db.rows<{ act: string }>(sql`
    select act from audit_log where workspace_id = ${shop.id} and user_id = ${editor.userId} order by id`)
  return rows.map(({ act }) => act)
}

test('a send is held to the number that was agreed to, can be taken back for half a minute, and is in the audit log with its user', async () => {
  const w = await world(3)
  const id = await draftOf(api, w.shop)
  const reach = await w.act(id, 'GET /reach', undefined, w.viewer)
  assertAnswered(reach, 200, {
    reachable: 3,
    notReached: [],
    quota: { limit: null, remaining: null },
    sending: 'active',
  })
  assertRefused(
    await w.act(id, 'POST /send?confirm_recipients=3', {}, w.viewer),
    'insufficient_role',
  )
  await w.shop.suppress('person3@run1.example', 'manual')
  assertRefused(await w.act(id, 'POST /send'), 'validation_error', {
    path: 'confirm_recipients',
    rule: 'required',
  })
  const differs = await w.act(id, 'POST /send?confirm_recipients=3', {})
  assertRefused(differs, 'validation_error', {
    reason: 'recipients_differ',
    confirmed: 3,
    recipients: 2,
  })
  assert.deepEqual((await w.run(id)).acts, ['send', 'schedule', 'duplicate', 'archive', 'delete'])
  const accepted = await w.act(id, 'POST /send?confirm_recipients=2', {})
  assertAnswered(accepted, 202, { status: 'sending', queued: 2 })
  const { campaign, acts } = await w.run(id)
  assert.partialDeepStrictEqual(campaign, {
    status: 'sending',
    recipients: 2,
    progress: { pending: 2 },
  })
  assert.deepEqual(acts, ['undo', 'pause', 'cancel', 'duplicate'])
  assertAnswered(await w.act(id, 'POST /undo'), 200, {
    campaign: { status: 'draft', recipients: 0 },
  })
  await w.act(id, 'POST /send?confirm_recipients=2', {})
  await api.moveClock('31 seconds')
  service.wake('campaign')
  await untilSent(api, w.shop, id)
  const sent = await w.run(id)
  assert.deepEqual(sent.campaign.progress, {
    pending: 0,
    sent: 2,
    failed: 0,
    suppressed: 0,
    in_doubt: 0,
  })
  assert.deepEqual(
    [sent.acts, sent.retryable, sent.estimatedEndAt],
    [['duplicate', 'archive'], 0, null],
  )
  assertRefused(await w.act(id, 'POST /undo'), 'conflict')
  assert.deepEqual(await auditOf(w), ['campaign.sent', 'campaign.undone', 'campaign.sent'])
  const copy = await w.act(id, 'POST /duplicate', { name: 'Again' })
  assertAnswered(copy, 201, { campaign: { status: 'draft', name: 'Again' } })
  assertAnswered(await w.act(id, 'POST /archive'), 200, {
    campaign: { status: 'archived' },
    acts: ['duplicate'],
  })
})

test('paused, resumed, cancelled, scheduled: each by an editor, none by a viewer, and the audit log has no refused act', async () => {
  const w = await world(4)
  const id = await draftOf(api, w.shop)
  await w.act(id, 'POST /send?confirm_recipients=4', {})
  assertAnswered(await w.act(id, 'POST /pause'), 200, {
    campaign: { paused: true },
    pauseReason: 'person',
  })
  assert.deepEqual((await w.run(id)).acts, ['undo', 'resume', 'cancel', 'duplicate'])
  assertRefused(await w.act(id, 'POST /pause'), 'conflict')
  for (const act of ['resume', 'cancel', 'retry', 'release', 'archive', 'duplicate', 'undo'])
    assertRefused(await w.act(id, `POST /${act}`, {}, w.viewer), 'insufficient_role')
  assertAnswered(await w.act(id, 'POST /resume'), 200, {
    campaign: { paused: false },
    pauseReason: null,
  })
  assertAnswered(await w.act(id, 'POST /cancel'), 200, {
    campaign: { status: 'sent', progress: { pending: 0, failed: 4 } },
    // The API counts them as failed; the pages show them apart.
    cancelled: 4,
    retryable: 0,
  })
  assert.deepEqual((await w.recipients(id, '?only=failed')).data, [])
  const cancelled = await w.recipients(id, '?only=cancelled')
  assert.deepEqual(
    cancelled.data.map(({ outcome, reason }) => `${outcome} ${reason?.kind}`),
    Array.from({ length: 4 }, () => 'cancelled cancelled'),
  )
  const entry = `GET /workspaces/${w.name}/api/v1`
  const log = `${entry}/messages?kind=campaign`
  const lines = await w.editor.ask(log)
  assertAnswered(lines, 200, {
    data: Array.from({ length: 4 }, () => ({ status: 'failed', last_event: 'canceled' })),
  })
  assertAnswered(await w.editor.ask(`${log}&status=failed`), 200, { data: [] })
  const mail = await w.editor.ask(`${entry}/messages/${textAt(lines, 'data', '0', 'id')}`)
  assertAnswered(mail, 200, {
    recipients: [{ timeline: [{ what: 'accepted' }, { what: 'canceled' }] }],
  })
  // Null while it is counted behind the answer.
  const counts = await until(
    async () =>
      at((await w.editor.ask(`${entry}/overview`)).body, 'period', 'each', '29', 'counts'),
    (result) => result !== null,
  )
  assert.deepEqual(counts, {
    delivered: 0,
    assumed: 0,
    waiting: 0,
    bounced: 0,
    complained: 0,
    failed: 0,
    ...{ sent: 0, opened: 0, opened_by_relay: 0, clicked: 0, opens_tracked: 0, clicks_tracked: 0 },
  })
  // A recount from the rows gives the same.
  assert.equal(await recountCampaign(service.db, { workspaceId: w.shop.id, campaignId: id }), 0)

  const planned = await draftOf(api, w.shop)
  const scheduledAt = new Date(Date.now() + 7_200_000).toISOString()
  assertAnswered(await w.act(planned, 'POST /schedule', { scheduledAt }), 200, {
    campaign: { status: 'scheduled', scheduledAt },
  })
  assert.deepEqual((await w.run(planned)).acts, ['schedule', 'unschedule', 'duplicate'])
  assertAnswered(await w.act(planned, 'POST /unschedule'), 200, {
    campaign: { status: 'draft', scheduledAt: null },
  })
  assertRefused(await w.act(planned, 'POST /schedule', { scheduledAt: 'soon' }), 'validation_error')
  const expected = ['sent', 'paused', 'resumed', 'canceled', 'scheduled', 'unscheduled'].map(
    (act) => `campaign.${act}`,
  )
  assert.deepEqual(await auditOf(w), expected)
})

test('recipients: by outcome with the reason, by a part of the address, page by page, and as a file', async () => {
  const w = await world(7)
  const id = await draftOf(api, w.shop)
  await w.act(id, 'POST /send?confirm_recipients=7', {})
  await w.act(id, 'POST /pause')
  // As the ledger's writers leave such rows (src/db/campaigns/campaign-outcomes.ts).
  const rows: [person: number, columns: string, counter: string][] = [
    [1, `state = 'in_doubt', attempts = 1`, 'in_doubt'],
    [
      2,
      `state = 'settled', status = 'failed', error = '550 5.7.1 =HYPERLINK("x")', attempts = 1`,
      'failed',
    ],
    [
      3,
      `state = 'settled', status = 'bounced', bounce = 'hard', error = '550 5.1.1 unknown', attempts = 1`,
      'failed',
    ],
    [
      4,
      `state = 'settled', status = 'suppressed', error = 'suppressed: unsubscribed', cause = 'suppressed'`,
      'suppressed',
    ],
    [
      5,
      `next_at = facteur_now() + interval '9 minutes', response = '451 4.7.1 later', attempts = 1`,
      'pending',
    ],
    [6, `state = 'settled', status = 'delivered', sent_at = facteur_now(), attempts = 1`, 'sent'],
  ]
  for (const [contact, columns, counter] of rows) {
    await api.run(
      `update campaign_recipient set ${columns} where campaign_id = '${id}' and email like 'person${contact}@%'`,
    )
    if (counter !== 'pending')
      await api.run(
        `update campaign_run set pending = pending - 1, ${counter} = ${counter} + 1 where campaign_id = '${id}'`,
      )
  }
  const { progress } = (await w.run(id)).campaign
  assert.deepEqual(progress, { pending: 2, sent: 1, failed: 2, suppressed: 1, in_doubt: 1 })
  for (const [language, words] of [
    ['en', /^One recipient is in doubt/],
    ['fr', /^Un destinataire est en doute/],
  ] as const) {
    const headers = { 'accept-language': language }
    const base = `GET /workspaces/${w.name}/api/v1/campaigns`
    const run = await w.viewer.ask(`${base}/${id}/run`, { headers })
    assert.match(String(at(run.body, 'campaign', 'in_doubt', 'note')), words)
    const result = await w.viewer.ask(base, { headers })
    assert.match(String(at(result.body, 'data', '0', 'in_doubt', 'note')), words)
  }
  const observed = await w.recipients(id)
  assert.deepEqual(
    observed.data.map(({ outcome, reason }) => [outcome, reason]),
    [
      ['in_doubt', { kind: 'worker_lost', detail: null, meaning: null }],
      [
        'failed',
        { kind: 'refused', detail: '550 5.7.1 =HYPERLINK("x")', meaning: 'refused_by_policy' },
      ],
      ['bounced', { kind: 'refused', detail: '550 5.1.1 unknown', meaning: 'unknown_address' }],
      ['suppressed', { kind: 'suppressed', detail: 'unsubscribed', meaning: null }],
      ['pending', { kind: 'put_off', detail: '451 4.7.1 later', meaning: 'refused_by_policy' }],
      ['delivered', null],
      ['pending', null],
    ],
  )
  const emails = async (query: string) =>
    (await w.recipients(id, query)).data.map(({ email }) => email.split('@')[0])
  assert.deepEqual(await emails('?only=failed'), ['person2', 'person3'])
  assert.deepEqual(await emails('?only=bounced'), ['person3'])
  await api.run(
    `insert into subscriber_search_pending (workspace_id, subscriber_id) select workspace_id, id from subscriber where workspace_id = ${w.shop.id}`,
  )
  assert.deepEqual(await emails('?q=person5'), ['person5'])
  assert.deepEqual(await emails('?q=person5&only=failed'), [])
  const first = await w.recipients(id, '?limit=4')
  const rest = await w.recipients(id, `?limit=4&cursor=${first.next_cursor}`)
  assert.deepEqual([first.has_more, rest.has_more], [true, false])
  assert.deepEqual([...first.data, ...rest.data], observed.data)

  await api.run(
    `update subscriber set first_name = '=1+1' where workspace_id = ${w.shop.id} and email like 'person2@%'`,
  )
  await assertExportsListed(w, id, [...ledgerStatuses, 'cancelled', 'bounced'])
  const answer = await w.exported(id, 'failed')
  assert.match(
    answer.headers.get('content-disposition') ?? '',
    /attachment; filename="?news-failed\.csv/,
  )
  const lines = (await answer.text()).split('\r\n')
  assert.match(lines[0] ?? '', /^email,name,outcome,ledger,reason,meaning,detail,/)
  assert.equal(lines.length, 4)
  assert.match(
    lines[1] ?? '',
    /^person2@run3\.example,'=1\+1,failed,failed,refused,refused_by_policy,/,
  )
  assertAnswered(await w.act(id, 'POST /release'), 200, {
    reopened: 1,
    run: { campaign: { progress: { in_doubt: 0, pending: 3 } } },
  })
  assertAnswered(await w.act(id, 'POST /retry'), 200, {
    reopened: 1,
    run: { campaign: { progress: { failed: 1 } } },
  })
  assert.deepEqual((await auditOf(w)).slice(-3), [
    'campaign.exported',
    'campaign.released',
    'campaign.retried',
  ])
})

test('recipients are exported by who proved who they are, of the list that was looked at, and the audit log has their number', async () => {
  const [w, other] = [await world(3), await world(1)]
  const id = await draftOf(api, w.shop, { name: 'News' })
  const line = 'POST /recipients/export'
  const { frozenAt } = await w.run(id)
  assert.equal(frozenAt, null)
  const changed = async (frozen_at: string | null): Promise<void> =>
    assertRefused(await w.act(id, line, { frozen_at }), 'conflict', { id, reason: 'list_changed' })
  await changed('2026-11-21T08:30:00.000Z')
  assertRefused(await w.act(id, line, {}), 'validation_error', { path: 'frozen_at' })
  await w.act(id, 'POST /send?confirm_recipients=3', {})
  const first = (await w.run(id)).frozenAt
  assertRefused(await w.act(id, line, { frozen_at: first }, w.viewer), 'insufficient_role')
  assertRefused(await w.act(id, line, { frozen_at: first }, other.editor), 'not_found')
  assertRefused(await other.act(id, line, { frozen_at: first }), 'not_found')
  const lines = (await (await w.exported(id)).text()).split('\r\n')
  assert.equal(lines.length, 1 + 3 + 1)

  assertAnswered(await w.act(id, 'POST /undo'), 200, { frozenAt: null })
  await changed(first)
  await w.shop.suppress(`person3@${w.name}.example`, 'manual')
  await api.moveClock('1 second')
  await w.act(id, 'POST /send?confirm_recipients=2', {})
  await changed(first)
  assert.equal((await w.exported(id, 'pending')).status, 200)
  assert.deepEqual(
    await service.db
      .column(sql`
      select details::text from audit_log
      where workspace_id = ${w.shop.id} and act = 'campaign.exported' order by id`)
      .then((rows) => rows.map((row): unknown => JSON.parse(String(row)))),
    [
      { campaign: id, only: null, recipients: 3 },
      { campaign: id, only: 'pending', recipients: 2 },
    ],
  )
  await api.moveClock('20 minutes')
  assertRefused(await w.act(id, line, { frozen_at: first }), 'fresh_sign_in_required')
  await api.moveClock('0 seconds')
})

test('results separate humans from relays and scanners, and the mail shows each link with its share, leading nowhere', async () => {
  const w = await world(5)
  const text =
    'See https://example.com/much, https://example.com/little and https://example.com/never for {{firstName}}'
  const id = await draftOf(api, w.shop, { name: 'Été & <News>', text })
  assert.equal((await w.file(id, '/heat-map')).status, 404)
  await w.act(id, 'POST /send?confirm_recipients=5', {})
  await api.moveClock('2 minutes')
  service.wake('campaign')
  await untilSent(api, w.shop, id)
  const contacts = (await w.recipients(id)).data.map(({ subscriberId }) => subscriberId)
  const token = (contact: number) =>
    service.linkTokens.make('track', {
      workspaceId: w.shop.id,
      first: id,
      second: contacts[contact] ?? '',
    })
  for (const contact of [0, 1, 2]) await open(api, `/c/${token(contact)}/0`)
  await open(api, `/c/${token(0)}/1`, browser)
  await open(api, `/o/${token(3)}`, gmailRelay)
  await open(api, `/o/${token(4)}`, filter)
  await open(api, `/c/${token(4)}/2`, filter)
  const results = (await w.act(id, 'GET /results', undefined, w.viewer))
    .body as AnswerOf<'getCampaignResults'>['body']
  assert.deepEqual([results.counts.opened, results.counts.clicked], [4, 3])
  assert.deepEqual(
    [results.openers, results.scanners],
    [
      { people: 3, relays: 1 },
      { opens: 1, moreOpens: false, clicks: 1, moreClicks: false },
    ],
  )
  // The first day by hour, then six days; what a process of the previous version counted has the
  // windows of six hours.
  const [firstHour] = results.bars
  assert.deepEqual(firstHour, { from: 0, hours: 1, opened: 4, clicked: 3 })
  assert.deepEqual(
    results.bars.map(({ hours }) => hours),
    [...Array<number>(24).fill(1), ...Array<number>(6).fill(24)],
  )
  await api.run(
    `update campaign_tally set count = count - 1 where measure = 'opened_at' and campaign_id = '${id}'`,
  )
  const before = (await w.act(id, 'GET /results', undefined, w.viewer))
    .body as AnswerOf<'getCampaignResults'>['body']
  assert.deepEqual(before.bars[0], { from: 0, hours: 6, opened: 4, clicked: 3 })
  assert.equal(before.bars.length, 8)
  await recountCampaign(service.db, { workspaceId: w.shop.id, campaignId: id })
  await api.run(
    `update campaign_recipient set unsubscribed_at = facteur_now() where subscriber_id = '${contacts[1]}'`,
  )
  const places = async (only: string) =>
    (await w.recipients(id, `?only=${only}`)).data.map(({ subscriberId }) =>
      contacts.indexOf(subscriberId),
    )
  assert.deepEqual(
    [await places('opened'), await places('clicked'), await places('unsubscribed')],
    [[0, 1, 2, 3], [0, 1, 2], [1]],
    'requests of scanners make no recipient an opener',
  )
  assert.deepEqual(
    results.links.map(({ position, clicks, share }) => [position, clicks, share]),
    [
      [0, 3, 0.75],
      [1, 1, 0.25],
      [2, 0, 0],
    ],
  )
  const frame = await w.file(id, '/heat-map?language=en', w.viewer)
  assert.match(frame.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
  const html = await frame.text()
  assert.match(html, /data-heat="4"[^>]*>[^<]*<span data-heat-figure="4">75% · 3<\/span><\/a>/)
  assert.match(html, /<span data-heat-figure="2">25% · 1<\/span>/)
  assert.match(html, /<span data-heat-figure="0">0% · 0<\/span>/)
  assert.doesNotMatch(html, /href="https?:/)
  assert.match(await (await w.file(id, '/heat-map?language=fr', w.viewer)).text(), /75\s% · 3/)

  await assertExportsListed(w, id)
  const csv = await w.file(id, '/results/export?format=csv', w.viewer)
  assert.match(csv.headers.get('content-disposition') ?? '', /filename="?ete-news-results\.csv/)
  const lines = (await csv.text()).split('\r\n')
  for (const line of [
    'counts,opened,4,',
    'openers,relays,1,',
    'scanners_not_counted,clicks,1,',
    'link,https://example.com/much,3,0.7500',
  ])
    assert.ok(
      lines.some((written) => written.startsWith(line)),
      line,
    )
  const json: unknown = await (await w.file(id, '/results/export?format=json', w.viewer)).json()
  // Feedback on deliveries comes meanwhile.
  const { campaign, openers, scanners, links, audience } = results
  assert.partialDeepStrictEqual(json, { campaign, openers, scanners, links, audience })
})

test('the pace of a campaign under way says when it ends; while it stands still nothing is promised', async () => {
  const w = await world(40)
  const id = await draftOf(api, w.shop)
  await w.act(id, 'POST /send?confirm_recipients=40', {})
  await w.act(id, 'POST /pause')
  const [tenth] = await service.db.rows<{ id: string }>(sql`
    select subscriber_id as id from campaign_recipient where workspace_id = ${w.shop.id} and campaign_id = ${id} order by 1 offset 9 limit 1`)
  await api.stopTime()
  await api.run(`update campaign_recipient set state = 'settled', status = 'sent', sent_at = facteur_now() - interval '10 seconds'
    where campaign_id = '${id}' and subscriber_id <= '${tenth?.id}'`)
  await api.run(
    `update campaign_run set pending = 30, sent = 10, claimed_to = '${tenth?.id}' where campaign_id = '${id}'`,
  )
  assert.deepEqual([(await w.run(id)).perSecond, (await w.run(id)).estimatedEndAt], [null, null])
  // Held back all the same, so that nothing of it leaves while it is looked at.
  await api.run(`update campaign set paused_at = null where id = '${id}'`)
  const { perSecond, estimatedEndAt, now } = await w.run(id)
  assert.ok(perSecond !== null && perSecond > 0.5 && perSecond <= 1, `${perSecond} a second`)
  const leftMs = Date.parse(estimatedEndAt ?? '') - Date.parse(now)
  assert.ok(leftMs >= 30_000 && leftMs < 60_000, `${leftMs} ms`)
  await api.moveClock('0')
  await untilCampaign(api, w.shop, id, ({ pending }) => pending === 30)
  assert.equal(at(await w.act(id, 'POST /cancel'), 'body', 'campaign', 'progress', 'failed'), 30)
})

test('the count of excluded recipients stops at a limit, and the answer says that there are more', async () => {
  const { shop } = await world(2)
  const max = notReachedCountedMax
  await api.run(`insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
    select ${shop.id}, gen_random_uuid(), n || '@waits.example', case when n <= 3 then 'bounced' else 'pending' end, facteur_now(), facteur_now()
    from generate_series(1, ${max + 4}) n`)
  const campaign = { workspaceId: shop.id, campaignId: await draftOf(api, shop) }
  assert.deepEqual(await countAudience(service, campaign), {
    reachable: 2,
    notReached: [
      { reason: 'bounced', name: null, count: 3, more: false },
      { reason: 'pending', name: null, count: max, more: true },
    ],
  })
})
