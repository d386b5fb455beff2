/**
 * Every operation that people reach: who is not signed in, comes from another site, is no member,
 * is not enough of one or was not asked for long gets nothing; nor does anybody reach into another
 * workspace by its identifiers.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleOf, plainSchema } from '../../src/contract/json-schema.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { operationIds, operations, operationsOfUsers } from '../../src/contract/operations.ts'
import { isAtLeast, roles } from '../../src/contract/roles.ts'
import { allScopes } from '../../src/contract/scopes.ts'
import { makeUserLink } from '../../src/core/identity/user-link.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertRefused, textAt, type Answer, type Requested } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { browser, signIn, type Visitor } from '../support/sign-in.ts'
import { asksOf } from '../support/who-may.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { service } = api
const acme = await api.workspace('acme')
const zenith = await api.workspace('zenith')
const owner = await signIn(api, { email: 'owner@acme.test', in: { [acme.id]: 'owner' } })
const member = await signIn(api, { in: { [acme.id]: 'viewer' } })
const foreigner = await signIn(api, { in: { [zenith.id]: 'owner' } })
const stranger = browser(api, null)

const all = operationIds.map((id) => ({
  id,
  operation: operationsOfUsers[id],
  asks: asksOf(id),
}))
const ofWorkspaces = all.filter(({ operation }) => operation.entry !== 'user')
/** A picture of one pixel. */
const png = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
)
const nowhere = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'

interface CallOptions {
  slug?: string
  ids?: Record<string, string>
  headers?: Record<string, string>
  /** In place of the contract's example. */
  body?: object | undefined
  query?: string | undefined
}

/**
 * A call of an operation as the contract shows it, at a workspace, with identifiers that may or may
 * not exist.
 */
function call(
  visitor: Pick<Visitor, 'ask'>,
  { method, path, entry, body, takesFile }: Operation,
  { slug = 'acme', ids = {}, headers = {}, body: input, query = '' }: CallOptions = {},
): Promise<Answer> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_location, name: string) =>
    encodeURIComponent(ids[name] ?? nowhere),
  )
  const request: Requested = takesFile
    ? { raw: 'email\n', type: 'text/csv' }
    : body
      ? { body: input ?? exampleOf(plainSchema(body)) }
      : {}
  return visitor.ask(
    `${method} ${entry === 'user' ? '/people' : `/workspaces/${slug}`}${filled}${query}`,
    {
      ...request,
      headers,
    },
  )
}

/** Several at a time: each waits for the database most of its time. */
async function each<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const walk = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, walk))
}

/** Callers are counted, and all of this file's come from one place. */
const forgetRates = (): Promise<void> =>
  api.run('delete from public.request_rate where workspace_id = 0')

test('the contract asks users for the decided role, session and fresh sign-in', () => {
  for (const { id, operation, asks } of all) {
    const { entry, method, scope, fresh = false } = operation
    const isOfUsers = entry === 'user'
    const role = isOfUsers ? null : (operation.role ?? (method === 'GET' ? 'viewer' : 'editor'))
    assert.deepEqual({ role, signedIn: !isOfUsers || scope !== 'none', fresh }, asks, id)
  }
})

test('401 not_signed_in: every operation but those of signing in and of links, without a session or with an API key', async () => {
  await forgetRates()
  await each(all, async ({ id, operation, asks }) => {
    if (!asks.signedIn) return
    for (const headers of [{}, { authorization: `Bearer ${acme.key}` }]) {
      const answer = await call(stranger, operation, { headers })
      assert.equal(at(answer.body, 'error', 'code'), 'not_signed_in', id)
    }
  })
})

test('404 not_found: every operation of a workspace, to an owner of another, as if there were none', async () => {
  await forgetRates()
  await each(ofWorkspaces, async ({ id, operation }) => {
    const [there, absent] = [
      await call(foreigner, operation),
      await call(foreigner, operation, { slug: 'no-such-workspace' }),
    ]
    assert.equal(at(there.body, 'error', 'code'), 'not_found', id)
    assert.deepEqual(there.body, absent.body, id)
  })
})

test('403 insufficient_role: every operation above their role, to a viewer and to an editor', async () => {
  await forgetRates()
  for (const role of roles) {
    const visitor = await signIn(api, { in: { [acme.id]: role } })
    await each(ofWorkspaces, async ({ id, operation, asks: { role: needed } }) => {
      if (needed === null || isAtLeast(role, needed)) return
      const answer = await call(visitor, operation)
      assert.equal(at(answer.body, 'error', 'code'), 'insufficient_role', id)
      assert.deepEqual(at(answer.body, 'error', 'details'), { required: needed, role }, id)
    })
  }
})

test('403 insufficient_role at once: a user who was an owner until a moment ago, in the same session', async () => {
  const demoted = await signIn(api, { in: { [acme.id]: 'owner' } })
  assert.equal((await demoted.ask('GET /workspaces/acme/api/v1/audit')).status, 200)
  const role = { body: { role: 'viewer' } }
  assert.equal(
    (await owner.ask(`PATCH /workspaces/acme/api/v1/members/${demoted.userId}`, role)).status,
    200,
  )
  assertRefused(await demoted.ask('GET /workspaces/acme/api/v1/audit'), 'insufficient_role')
  assert.equal(
    (await owner.ask(`DELETE /workspaces/acme/api/v1/members/${demoted.userId}`)).status,
    200,
  )
  assertRefused(await demoted.ask('GET /workspaces/acme/api/v1/me'), 'not_found')
})

test('403 fresh_sign_in_required: every sensitive operation, to a user who signed in too long ago', async () => {
  const stale = await signIn(api, { in: { [acme.id]: 'owner' } })
  await service.db.count(sql`
    update user_session set shown_at = shown_at - interval '16 minutes' where user_id = ${stale.userId}`)
  const guarded = all.filter(({ asks }) => asks.fresh)
  for (const { id, operation } of guarded) {
    assert.equal(
      at((await call(stale, operation)).body, 'error', 'code'),
      'fresh_sign_in_required',
      id,
    )
  }
})

test('403 foreign_origin: every change, from another site or from no page at all', async () => {
  await forgetRates()
  await each(all, async ({ id, operation }) => {
    if (operation.method === 'GET') return
    for (const origin of [
      'https://evil.example',
      `${api.baseUrl}.evil.example`,
      'null',
      undefined,
    ]) {
      const visitor = origin === undefined ? withoutOrigin(owner) : owner
      const answer = await call(visitor, operation, {
        headers: origin === undefined ? {} : { origin },
      })
      assert.equal(at(answer.body, 'error', 'code'), 'foreign_origin', `${id} from ${origin}`)
    }
  })
})

/** As `curl` would ask with the cookie. */
const withoutOrigin = ({ cookie }: Visitor): Pick<Visitor, 'ask'> => ({
  ask: (line, requested = {}) =>
    ask(api.baseUrl, line, { ...requested, headers: { ...requested.headers, cookie } }),
})

test('a session does not authorize calls of the API for programs', async () => {
  const answer = await ask(api.baseUrl, 'GET /api/v1/me', { headers: { cookie: owner.cookie } })
  assertRefused(answer, 'missing_api_key')
})

const later = new Date(Date.now() + 86_400_000).toISOString()

/** Bodies that pass, where the contract's example does not by itself. */
const bodies: Record<string, object> = {
  scheduleCampaign: { scheduledAt: later },
}

/** Likewise what must be asked. */
const queries: Record<string, string> = {
  exportCampaignResults: '?format=json',
  sendCampaign: '?confirm_recipients=1',
  countWebhookReplay: `?from=2026-01-01T00:00:00Z&to=${later}`,
}

let seeded: ReturnType<typeof seed> | undefined

/** The records of acme, by the part of the path that names them. */
async function seed(): Promise<Record<string, Record<string, string>>> {
  const make = async (line: string, body: object, ...steps: string[]): Promise<string> =>
    textAt(
      await ask(api.baseUrl, `POST /api/v1${line}`, { key: acme.key, body }),
      ...(steps.length > 0 ? steps : ['id']),
    )
  const keep = async (line: string, body: unknown, ...steps: string[]): Promise<string> =>
    textAt(
      await owner.ask(`POST /workspaces/acme/api/v1${line}`, { body }),
      ...(steps.length > 0 ? steps : ['id']),
    )
  const idAt = async (path: string): Promise<string> =>
    String(at((await owner.ask(`GET /workspaces/acme/api/v1${path}`)).body, 'data', '0', 'id'))
  const mail = { from: 'hello@acme.test', to: 'ines@example.com', subject: 's', text: 't' }
  const webhook = await make('/webhooks', {
    url: 'http://127.0.0.1:1/acme',
    events: ['email.sent', 'subscriber.created'],
  })
  const message = await make('/emails', mail)
  await make('/subscribers', { email: 'ines@example.com', tags: ['acme'], double_opt_in: false })
  await make('/suppression', { email: 'gone@acme.test' }, 'email')
  await ask(api.baseUrl, 'GET /api/v1/me', {
    key: await keep('/keys', { name: 'acme', scopes: allScopes }, 'key'),
  })
  await keep('/forms', exampleOf(plainSchema(operations.createForm.body)))
  await owner.ask('POST /workspaces/acme/api/v1/images?name=acme.png', {
    raw: png,
    type: 'image/png',
  })
  const upload = async (path: string): Promise<string> =>
    textAt(
      await owner.ask(`POST /workspaces/acme/api/v1${path}?name=acme.csv`, {
        raw: 'email\nx@example.com\n',
        type: 'text/csv',
      }),
      'id',
    )
  const { id: invitation } = await makeUserLink(service, service.db, {
    ...({
      purpose: 'invitation',
      workspaceId: acme.id,
      email: 'x@acme.test',
      role: 'viewer',
    } as const),
  })
  await acme.capturedMails(message, 1)
  return {
    'audience/segments': {
      id: await keep('/audience/segments', { name: 'acme', definition: { all: [] } }, 'id'),
    },
    'audience/bulk': { id: await keep('/audience/bulk/export', { selection: { matching: {} } }) },
    'subscribers/imports': { id: await upload('/imports') },
    emails: { id: await make('/emails', { ...mail, scheduled_at: later }) },
    messages: { id: message, position: '0' },
    captured: { id: await idAt('/captured'), position: '0' },
    subscribers: { email: 'ines@example.com' },
    contacts: { who: 'ines@example.com' },
    audience: { id: await idAt('/subscribers') },
    fields: { key: await keep('/audience/fields', { key: 'acme', name: 'Colour' }, 'key') },
    topics: { id: await keep('/audience/topics', { name: 'acme' }) },
    campaigns: { id: await make('/campaigns', { name: 'n', subject: 's', text: 't' }) },
    webhooks: {
      id: webhook,
      deliveryId: await make(`/webhooks/${webhook}/test`, {}, 'delivery_id'),
    },
    events: {
      id: String(
        at(
          (await ask(api.baseUrl, 'GET /api/v1/events', { key: acme.key })).body,
          'data',
          '0',
          'id',
        ),
      ),
    },
    imports: { id: await upload('/imports') },
    suppression: { id: await upload('/suppression/imports') },
    forms: { id: await idAt('/forms') },
    keys: { id: await idAt('/keys') },
    senders: { id: await idAt('/senders') },
    domains: { name: 'acme.test' },
    members: { id: member.userId },
    invitations: { id: invitation },
  }
}

test('404 not_found: every identifier of one workspace, given in another, for every operation; in its own, it is found', async () => {
  await forgetRates()
  const seeds = await (seeded ??= seed())
  const seedOf = (path: string): Record<string, string> | undefined =>
    Object.entries(seeds).find(([name]) =>
      path.startsWith('/api/v1/audience/') && /\/(fields|topics)\//.test(path)
        ? path.includes(`/${name}/`) && name !== 'audience'
        : path.startsWith(`/api/v1/${name}/`),
    )?.[1]
  const wrong: string[] = []
  await each(ofWorkspaces, async ({ id, operation }) => {
    if (!operation.path.includes('{')) return
    const ids = seedOf(operation.path)
    if (!ids) return void wrong.push(`${id}: add to seed() what its path names`)
    const answer = await call(foreigner, operation, {
      slug: 'zenith',
      ids,
      body: bodies[id],
      query: queries[id],
    })
    // A list of what was sent to an address is empty where nothing was.
    const isNothing =
      Array.isArray(at(answer.body, 'data')) && Object(at(answer.body, 'data')).length === 0
    if (!isNothing && at(answer.body, 'error', 'code') !== 'not_found')
      wrong.push(`${id}: ${JSON.stringify(answer.body)}`)
    if (operation.method !== 'GET' || operation.answer.file) return
    if ((await call(owner, operation, { ids })).status === 404)
      wrong.push(`${id}: what seed() gives for it is not there`)
  })
  assert.deepEqual(wrong, [])
})

/**
 * Reads without a text of a record: the same for each workspace, or numbers, which tests of their
 * own compare.
 */
const withoutTexts = new Set([
  'getApiMap',
  'listEventKinds',
  'checkWebhookUrl',
  'getConfirmationQueue',
  'getOverview',
  'getInstallation',
  'getStats',
  'getAudienceTotals',
  'countFilteredContacts',
  'countCampaigns',
  'countMessages',
  'countSuppression',
  'countAudit',
  'countRequestLog',
  'getRetention',
  'previewRetention',
  'getApprovalRule',
])

test('every read without an identifier: its answer to one workspace has nothing of another', async () => {
  await forgetRates()
  await (seeded ??= seed())
  await service.requestLog.flush()
  const quiet = await signIn(api, { in: { [(await api.workspace('quiet')).id]: 'owner' } })
  const wrong: string[] = []
  await each(ofWorkspaces, async ({ id, operation: { method, path } }) => {
    if (method !== 'GET' || path.includes('{') || withoutTexts.has(id)) return
    const textOf = async (slug: string, { cookie }: Visitor): Promise<string> =>
      (await fetch(`${api.baseUrl}/workspaces/${slug}${path}`, { headers: { cookie } })).text()
    const [own, foreign] = [await textOf('acme', owner), await textOf('quiet', quiet)]
    // Runs have no name: a list of them is empty where nothing ran.
    const differ =
      own.includes('acme') || (own.includes('"data":[{') && foreign.includes('"data":[]'))
    if (!differ) wrong.push(`${id}: add to seed() what it lists, named acme`)
    if (foreign.includes('acme')) wrong.push(`${id}: it has something of acme`)
  })
  assert.deepEqual(wrong, [])
})
