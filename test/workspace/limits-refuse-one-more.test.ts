/**
 * Everything that a workspace or a user can create has a limit: at it, one more is refused with the
 * number, in both languages.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { sql } from '../../src/database/client/sql.ts'
import { insertSession } from '../../src/db/users/sessions.ts'
import type { Counted } from '../../src/db/workspaces/counted-things.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { browser, signIn } from '../support/sign-in.ts'

const api = await startApi({ workers: false, entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
const owner = await signIn(api, { in: { [shop.id]: 'owner' } })
const here = '/workspaces/shop/api/v1'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Pictures of different bytes, each of which counts. */
function picture(width: number): Buffer {
  const octets = Buffer.from(png)
  octets.writeUInt32BE(width, 16)
  return octets
}

interface Case {
  /** Adds rows to a table, up to the bound. */
  fill: (rows: number) => string
  /** Another one, by each operation that creates it. */
  creates: ((language?: string) => Promise<Answer>)[]
  /** Repeats an existing one: it uses no slot. */
  repeats?: () => Promise<Answer>
}

const call =
  (line: string, body?: object | (() => object)) =>
  (language = 'en'): Promise<Answer> =>
    owner.ask(line, {
      ...(body && { body: typeof body === 'function' ? body() : body }),
      headers: { 'accept-language': language },
    })
const byKey =
  (line: string, body: object) =>
  (language = 'en'): Promise<Answer> =>
    ask(api.baseUrl, line, { key: shop.key, body, headers: { 'accept-language': language } })

let count = 0
const fresh = (): string => `x${++count}`
const at = `date_trunc('milliseconds', facteur_now())`
const id = 'gen_random_uuid()'
const rows = (columns: string, values: string, from: number): string =>
  `insert into ${columns} select ${shop.id}, ${values} from generate_series(1, ${from}) n`

const original = textAt(
  await byKey('POST /api/v1/campaigns', { name: 'n', subject: 's', text: 't' })(),
  'id',
)
const draft = {
  ...{
    name: 'News',
    subject: '',
    preheader: '',
    from: null,
    replyTo: [],
    kind: 'text',
    text: '',
    content: [],
    html: '',
  },
  ...{ trackOpens: true, trackClicks: true },
}
const link = async (): Promise<string> => {
  const invited = await owner.ask(`POST ${here}/invitations`, {
    body: { email: `${fresh()}@example.com`, role: 'viewer' },
  })
  return (
    new URL(textAt(invited, 'link')).href
      .split('/')
      .at(-1)
      ?.replace(/^.*[#?=]/, '') ?? ''
  )
}

const cases: Record<Counted, Case> = {
  apiKeys: {
    fill: (from) =>
      rows(
        'api_key (workspace_id, id, name, prefix, digest, scopes, created_at)',
        `${id}, 'k', 'p', sha256(n::text::bytea), '{}', ${at}`,
        from,
      ),
    creates: [call(`POST ${here}/keys`, { name: 'one', scopes: ['emails:send'] })],
  },
  senders: {
    fill: (from) =>
      rows(
        'sender (workspace_id, id, email, is_default, created_at)',
        `${id}, 's' || n || '@shop.test', false, ${at}`,
        from,
      ),
    creates: [call(`POST ${here}/senders`, () => ({ email: `${fresh()}@shop.test` }))],
    repeats: call(`POST ${here}/senders`, { email: 's1@shop.test', name: 'Renamed' }),
  },
  domains: {
    fill: (from) =>
      rows(
        'domain (workspace_id, name, status, created_at)',
        `'d' || n || '.example', 'pending', ${at}`,
        from,
      ),
    creates: [call(`POST ${here}/domains`, () => ({ name: `${fresh()}.example` }))],
    repeats: call(`POST ${here}/domains`, { name: 'd1.example' }),
  },
  forms: {
    fill: (from) =>
      rows('sign_up_form (workspace_id, id, name, created_at)', `${id}, 'f', ${at}`, from),
    creates: [call(`POST ${here}/forms`, { name: 'News' })],
  },
  segments: {
    fill: (from) =>
      rows(
        'segment (workspace_id, id, name, definition, created_at, updated_at)',
        `${id}, 's' || n, '{"all": []}', ${at}, ${at}`,
        from,
      ),
    creates: [
      call(`POST ${here}/audience/segments`, () => ({ name: fresh(), definition: { all: [] } })),
    ],
  },
  topics: {
    fill: (from) =>
      rows(
        'topic (workspace_id, id, name, by_default, created_at)',
        `${id}, 't' || n, true, ${at}`,
        from,
      ),
    creates: [call(`POST ${here}/audience/topics`, () => ({ name: fresh() }))],
  },
  drafts: {
    fill: (from) =>
      rows(
        'campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at)',
        `${id}, 'n', 's', 'text', '{"kind":"text","text":"t"}', 'draft', ${at}, ${at}`,
        from,
      ),
    creates: [
      byKey('POST /api/v1/campaigns', { name: 'n', subject: 's', text: 't' }),
      call(`POST ${here}/drafts`, draft),
      call(`POST ${here}/campaigns/${original}/duplicate`, {}),
    ],
  },
  images: {
    fill: (from) =>
      rows(
        'image_file (workspace_id, id, digest, type, width, height, size, content, name, created_at)',
        `${id}, sha256(n::text::bytea), 'image/png', 1, 1, 1, 'x', 'n', ${at}`,
        from,
      ),
    creates: [
      (language = 'en') =>
        owner.ask(`POST ${here}/images?name=x.png`, {
          raw: Uint8Array.from(picture(++count % 200)),
          type: 'image/png',
          headers: { 'accept-language': language },
        }),
    ],
  },
  members: {
    fill: (from) =>
      `with made as (insert into user_account (id, email) select ${id}, 'm' || n || '@people.test' from generate_series(1, ${from}) n returning id)
       insert into workspace_member (workspace_id, user_id, role) select ${shop.id}, id, 'viewer' from made`,
    creates: [
      async (language = 'en') =>
        browser(api, null).ask(`POST /people/api/v1/invitations/${await link()}`, {
          body: { name: 'Grace', password: 'correct horse battery staple' },
          headers: { 'accept-language': language },
        }),
    ],
  },
}

const tables: Record<Counted, string> = {
  ...{
    apiKeys: 'api_key',
    senders: 'sender',
    domains: 'domain',
    forms: 'sign_up_form',
    segments: 'segment',
    images: 'image_file',
    topics: 'topic',
    members: 'workspace_member',
  },
  drafts: 'campaign',
}

for (const [name, { fill, creates, repeats }] of Object.entries(cases)) {
  const what = name as Counted
  const limit = limits[`${what}Max`]
  test(`422: one beyond ${limit} ${what}, by each operation that creates them`, async () => {
    const [row] = await api.service.db.rows<{ count: number }>({
      ...sql`select 1`,
      text: `select count(*) as count from ${tables[what]} where workspace_id = ${shop.id}`,
      name: `count-${what}`,
    })
    await api.run(fill(limit - Number(row?.count) - 1))
    const [create] = creates
    assert.ok(create)
    const last = await create()
    assert.ok(last.status === 201 || last.status === 200, JSON.stringify(last.body))
    for (const run of creates) {
      const refused = await run()
      assertRefused(refused, 'validation_error', { path: '', rule: `room.${what}`, limit })
      assert.match(
        JSON.stringify(refused.body),
        new RegExp(`There are as many .* ${limit.toLocaleString('en-US')}`),
      )
      assert.match(JSON.stringify((await run('fr')).body), /L'espace de travail a déjà/)
    }
    if (repeats) assert.ok((await repeats()).status < 300)
  })
}

test('revoked and expired keys do not count', async () => {
  await api.run(
    `update api_key set expires_at = facteur_now() where id = (select id from api_key where workspace_id = ${shop.id} and name = 'k' limit 1)`,
  )
  assertAnswered(
    await owner.ask(`POST ${here}/keys`, { body: { name: 'again', scopes: ['emails:send'] } }),
    201,
  )
})

test('a user has 100 sessions: a further one ends the least recently used', async () => {
  const user = await signIn(api)
  for (let n = 0; n < limits.sessionsMax; n++) {
    const session = {
      digest: Buffer.from(`${user.userId} ${n}`),
      id: api.service.makeId(),
      userId: user.userId,
      method: 'password',
    } as const
    await insertSession(api.service.db, { ...session, ip: '127.0.0.1', userAgent: 'test' })
  }
  const left = await api.service.db.rows(
    sql`select 1 from user_session where user_id = ${user.userId}`,
  )
  assert.equal(left.length, limits.sessionsMax)
  assertRefused(await user.ask('GET /people/api/v1/sessions'), 'not_signed_in')
})
