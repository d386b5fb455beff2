/**
 * `facteur restore hold`, `release` and `discard`: everything that would leave, held and given
 * back, or given up.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { addSubscribers, draftOf, send } from '../support/campaign-world.ts'
import { runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { releaseLostRecipients } from '../../src/db/campaigns/campaign-leases.ts'
import { connect } from '../../src/database/client/connect.ts'
import { withheldLines } from '../../src/entrypoints/cli/restore/withheld-words.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({ workers: false })
const { url } = api.database
const workspace = await api.workspace('acme', { monthlyQuota: 1_000 })
const operator = createOperator({
  DATABASE_URL: url,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
})
const rows = async (statement: string): Promise<Record<string, unknown>[]> =>
  (await runOn(url, statement)).rows
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString()
const receiver = await startReceiver()
await operator.json([
  'webhook',
  'create',
  '--workspace',
  'acme',
  '--events',
  'email.failed,subscriber.created',
  receiver.url,
])

/** What decides whether and when something leaves. */
const pending = () =>
  Promise.all([
    rows(
      'select message_id, position, state, lane, next_at from recipient order by message_id, position',
    ),
    rows(
      'select id, status, scheduled_at, paused_at is not null as paused, pause_reason, notice from campaign order by id',
    ),
    rows(
      `select campaign_id, pending, opens_at = 'infinity' as stopped from campaign_run order by campaign_id`,
    ),
    rows(
      'select event_id, status, next_at is not null as due from webhook_delivery order by event_id',
    ),
    rows('select id, next_at is not null as due from sign_up order by id'),
    rows('select id, state, next_at is not null as due from import_file order by id'),
  ])
const used = async (): Promise<unknown> => (await rows('select used from quota_usage'))[0]?.['used']

test('hold: nothing is due any more; release gives each back what it was; a second hold finds nothing new', async () => {
  await fill()
  const before = await pending()
  await operator.refused(['restore', 'hold'], {
    code: 'usage',
    exit: 2,
    message: /would be held until it is released\..* give --yes/,
  })
  const withheld = await operator.json(['restore', 'hold', '--yes'])
  assert.partialDeepStrictEqual(at(withheld, 'data', '0'), {
    ...{
      slug: 'acme',
      mails: 2,
      campaigns: 3,
      campaign_recipients: 6,
      webhook_deliveries: 1,
      sign_ups: 1,
      imports: 1,
    },
  })
  const [mails, campaigns, runs, deliveries, signUps, imports] = await pending()
  assert.deepEqual(new Set(mails.map(({ lane }) => lane)), new Set(['held']))
  assert.ok(
    campaigns.every(
      ({ status, paused, notice }) =>
        paused === true || (status === 'draft' && notice === 'restore'),
    ),
  )
  assert.ok(runs.every(({ stopped }) => stopped === true))
  assert.ok([...deliveries, ...signUps, ...imports].every(({ due }) => due === false))
  await operator.json(['restore', 'hold', '--yes'])
  assert.partialDeepStrictEqual(at(await operator.json(['restore', 'review']), 'data', '0'), {
    mails: 2,
    campaigns: 3,
  })

  await operator.json(['restore', 'release', '--workspace', 'acme', '--yes'])
  assert.deepEqual(await pending(), before)
  assert.deepEqual(at(await operator.json(['restore', 'review']), 'data'), [])
})

test('the words of what is held: scheduled mail is due later, a scheduled campaign has no recipients yet', () => {
  const now = new Date('2026-11-23T12:00:00Z')
  const counts = {
    mails: 1,
    started: 0,
    campaigns: 1,
    recipients: 0,
    deliveries: 0,
    signUps: 0,
    imports: 0,
    knownSent: 0,
  }
  const wordsOf = (since: string): string =>
    withheldLines(
      [{ ...counts, workspaceId: 1, slug: 'acme', isUndecided: true, since: new Date(since) }],
      {
        now,
        isReview: true,
      },
    )[1] ?? ''
  assert.equal(
    wordsOf('2026-11-23T13:00:00Z'),
    '- acme: 1 mail, 1 campaign; the first is due at 2026-11-23 13:00 UTC',
  )
  assert.equal(
    wordsOf('2026-11-23T11:00:00Z'),
    '- acme: 1 mail, 1 campaign; the oldest was due at 2026-11-23 11:00 UTC',
  )
})

test('new mail after the hold waits for nothing; a held campaign is resumed by no user', async () => {
  await operator.json(['restore', 'hold', '--yes'])
  const { status } = await ask(api.baseUrl, 'POST /api/v1/emails', {
    key: workspace.key,
    body: mail({ scheduled_at: inAnHour() }),
  })
  assert.equal(status, 202)
  assert.equal((await rows(`select 1 from recipient where lane = 'transactional'`)).length, 1)
  await operator.refused(['campaign', 'resume', '--workspace', 'acme', campaigns.sending], {
    code: 'conflict',
    exit: 1,
    message: /./,
  })
})

test('discard by campaign, then all: failed with the cause, published, the quota given back; what is new stays', async () => {
  const before = Number(await used())
  await operator.json(['restore', 'discard', '--campaign', campaigns.scheduled, '--yes'])
  assert.deepEqual(
    await rows(`select status, notice from campaign where id = '${campaigns.scheduled}'`),
    [{ status: 'draft', notice: 'restore' }],
  )
  const result = await operator.json(['restore', 'discard', '--all', '--yes'])
  assert.partialDeepStrictEqual(at(result, 'data', '0'), {
    mails: 2,
    campaigns: 2,
    webhook_deliveries: 1,
    sign_ups: 1,
    imports: 1,
  })
  assert.deepEqual(
    await rows(`select distinct state, status, cause, error from recipient where lane = 'held'`),
    [
      {
        state: 'settled',
        status: 'failed',
        cause: 'discarded',
        error: 'discarded after a restore',
      },
    ],
  )
  assert.equal(
    (await rows(`select 1 from recipient where lane = 'transactional' and state = 'pending'`))
      .length,
    1,
  )
  assert.equal(Number(await used()), before - 2)
  assert.equal((await rows(`select 1 from event where type = 'email.failed'`)).length, 2)
  assert.deepEqual(
    await rows(`select count(*)::int as canceled from campaign where canceled_at is not null`),
    [{ canceled: 2 }],
  )
  assert.deepEqual(
    await rows(`select status, error from webhook_delivery where type = 'subscriber.created'`),
    [{ status: 'failed', error: 'discarded after a restore' }],
  )
  assert.deepEqual(await rows('select 1 from sign_up'), [])
  assert.deepEqual(
    (await rows('select state from import_file')).map(({ state }) => state),
    ['stopped'],
  )
  const acts = await rows(`select act from audit_log where act like 'restore.%'`)
  assert.ok(
    acts.some(({ act }) => act === 'restore.discarded') &&
      acts.some(({ act }) => act === 'restore.released'),
  )
})

test('open invitations are withdrawn; an import that a user started and stopped since stays stopped', async () => {
  await runOn(
    url,
    `insert into user_link (digest, id, purpose, workspace_id, email, role, expires_at)
       values ('\\x00', gen_random_uuid(), 'invitation', ${workspace.id}, 'eve@example.com', 'editor', facteur_now() + interval '1 day');
     update import_file set state = 'importing', next_at = facteur_now()`,
  )
  await operator.json(['restore', 'hold', '--yes'])
  assert.deepEqual(await rows('select 1 from user_link'), [])
  await runOn(url, `update import_file set ended_at = facteur_now() + interval '1 minute'`)
  await operator.json(['restore', 'release', '--all', '--yes'])
  assert.deepEqual(await rows('select state from import_file'), [{ state: 'stopped' }])
})

test('in doubt: review and release count what the start will find, with its command; a lease was due before the copy', async () => {
  const id = await draftOf(api, workspace)
  assert.equal((await send(api, workspace, id)).status, 202)
  await ask(api.baseUrl, 'POST /api/v1/emails', {
    key: workspace.key,
    body: mail({ scheduled_at: inAnHour() }),
  })
  await runOn(
    url,
    `update recipient set state = 'leased', next_at = facteur_now() + interval '1 minute' where state = 'pending';
     update campaign_recipient set state = 'leased', fence = 1, leased_until = facteur_now() + interval '1 minute'
       where campaign_id = '${id}' and subscriber_id = (select min(subscriber_id::text)::uuid from campaign_recipient where campaign_id = '${id}');
     update campaign_run set claimed_to = (select min(subscriber_id::text)::uuid from campaign_recipient where campaign_id = '${id}')
       where campaign_id = '${id}'`,
  )
  await operator.json(['restore', 'hold', '--yes'])
  const before = await operator.json(['restore', 'review'])
  const withheld = (
    at(before, 'campaigns') as {
      id: string
      recipients: number
      pending: number
      in_doubt: number
    }[]
  ).find((each) => each.id === id)
  const toGo = withheld?.pending ?? 0
  assert.deepEqual([withheld?.recipients, withheld?.in_doubt], [toGo + 1, 1])
  assert.partialDeepStrictEqual(at(before, 'in_doubt'), [{ id, workspace: 'acme', recipients: 1 }])
  assert.ok(
    String(at(before, 'data', '0', 'since')) <= String(at(before, 'restored_from')),
    JSON.stringify(before),
  )
  const db = connect({ connectionString: url, poolSize: 1, applicationName: 'test' })
  await releaseLostRecipients(db, { workspaceId: workspace.id, campaignId: id }, 100)
  await db.end()
  assert.deepEqual(
    await rows(`select pending, in_doubt from campaign_run where campaign_id = '${id}'`),
    [{ pending: toGo, in_doubt: 1 }],
  )
  assert.deepEqual(await operator.json(['restore', 'review']), before)
  const doubt = new RegExp(
    `"[^"]+", 1 recipient in doubt: facteur campaign release --workspace acme ${id}`,
  )
  assert.match(await operator.text(['restore', 'review']), doubt)
  const released = await operator.text(['restore', 'release', '--all', '--yes'])
  assert.match(
    released,
    /^Released in acme: \d+ mails?, \d+ campaigns?, \d+ webhook deliver(?:y|ies), 0 sign-ups, \d imports?\.\n/,
  )
  assert.match(released, doubt)
  assert.match(await operator.text(['restore', 'review']), doubt)
})

const campaigns = { sending: '', paused: '', scheduled: '' }

const mail = (more: object = {}): object => ({
  from: `hello@${workspace.domain}`,
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'It works.',
  ...more,
})

/** One of each that could leave. */
async function fill(): Promise<void> {
  await addSubscribers(api, workspace, 3)
  for (const _ of [1, 2]) {
    const answer = await ask(api.baseUrl, 'POST /api/v1/emails', {
      key: workspace.key,
      body: mail({ scheduled_at: inAnHour() }),
    })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
  }
  campaigns.sending = await draftOf(api, workspace)
  campaigns.paused = await draftOf(api, workspace)
  campaigns.scheduled = await draftOf(api, workspace)
  for (const id of [campaigns.sending, campaigns.paused])
    assert.equal((await send(api, workspace, id)).status, 202)
  await operator.json(['campaign', 'pause', '--workspace', 'acme', campaigns.paused])
  await operator.json([
    'campaign',
    'schedule',
    '--workspace',
    'acme',
    campaigns.scheduled,
    '--scheduled-at',
    inAnHour(),
  ])
  const added = await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    ...{ key: workspace.key, body: { email: 'new@example.com', double_opt_in: false } },
  })
  assert.equal(textAt(added, 'email'), 'new@example.com')
  await runOn(
    url,
    `insert into sign_up (workspace_id, id, form_id, email, shown, created_at, next_at)
       values (${workspace.id}, gen_random_uuid(), gen_random_uuid(), 'b@example.com', 'Yes', facteur_now(), facteur_now());
     insert into import_file (workspace_id, id, name, state, user_email, created_at, next_at)
       values (${workspace.id}, gen_random_uuid(), 'list.csv', 'importing', 'ada@example.com', facteur_now(), facteur_now())`,
  )
}
