/**
 * Gmail's spam rate of a day suspends by itself and is never added to counted complaints; when it
 * ends, and whom it concerns. The rates come from a server with the shapes of Google's API.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  applyGmailRates,
  pollPostmaster,
  type PollEnd,
} from '../../../src/core/postmaster/poll-postmaster.ts'
import type { PostmasterAccount } from '../../../src/core/postmaster/postmaster-api.ts'
import { pollWhenDue } from '../../../src/core/postmaster/schedule-postmaster.ts'
import { readServiceAccount } from '../../../src/core/postmaster/service-account.ts'
import { sql } from '../../../src/database/client/sql.ts'
import {
  beginReputationEpoch,
  setReputationFloors,
} from '../../../src/db/workspaces/account-status.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { ask, assertRefused } from '../../support/ask.ts'
import { addSubscribers, draftOf, send } from '../../support/campaign-world.ts'
import { daysAgo, startGoogleStandIn } from '../../support/google-stand-in.ts'
import { at } from '../../support/json.ts'
import { accepted, post, startRelayWorld } from '../../support/relay-world.ts'

const warned: string[] = []
const quiet = () => undefined
const log = {
  debug: quiet,
  info: quiet,
  warn: (fields: object, message: string) =>
    void warned.push(`${message} ${JSON.stringify(fields)}`),
  error: (fields: object, message: string) => console.error(message, fields),
}
const world = await startRelayWorld({ log })
const { service } = world
const { db } = service
const google = await startGoogleStandIn()
after(() => google.close())

const account = (keyFile: object = google.keyFile) => ({
  account: readServiceAccount(JSON.stringify(keyFile), 'key.json'),
  user: null,
  endpoint: google.url,
})
const polling = {
  databases: service.databases,
  outbound: service.outbound,
  clock: service.clock,
  log,
}
const poll = (of: PostmasterAccount = account()): Promise<PollEnd> =>
  pollPostmaster(polling, { account: of, signal: new AbortController().signal })

/**
 * A workspace whose domain Google shows to the account, with enough hand-offs for its rates to
 * count.
 */
async function enrolled(name: string, rates: Record<string, number>): Promise<TestWorkspace> {
  const workspace = await world.workspace(name)
  await workspace.setReputation({ handOffs: 1_000, bounces: 0, complaints: 0 })
  google.domains.set(workspace.domain, { rates })
  return workspace
}
const sendingOf = async ({ key }: TestWorkspace) =>
  at((await ask(world.baseUrl, 'GET /api/v1/me', { key })).body, 'sending')
const noticesOf = ({ id }: TestWorkspace): Promise<{ subject: string; text: string }[]> =>
  db.rows(sql`
    select m.subject, b.text from message m join message_body b on b.workspace_id = m.workspace_id and b.message_id = m.id
    where m.workspace_id = ${id} and m.notice order by m.created_at, m.id`)

test('403 reputation_blocked: one day above 0.1 %, though nobody complained here; one notice says which day', async () => {
  const shop = await enrolled('gmail high', {
    [daysAgo(4)]: 0.0004,
    [daysAgo(3)]: 0.0021,
    [daysAgo(2)]: 0.0003,
  })
  assert.equal((await post(world, shop)).status, 202)
  await addSubscribers(world, shop, 2)
  const campaign = await draftOf(world, shop)
  assert.partialDeepStrictEqual(await poll(), { kind: 'read' })
  assertRefused(await send(world, shop, campaign), 'validation_error', {
    reason: 'reputation_blocked',
  })
  assertRefused(await post(world, shop), 'reputation_blocked', {
    ...{ suspended_by: 'gmail_spam_rate', complaints: 0, complaint_rate: 0 },
    gmail: {
      domain: shop.domain,
      day: daysAgo(3),
      spam_rate: 0.0021,
      until: `${daysAgo(-5)}T00:00:00.000Z`,
    },
  })
  assert.partialDeepStrictEqual(await sendingOf(shop), {
    ...{ status: 'suspended', suspended_by: 'gmail_spam_rate', complaint_rate: 0 },
  })
  await poll()
  const notices = await noticesOf(shop)
  assert.equal(notices.length, 1)
  assert.match(notices[0]?.text ?? '', /ont signalé comme spam 0,21\s% des e-mails/)
  const counted = await db.value<number>(
    sql`select sum(complaints)::int from reputation_day where workspace_id = ${shop.id}`,
  )
  assert.equal(counted, 0, 'the rate is no complaint')
})

test('202: exactly 0.1 % on each day', async () => {
  const shop = await enrolled('gmail at the limit', { [daysAgo(3)]: 0.001, [daysAgo(2)]: 0.001 })
  await poll()
  assert.equal((await post(world, shop)).status, 202)
  assert.deepEqual(await noticesOf(shop), [])
})

test('202: no day is published, since Gmail gets too little mail', async () => {
  const shop = await enrolled('gmail silent', {})
  await poll()
  assert.equal((await post(world, shop)).status, 202)
})

test('202 with fewer hand-offs than the minimum: the mail of the domain may leave elsewhere; 403 as soon as there are enough', async () => {
  const shop = await enrolled('gmail elsewhere', { [daysAgo(2)]: 0.3 })
  await shop.setReputation({ handOffs: 99, bounces: 0, complaints: 0 })
  await poll()
  assert.equal((await post(world, shop)).status, 202)
  await setReputationFloors(db, shop.id, { handOffs: 10, bounces: null, complaints: null })
  assertRefused(await post(world, shop), 'reputation_blocked')
})

test('a day counts for seven more, and ends by itself; no lucky day ends it sooner', async () => {
  const shop = await enrolled('gmail ends', { [daysAgo(8)]: 0.01, [daysAgo(2)]: 0.0001 })
  await poll()
  assert.equal((await post(world, shop)).status, 202, 'eight days ago')
  google.domains.set(shop.domain, { rates: { [daysAgo(7)]: 0.01, [daysAgo(2)]: 0.0001 } })
  await poll()
  assertRefused(await post(world, shop), 'reputation_blocked')
  assert.partialDeepStrictEqual(await sendingOf(shop), { status: 'suspended' })
  // Without another call: the time alone ends it.
  await db.count(
    sql`update workspace set gmail_suspended_until = facteur_now() where id = ${shop.id}`,
  )
  assert.equal((await post(world, shop)).status, 202)
})

test('Google corrects a day: what no longer exceeds ends the suspension', async () => {
  const shop = await enrolled('gmail corrects', { [daysAgo(3)]: 0.005 })
  await poll()
  assertRefused(await post(world, shop), 'reputation_blocked')
  google.domains.set(shop.domain, { rates: { [daysAgo(3)]: 0.0009 } })
  await poll()
  assert.equal((await post(world, shop)).status, 202)
})

test('resumed by hand: rates of the days until then count no more, also when Google publishes them later', async () => {
  const shop = await enrolled('gmail resumed', { [daysAgo(3)]: 0.02 })
  await poll()
  assertRefused(await post(world, shop), 'reputation_blocked')
  await beginReputationEpoch(db, shop.id)
  await shop.setReputation({ handOffs: 1_000, bounces: 0, complaints: 0 })
  assert.equal((await post(world, shop)).status, 202)
  google.domains.set(shop.domain, {
    rates: { [daysAgo(3)]: 0.02, [daysAgo(1)]: 0.02, [daysAgo(0)]: 0.02 },
  })
  await poll()
  assert.equal((await post(world, shop)).status, 202)
  // A day after it counts again.
  await db.count(
    sql`update workspace set reputation_began_at = facteur_now() - interval '2 days' where id = ${shop.id}`,
  )
  await applyGmailRates(service, shop.id)
  assertRefused(await post(world, shop), 'reputation_blocked')
})

test('a domain that two workspaces have verified suspends both; one that is not verified, or another name, suspends nobody', async () => {
  const testWorkspace = await enrolled('gmail shared one', {})
  const two = await enrolled('gmail shared two', {})
  const other = await enrolled('gmail not proven', {})
  for (const workspace of [testWorkspace, two]) await workspace.addDomain('shared.test')
  await other.addDomain('shared.test', { verified: false })
  google.domains.set('shared.test', { rates: { [daysAgo(2)]: 0.002 } })
  google.domains.set(`sub.${other.domain}`, { rates: { [daysAgo(2)]: 0.9 } })
  await poll()
  for (const workspace of [testWorkspace, two])
    assertRefused(await post(world, workspace), 'reputation_blocked')
  assert.equal((await post(world, other)).status, 202)
})

test('who removes the domain ends no suspension', async () => {
  const shop = await enrolled('gmail removes', { [daysAgo(2)]: 0.004 })
  await shop.addDomain('second.test')
  await poll()
  await db.count(sql`delete from domain where workspace_id = ${shop.id} and name = ${shop.domain}`)
  await poll()
  assertRefused(await post(world, shop, { from: 'hello@second.test' }), 'reputation_blocked', {
    gmail: { domain: shop.domain },
  })
})

test('while suspended, mail that was accepted before still leaves', async () => {
  const shop = await enrolled('gmail still goes', { [daysAgo(2)]: 0.004 })
  const id = await accepted(world, shop, {
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  await poll()
  assertRefused(await post(world, shop), 'reputation_blocked')
  assert.equal(
    (await ask(world.baseUrl, `GET /api/v1/emails/${id}`, { key: shop.key })).status,
    200,
  )
})

test('lists of several pages, lines that say nothing, and a domain that Google refuses: the others are read', async () => {
  google.pageMax = 1
  const shop = await enrolled('gmail pages', {
    [daysAgo(5)]: 0.0001,
    [daysAgo(4)]: 0.0002,
    [daysAgo(3)]: 7,
    [daysAgo(2)]: 0.0003,
  })
  google.domains.set(shop.domain, {
    rates: google.domains.get(shop.domain)?.rates ?? {},
    needsWork: ['DMARC_POLICY', 'lower case'],
    compliant: ['SPF', 'DKIM'],
  })
  const away = await enrolled('gmail refuses', {})
  google.domains.set(away.domain, {
    rates: {},
    failure: { status: 403, message: 'The caller \u001B[31mdoes not have permission' },
  })
  const hidden = await enrolled('gmail hidden', { [daysAgo(2)]: 0.5 })
  google.domains.set(hidden.domain, { rates: { [daysAgo(2)]: 0.5 }, permission: 'NONE' })
  assert.partialDeepStrictEqual(await poll(), { kind: 'read' })
  google.pageMax = 200
  const days = await db.column<string>(
    sql`select to_char(day, 'YYYY-MM-DD') from postmaster_day where workspace_id = ${shop.id} order by day`,
  )
  assert.deepEqual(days, [daysAgo(5), daysAgo(4), daysAgo(2)], 'a rate of 700 % is none')
  const shown = await db.onlyRow<object>(
    sql`select needs_work, compliant, problem from postmaster_domain where workspace_id = ${shop.id}`,
  )
  assert.deepEqual(shown, {
    needsWork: ['DMARC_POLICY'],
    compliant: ['SPF', 'DKIM', 'ONE_CLICK_UNSUBSCRIBE'],
    problem: null,
  })
  const problem = await db.value<string>(
    sql`select problem from postmaster_domain where workspace_id = ${away.id}`,
  )
  assert.match(
    problem ?? '',
    /^127\.0\.0\.1:\d+ answered 403: The caller  \[31mdoes not have permission$/,
  )
  assert.equal(
    await db.value(
      sql`select count(*)::int from postmaster_domain where workspace_id = ${hidden.id}`,
    ),
    0,
  )
  assert.equal((await post(world, hidden)).status, 202)
})

test('a round is made by one process at a time, again after six hours, and after an hour when it failed', async () => {
  const signal = new AbortController().signal
  const round = (of = account()): Promise<void> =>
    pollWhenDue({ ...polling, db }, { account: of, signal })
  const tokens = (): number => google.requests.filter((call) => call === 'POST /token').length
  const age = (interval: string) =>
    world.run(
      `update postmaster_state set tried_at = tried_at - interval '${interval}', read_at = read_at - interval '${interval}'`,
    )
  const before = tokens()
  await Promise.all([round(), round(), round()])
  assert.equal(tokens(), before + 1)
  await age('5 hours')
  await round()
  assert.equal(tokens(), before + 1)
  await age('70 minutes')
  google.refuses = 429
  await round()
  assert.equal(tokens(), before + 2)
  const failed = await db.onlyRow<{ error: string; read: boolean }>(
    sql`select error, read_at is not null as read from postmaster_state`,
  )
  assert.match(failed.error, /429: Quota exceeded/)
  assert.equal(failed.read, true, 'what was read stays known')
  google.refuses = null
  await round()
  assert.equal(tokens(), before + 2)
  await age('61 minutes')
  await round()
  assert.equal(tokens(), before + 3)
  assert.equal(await db.value(sql`select error from postmaster_state`), null)
})

test('the signed text names the account, the scopes and the user; a wrong key is refused, and no secret is said anywhere', async () => {
  assert.equal((await poll({ ...account(), user: 'admin@acme.example' })).kind, 'read')
  assert.partialDeepStrictEqual(google.claims, {
    iss: 'postmaster@acme-mail.iam.gserviceaccount.com',
    sub: 'admin@acme.example',
    aud: `${google.url}/token`,
    scope:
      'https://www.googleapis.com/auth/postmaster.traffic.readonly https://www.googleapis.com/auth/postmaster.domain',
  })
  const { iat, exp } = google.claims as { iat: number; exp: number }
  assert.equal(exp - iat, 600)
  const other = await startGoogleStandIn()
  const wrong = await poll(
    account({ ...google.keyFile, private_key: other.keyFile['private_key'] }),
  )
  await other.close()
  assert.deepEqual(
    wrong.kind === 'failed' && wrong.why.replace(/:\d+ /, ' '),
    '127.0.0.1 answered 400: Invalid JWT Signature.',
  )
  const secrets = [String(google.keyFile['private_key']).slice(40, 80), 'ya29.']
  const stored = JSON.stringify(await db.rows(sql`select * from postmaster_state`)) + warned.join()
  for (const secret of secrets) assert.ok(!stored.includes(secret))
})

test('an address that is not called is not called: the address check of the outbound client holds here too', async () => {
  for (const changed of [
    { ...account(), endpoint: 'http://169.254.169.254' },
    account({ ...google.keyFile, token_uri: 'http://10.0.0.1/token' }),
  ]) {
    const end = await poll(changed)
    assert.match(end.kind === 'failed' ? end.why : '', /has an address that is not called/)
  }
})

test('a key file that is none is refused in one line that holds nothing of it', () => {
  const files: [changes: object, why: RegExp][] = [
    [{ type: 'authorized_user' }, /"type": "service_account"/],
    [{ client_email: 'nobody' }, /client_email is no address/],
    [{ private_key: 'no key' }, /private_key is no RSA key/],
    [{ token_uri: '' }, /token_uri is no address/],
  ]
  for (const [changes, why] of files) {
    const text = JSON.stringify({ ...google.keyFile, ...changes })
    assert.throws(
      () => readServiceAccount(text, 'FACTEUR_GOOGLE_POSTMASTER_KEY: /keys/g.json'),
      (error: Error) =>
        why.test(error.message) &&
        !error.message.includes('\n') &&
        !error.message.includes('PRIVATE'),
    )
  }
  assert.throws(() => readServiceAccount('{', 'x'), /holds no key of a service account/)
})
