/**
 * Links that work once: the set-up link, invitations, new passwords; each opens its own purpose,
 * for its time, and is gone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { makeUserLink } from '../../src/core/identity/user-link.ts'
import { prepareSetUp } from '../../src/core/workspaces/prepare-set-up.ts'
import { totpOf } from '../../src/core/users/totp.ts'
import { contactMailPage } from '../../src/db/audience/contact-pages.ts'
import { sql } from '../../src/database/client/sql.ts'
import { createLocalCapture } from '../../src/providers/local-capture/local-capture.ts'
import type { Provider } from '../../src/providers/provider.ts'
import { startApi } from '../support/api.ts'
import { assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { stopClock } from '../support/database.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { browser, signIn, type Visitor } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

// It stores each mail, where this file reads it, and reports that all of it left.
const provider: Provider = {
  ...createLocalCapture(systemClock),
  name: 'smtp-relay',
  captures: false,
}
const api = await startApi({ entry: operatorEntryPoints(), provider })
const { service } = api
const acme = await api.workspace('acme')
const stranger = browser(api, null)
const password = 'correct horse battery'

/** `…/app/set-up/TOKEN`: the page and its token. */
const tokenOf = (url: string | null): string =>
  /^http:\/\/[^/]+\/app\/(?:set-up|invitation|reset)\/([\w-]{43})$/.exec(url ?? '')?.[1] ?? ''
const post = (path: string, body: object) => stranger.ask(`POST /people/api/v1${path}`, { body })

/** The link of the only mail that went to an address, as it was captured. */
async function mailedLink(email: string): Promise<string> {
  const rows = () =>
    service.db.rows<{ raw: Buffer }>(
      sql`select raw from captured_mail where recipient = ${email} order by captured_at desc limit 1`,
    )
  const { raw } = await until(async () => (await rows())[0])
  return /http:\/\/\S+\/app\/\S+/.exec(raw.toString().replaceAll('=\r\n', ''))?.[0] ?? ''
}

test('the set-up link is new at each start until it was used, makes one owner and the language of their workspace, and never another', async () => {
  const [first = null, second = null] = [
    (await prepareSetUp(service))?.url,
    (await prepareSetUp(service))?.url,
  ]
  assert.notEqual(tokenOf(first), tokenOf(second))
  assertAnswered(await stranger.ask(`GET /people/api/v1/set-up/${tokenOf(first)}`), 200, {
    workspaces: [{ slug: 'acme' }],
  })
  const body = {
    email: 'Ada@example.com',
    name: 'Ada',
    password,
    new_workspace: 'Analytical Engines',
    language: 'fr',
  }
  assertRefused(
    await post(`/set-up/${tokenOf(first)}`, { ...body, password: 'short' }),
    'validation_error',
  )
  assertRefused(
    await post(`/set-up/${tokenOf(first)}`, { ...body, new_workspace: 'acme' }),
    'validation_error',
    {
      rule: 'taken',
    },
  )
  const answers = await Promise.all([
    post(`/set-up/${tokenOf(first)}`, body),
    post(`/set-up/${tokenOf(second)}`, { ...body, email: 'eve@example.com' }),
  ])
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 410])
  const ada = browser(
    api,
    answers.find(({ status }) => status === 200)?.headers.get('set-cookie') ?? null,
  )
  assertAnswered(await ada.ask('GET /people/api/v1/workspaces'), 200, {
    data: [{ slug: 'analytical-engines', role: 'owner' }],
  })
  assertRefused(
    await stranger.ask(`GET /people/api/v1/set-up/${tokenOf(second)}`),
    'link_not_valid',
  )
  assert.equal(await prepareSetUp(service), null)
  assertAnswered(await ada.ask('GET /workspaces/analytical-engines/api/v1/settings'), 200, {
    language: 'fr',
  })
  const added = { name: 'Difference Engines', language: 'en' }
  assertAnswered(await ada.ask('POST /people/api/v1/workspaces', { body: added }), 201)
  assertAnswered(await ada.ask('GET /workspaces/difference-engines/api/v1/settings'), 200, {
    language: 'en',
  })
})

test('an invitation is mailed, appears in no answer, and makes a member with an account of their own', async () => {
  const owner = await signIn(api, { in: { [acme.id]: 'owner' } })
  const invited = await owner.ask('POST /workspaces/acme/api/v1/invitations', {
    body: { email: 'Grace@example.com', role: 'editor' },
  })
  assertAnswered(invited, 201, { email: 'grace@example.com', mailed: true, link: null })
  const token = tokenOf(await mailedLink('grace@example.com'))
  assertAnswered(await stranger.ask(`GET /people/api/v1/invitations/${token}`), 200, {
    ...{ email: 'grace@example.com', role: 'editor', invited_by: owner.email, has_account: false },
  })
  assertRefused(await post(`/invitations/${token}`, {}), 'validation_error', { path: 'password' })
  const accepted = await post(`/invitations/${token}`, { name: 'Grace', password, language: 'fr' })
  assertAnswered(accepted, 200, { slug: 'acme', role: 'editor' })
  const grace = browser(api, accepted.headers.get('set-cookie'))
  assertAnswered(await grace.ask('GET /workspaces/acme/api/v1/me'), 200)
  assertAnswered(await grace.ask('GET /people/api/v1/session'), 200, {
    person: { language: 'fr' },
  })
  assertRefused(await post(`/invitations/${token}`, { name: 'Eve', password }), 'link_not_valid')
  assertRefused(
    await owner.ask('POST /workspaces/acme/api/v1/invitations', {
      body: { email: 'grace@example.com', role: 'owner' },
    }),
    ...(['conflict', { reason: 'already_member' }] as const),
  )
})

test('where mail is captured, a link is shown to the inviting user alone: it is in no list of the workspace, and proves no mailbox', async (t) => {
  provider.captures = true
  t.after(() => {
    provider.captures = false
  })
  const owner = await signIn(api, { in: { [acme.id]: 'owner' } })
  const path = 'GET /workspaces/acme/api/v1/captured'
  const invited = await owner.ask('POST /workspaces/acme/api/v1/invitations', {
    body: { email: 'lise@example.com', role: 'owner' },
  })
  assertAnswered(invited, 201, { mailed: true, shown_because: 'captured' })
  assert.equal(textAt(invited, 'link'), await mailedLink('lise@example.com'))
  assert.ok(
    !JSON.stringify((await owner.ask('GET /workspaces/acme/api/v1/invitations')).body).includes(
      '/app/',
    ),
  )
  await mailedLink('lise@example.com')
  const [mail] = await service.db.rows<{ id: string }>(
    sql`select id from captured_mail where recipient = 'lise@example.com'`,
  )
  assert.ok(mail)
  const observed = JSON.stringify((await owner.ask(`${path}?limit=100`)).body)
  assert.ok(!observed.includes('lise@example.com'))
  for (const below of ['', '/html', '/raw'])
    assert.equal((await owner.ask(`${path}/${mail.id}${below}`)).status, 404, below)
  // Nor where the message is gone that said so.
  await api.run(
    `update captured_mail set message_id = '${service.makeId()}' where id = '${mail.id}'`,
  )
  assert.ok(
    !JSON.stringify((await owner.ask(`${path}?limit=100`)).body).includes('lise@example.com'),
  )
  for (const below of ['', '/html', '/raw'])
    assert.equal((await owner.ask(`${path}/${mail.id}${below}`)).status, 404, below)
  assertAnswered(
    await post(`/invitations/${tokenOf(textAt(invited, 'link'))}`, { name: 'Lise', password }),
    200,
  )
  const [lise] = await service.db.rows(
    sql`select proven_at from user_account where email = 'lise@example.com'`,
  )
  assert.deepEqual(lise, { provenAt: null })
})

test('a workspace that cannot send shows the link to the inviting user; a withdrawn or replaced one is dead', async () => {
  const mute = await api.workspace('mute')
  await api.run(`delete from sender where workspace_id = ${mute.id}`)
  const owner = await signIn(api, { in: { [mute.id]: 'owner' } })
  const inviteAs = (role: string) =>
    owner.ask('POST /workspaces/mute/api/v1/invitations', {
      body: { email: 'joan@example.com', role },
    })
  const [replaced, withdrawn] = [await inviteAs('viewer'), await inviteAs('editor')]
  assertAnswered(withdrawn, 201, { mailed: false, shown_because: 'no_sender' })
  const query = (answer: typeof replaced) =>
    stranger.ask(`GET /people/api/v1/invitations/${tokenOf(textAt(answer, 'link'))}`)
  assertRefused(await query(replaced), 'link_not_valid')
  assertAnswered(await query(withdrawn), 200, { role: 'editor' })
  const list = await owner.ask('GET /workspaces/mute/api/v1/invitations')
  assert.equal(Object(at(list.body, 'data')).length, 1)
  assertAnswered(
    await owner.ask(`DELETE /workspaces/mute/api/v1/invitations/${textAt(withdrawn, 'id')}`),
    200,
  )
  assertRefused(await query(withdrawn), 'link_not_valid')
})

test('an invitation of an existing user is theirs alone to accept, and sets no password', async () => {
  const owner = await signIn(api, { in: { [acme.id]: 'owner' } })
  const [mary, eve] = [
    await signIn(api, { password, email: 'mary@example.com' }),
    await signIn(api),
  ]
  const { url } = await makeUserLink(service, service.db, {
    purpose: 'invitation',
    workspaceId: acme.id,
    email: mary.email,
    role: 'viewer',
  })
  const path = `POST /people/api/v1/invitations/${tokenOf(url)}`
  assertRefused(
    await stranger.ask(path, { body: { password: 'a password of eve' } }),
    'not_signed_in',
  )
  assertRefused(await eve.ask(path, { body: { password: 'a password of eve' } }), 'conflict', {
    reason: 'other_person',
  })
  const accepted = await mary.ask(path, { body: { password: 'not to be taken' } })
  assertAnswered(accepted, 200, { slug: 'acme', role: 'viewer' })
  assert.equal(accepted.headers.get('set-cookie'), null)
  assertAnswered(await post('/session', { email: mary.email, password }), 200)
  assertAnswered(await owner.ask('GET /workspaces/acme/api/v1/members'), 200)
})

test('an invitation by mail proves no address of an existing account: its reader and the signed-in user may differ', async () => {
  const kim = await signIn(api, { password, email: 'kim@example.com' })
  const link = {
    purpose: 'invitation',
    workspaceId: acme.id,
    email: kim.email,
    role: 'viewer',
    mailed: true,
  } as const
  const { url } = await makeUserLink(service, service.db, link)
  assertAnswered(
    await kim.ask(`POST /people/api/v1/invitations/${tokenOf(url)}`, { body: {} }),
    200,
    { slug: 'acme' },
  )
  const rows = await service.db.rows(
    sql`select proven_at from user_account where id = ${kim.userId}`,
  )
  assert.deepEqual(rows, [{ provenAt: null }])
})

test('a link that was handed over shows only to the address’s own user that the account exists', async () => {
  const ruth = await signIn(api, { password, email: 'ruth@example.com' })
  const owner = await signIn(api, { in: { [acme.id]: 'owner' } })
  const invitationOf = async (email: string): Promise<string> => {
    const link = {
      purpose: 'invitation',
      workspaceId: acme.id,
      email,
      role: 'viewer',
      madeBy: owner.userId,
    } as const
    return `/people/api/v1/invitations/${tokenOf((await makeUserLink(service, service.db, link)).url)}`
  }
  const [known, unknown] = [
    await invitationOf(ruth.email),
    await invitationOf('nobody@example.com'),
  ]
  for (const { ask } of [stranger, owner]) {
    for (const path of [known, unknown]) {
      assertAnswered(await ask(`GET ${path}`), 200, { has_account: null })
      for (const body of [{}, { password: 'aaaaaaaaaaaaaaaa' }]) {
        assertRefused(await ask(`POST ${path}`, { body }), 'validation_error', { path: 'password' })
      }
    }
  }
  assertAnswered(await ruth.ask(`GET ${known}`), 200, { has_account: true })
  assertAnswered(await ruth.ask(`POST ${known}`, { body: {} }), 200, { role: 'viewer' })
})

test('a new password is mailed on request, with one answer for every address; the link ends all sessions and works once', async () => {
  const tony = await signIn(api, {
    email: 'tony@example.com',
    password,
    in: { [acme.id]: 'viewer' },
  })
  const [known, unknown] = [
    await post('/password-resets', { email: tony.email }),
    await post('/password-resets', { email: 'nobody@example.com' }),
  ]
  assert.deepEqual([known.status, known.body], [unknown.status, unknown.body])
  const token = tokenOf(await mailedLink(tony.email))
  assertAnswered(await stranger.ask(`GET /people/api/v1/password-resets/${token}`), 200, {
    email: tony.email,
  })
  const contact = { email: tony.email, subscriberId: null, before: null, max: 10 }
  assert.deepEqual(
    await contactMailPage(service.db, acme.id, contact),
    [],
    'no other member sees that they asked for it',
  )
  assertRefused(await post(`/password-resets/${token}`, { password: 'short' }), 'validation_error')
  const renewed = await post(`/password-resets/${token}`, { password: 'another good one' })
  assertAnswered(renewed, 200, { email: tony.email })
  assert.equal(renewed.headers.get('set-cookie'), null)
  assertRefused(await tony.ask('GET /people/api/v1/session'), 'not_signed_in')
  assertRefused(
    await post(`/password-resets/${token}`, { password: 'yet another one' }),
    'link_not_valid',
  )
  assertRefused(await post('/session', { email: tony.email, password }), 'wrong_credentials')
  assertAnswered(await post('/session', { email: tony.email, password: 'another good one' }), 200)
})

test('a new password by mail leaves the second factor of a user with a proven address: a code is still required', async () => {
  const nora = await signIn(api, {
    email: 'nora@example.com',
    password,
    in: { [acme.id]: 'viewer' },
  })
  await api.run(`update user_account set proven_at = facteur_now() where id = '${nora.userId}'`)
  const secret = textAt(await nora.ask('POST /people/api/v1/person/totp'), 'secret')
  // Ahead: where time stood behind a worker's last turn, nothing would be due.
  const step = Math.floor(Date.now() / 30_000) + 1
  await stopClock(api.database.url, new Date(step * 30_000 + 15_000).toISOString())
  const first = { body: { code: totpOf(secret, step) } }
  assertAnswered(await nora.ask('POST /people/api/v1/person/totp/confirmation', first), 200)
  assertAnswered(await post('/password-resets', { email: nora.email }), 202)
  const token = tokenOf(await mailedLink(nora.email))
  assertAnswered(await post(`/password-resets/${token}`, { password: 'another good one' }), 200)
  const body = { email: nora.email, password: 'another good one' }
  assertRefused(await post('/session', body), 'second_factor_required')
  assertAnswered(await post('/session', { ...body, code: totpOf(secret, step + 1) }), 200)
  await api.moveClock('0')
})

test('a new password, by a link or by its user, ends every other open password link', async () => {
  const ways = [
    async ({ ask }: Visitor) =>
      ask('POST /people/api/v1/person/password', { body: { password: 'another good one' } }),
    async ({ userId }: Visitor) => {
      const { url } = await makeUserLink(service, service.db, { purpose: 'reset', userId })
      return post(`/password-resets/${tokenOf(url)}`, { password: 'another good one' })
    },
  ]
  for (const change of ways) {
    const user = await signIn(api, { password })
    const { url } = await makeUserLink(service, service.db, {
      purpose: 'reset',
      userId: user.userId,
    })
    assertAnswered(await change(user), 200)
    assertRefused(
      await post(`/password-resets/${tokenOf(url)}`, { password: 'yet another one' }),
      'link_not_valid',
    )
  }
})

/** A user's passkey, codes and recovery code. */
async function leaveWaysIn(email: string): Promise<void> {
  const whose = `where email = '${email}'`
  await api.run(
    `insert into user_passkey (id, user_id, name, public_key, counter) select id, id, '', '', 0 from user_account ${whose}`,
  )
  await api.run(
    `update user_account set totp_secret = '', totp_since = facteur_now(), recovery_codes = '{x}' ${whose}`,
  )
}

/**
 * Chooses a new password by a link; answers whether it was said, before and after, that the second
 * factor goes with the old one.
 */
async function reset(email: string, { mailed }: { mailed: boolean }): Promise<[unknown, unknown]> {
  const [{ id: userId } = { id: '' }] = await service.db.rows<{ id: string }>(
    sql`select id from user_account where email = ${email}`,
  )
  const path = `/password-resets/${tokenOf((await makeUserLink(service, service.db, { purpose: 'reset', userId, mailed })).url)}`
  const before = await stranger.ask(`GET /people/api/v1${path}`)
  const after = await post(path, { password: 'of the real one' })
  return [at(before.body, 'removes_second_factor'), at(after.body, 'second_factor_removed')]
}

const waysLeft = (email: string) =>
  service.db
    .rows(sql`select totp_since is not null as codes, cardinality(recovery_codes) as recovery,
    (select count(*)::int from user_passkey where user_id = p.id) as passkeys, (select count(*)::int from user_session where user_id = p.id) as sessions
    from user_account p where email = ${email}`)
const allWays = [{ codes: true, recovery: 1, passkeys: 1, sessions: 0 }]

test('the first user’s second factor stays when a new password is mailed to them for the first time', async () => {
  const [{ email } = { email: '' }] = await service.db.rows<{ email: string }>(sql`
    select email from user_account where email in ('ada@example.com', 'eve@example.com')`)
  await leaveWaysIn(email)
  assert.deepEqual(await reset(email, { mailed: true }), [false, false])
  assert.deepEqual(await waysLeft(email), allWays)
})

test('an account that was made by a link handed over is that of its address: the first mailed link drops all that its maker left, and says so', async () => {
  const owner = await signIn(api, { in: { [acme.id]: 'owner' } })
  const email = 'ceo@example.com'
  const link = {
    purpose: 'invitation',
    workspaceId: acme.id,
    email,
    role: 'viewer',
    madeBy: owner.userId,
  } as const
  const { url } = await makeUserLink(service, service.db, link)
  assertAnswered(await post(`/invitations/${tokenOf(url)}`, { name: 'Eve', password }), 200)
  await leaveWaysIn(email)
  // The operator's own link, handed over, shows nothing of a mailbox.
  assert.deepEqual(await reset(email, { mailed: false }), [false, false])
  assert.deepEqual(await waysLeft(email), allWays)
  assert.deepEqual(await reset(email, { mailed: true }), [true, true])
  assert.deepEqual(await waysLeft(email), [{ codes: false, recovery: 0, passkeys: 0, sessions: 0 }])
  assert.match(await mailedLink(email), /\/app\/account$/)
  // A second factor that they set up afterwards stays.
  await leaveWaysIn(email)
  assert.deepEqual(await reset(email, { mailed: true }), [false, false])
  assert.deepEqual(await waysLeft(email), allWays)
})

test('invitations are bounded: fifty mails a day, a hundred that are open; a suspended workspace shows the link and mails nothing', async () => {
  const many = await api.workspace('many')
  const owner = await signIn(api, { in: { [many.id]: 'owner' } })
  const inviteOne = (email: string) =>
    owner.ask('POST /workspaces/many/api/v1/invitations', { body: { email, role: 'viewer' } })
  assertAnswered(await inviteOne('first@example.com'), 201, { mailed: true })
  await api.run(`update sign_in_rate set tries = 50 where bucket = 'invitations ${many.id}'`)
  const braked = await inviteOne('late@example.com')
  assertRefused(braked, 'rate_limit_exceeded')
  assert.ok(Number(braked.headers.get('retry-after')) > 86_000)
  await many.setReputation({ handOffs: 1000, bounces: 500, complaints: 0 })
  assertAnswered(await inviteOne('by-hand@example.com'), 201, {
    mailed: false,
    shown_because: 'suspended',
  })
  await api.run(`insert into user_link (digest, id, purpose, workspace_id, email, role, expires_at)
    select sha256(n::text::bytea), gen_random_uuid(), 'invitation', ${many.id}, n || '@example.com', 'viewer', facteur_now() + interval '1 day'
    from generate_series(1, 98) n`)
  assertRefused(await inviteOne('too-many@example.com'), 'conflict', {
    reason: 'too_many',
    limit: 100,
  })
  assertAnswered(await inviteOne('7@example.com'), 201)
})

test('a member who accepts has the same role as before, and the answer says so', async () => {
  const member = await signIn(api, { email: 'there@example.com', in: { [acme.id]: 'owner' } })
  const link = {
    purpose: 'invitation',
    workspaceId: acme.id,
    email: member.email,
    role: 'viewer',
  } as const
  const { url } = await makeUserLink(service, service.db, link)
  const accepted = await member.ask(`POST /people/api/v1/invitations/${tokenOf(url)}`, { body: {} })
  assertAnswered(accepted, 200, { slug: 'acme', role: 'owner' })
})

test('an unused set-up link is refused once the first user exists', async () => {
  const { url } = await makeUserLink(service, service.db, { purpose: 'set_up' })
  const body = { email: 'second@example.com', name: '', password, new_workspace: 'Second' }
  assertRefused(await post(`/set-up/${tokenOf(url)}`, body), 'link_not_valid')
})

test('410 link_not_valid: a link of another purpose, one past its time, and one that was never made', async () => {
  const somebody = await signIn(api)
  const link = {
    workspaceId: acme.id,
    email: 'x@example.com',
    role: 'owner',
    userId: somebody.userId,
  } as const
  for (const purpose of ['set_up', 'invitation', 'reset'] as const) {
    const token = tokenOf((await makeUserLink(service, service.db, { ...link, purpose })).url)
    const pages = { set_up: 'set-up', invitation: 'invitations', reset: 'password-resets' }
    const body = { email: 'x@example.com', name: '', password, workspace: 'acme' }
    for (const [other, path] of Object.entries(pages)) {
      if (other === purpose) continue
      assertRefused(await stranger.ask(`GET /people/api/v1/${path}/${token}`), 'link_not_valid')
      assertRefused(await post(`/${path}/${token}`, body), 'link_not_valid')
    }
    assertAnswered(await stranger.ask(`GET /people/api/v1/${pages[purpose]}/${token}`), 200)
    await service.db.count(sql`update user_link set expires_at = facteur_now()`)
    assertRefused(
      await stranger.ask(`GET /people/api/v1/${pages[purpose]}/${token}`),
      'link_not_valid',
    )
    assertRefused(await post(`/${pages[purpose]}/${token}`, body), 'link_not_valid')
  }
  assertRefused(await stranger.ask(`GET /people/api/v1/set-up/${'A'.repeat(43)}`), 'link_not_valid')
})
