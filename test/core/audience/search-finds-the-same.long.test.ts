/**
 * The search against a plain scan of all subscribers: the same ones in the same order, however
 * common, page by page.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  indexSubscribers,
  indexedAtOnce,
} from '../../../src/core/audience/subscribers/index-subscribers.ts'
import { foldText, gramsOf, haystackOf, readNeedle } from '../../../src/core/search-text.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { startApi } from '../../support/api.ts'
import { ask, assertAnswered, textAt } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import { operatorEntryPoints } from '../../support/operator-entry-points.ts'
import { signIn } from '../../support/sign-in.ts'

const api = await startApi({ workers: false, entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const { db } = api.service
const many = 9_000

const fill = (workspaceId: number, count: number, old = 300): Promise<void> =>
  api.run(`
    insert into subscriber (workspace_id, id, email, status, first_name, last_name, created_at, updated_at)
    select ${workspaceId}, ('00000000-0000-7000-8000-0000' || lpad(to_hex(n), 6, '0') || substr(md5(n::text), 1, 2))::uuid,
      (array['camille', 'ines', 'hugo', 'lea'])[1 + n % 4] || n || '@' || (array['example.com', 'exemple.fr'])[1 + n / 5 % 2],
      (array['subscribed', 'subscribed', 'pending', 'unsubscribed'])[1 + n / 3 % 4],
      (array['Camille', 'Inès', 'Hugo', 'Léa'])[1 + n % 4], case when n % 90 = 0 then 'Rare-Ému' when n < ${old} then 'Ancien' else 'Dubois' end,
      facteur_now(), facteur_now()
    from generate_series(1, ${count}) n;
    insert into subscriber_search_pending select workspace_id, id from subscriber where workspace_id = ${workspaceId}`)
/** Returns how many were indexed. */
async function indexAll(workspaceId: number): Promise<number> {
  let taken = 0
  for (let last = indexedAtOnce; last > 0; taken += last)
    last = await indexSubscribers(api.service, workspaceId)
  return taken
}
await fill(shop.id, many)
await fill(other.id, 100)

const contacts = await db.rows<{
  id: string
  email: string
  firstName: string
  lastName: string
  status: string
}>(sql`
  select id, email, first_name, last_name, status from subscriber where workspace_id = ${shop.id} order by id desc`)

test('two workers at once index every subscriber once, and leave no note behind', async () => {
  const taken = await Promise.all([indexAll(shop.id), indexAll(shop.id)])
  assert.equal(taken[0] + taken[1], many)
  const [row] = await db.rows<{ searched: number; noted: number }>(sql`
    select (select count(*) from subscriber_search where workspace_id = ${shop.id}) as searched,
      (select count(*) from subscriber_search_pending where workspace_id = ${shop.id}) as noted`)
  assert.deepEqual(row, { searched: many, noted: 0 })
})

/** The result of a plain scan, by the documented rules. */
function plainly(q: string, status: string | undefined): string[] {
  const folded = foldText(q)
  return contacts
    .filter((contact) => status === undefined || contact.status === status)
    .filter(({ email, firstName, lastName }) => {
      const name = foldText(`${firstName} ${lastName}`)
      if ([...folded].length > 2) return email.includes(folded) || name.includes(folded)
      return email.startsWith(folded) || name.split(' ').some((word) => word.startsWith(folded))
    })
    .map(({ email }) => email)
}

async function search(q: string, status: string | undefined): Promise<string[]> {
  const matches: string[] = []
  for (let cursor = ''; ;) {
    const query = new URLSearchParams({ q, limit: '100', cursor, ...(status && { status }) })
    const answer = await ask(api.baseUrl, `GET /api/v1/subscribers?${query.toString()}`, {
      key: shop.key,
    })
    matches.push(...Object(at(answer.body, 'data')).map((row: { email: string }) => row.email))
    cursor = textAt(answer, 'next_cursor')
    if (cursor === '') return matches
  }
}

for (const q of [
  'example.com',
  'INES',
  'dubois',
  'ancien',
  'emu',
  'rare-e',
  'camille dubois',
  'lea77@',
  'hugo8',
  'ca',
  'd',
  'zzz',
  '1@e',
]) {
  for (const status of [undefined, 'subscribed', 'pending', 'bounced']) {
    test(`"${q}"${status ? ` among the ${status}` : ''}: the same subscribers in the same order as by a scan of all`, async () => {
      assert.deepEqual(await search(q, status), plainly(q, status))
    })
  }
}

test('an added or renamed subscriber is found once the call answers, before any worker has indexed them', async () => {
  const add = (body: object) =>
    ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: shop.key,
      body: { double_opt_in: false, ...body },
    })
  await add({ email: 'new.zoe@example.org', firstName: 'Zoé', lastName: "100%_O'Neil" })
  for (const q of ['zoe', 'ZOÉ', 'zo', '100%_o', 'new.zoe@', 'zoé 100'])
    assert.deepEqual(await search(q, undefined), ['new.zoe@example.org'], q)
  for (const q of ['100_', 'oe', '%']) assert.deepEqual(await search(q, undefined), [], q)
  assert.deepEqual(await search('zoe', 'pending'), [])
  await add({ email: 'new.zoe@example.org', firstName: 'Yseult' })
  assert.deepEqual(await search('yseult', 'subscribed'), ['new.zoe@example.org'])
  assert.deepEqual(await search('example.org', undefined), ['new.zoe@example.org'])
  assert.deepEqual(
    (await search('example', undefined)).length,
    many / 2 + 1,
    'on the pages of what is indexed, once',
  )
})

test('the pieces of a text hold all pieces of each of its parts', () => {
  const texts = [
    'Zoë O’Neil-Smith',
    'ŁUKASZ',
    'ﬁne ﬀ',
    '😀😃😄 smile',
    'a',
    'Éva É',
    'İstanbul',
    'ǅ',
  ]
  for (const text of texts) {
    const haystack = haystackOf({ email: 'x@example.com', firstName: text, lastName: 'Last' })
    const grams = new Set(gramsOf(7, haystack))
    const folded = [...foldText(text)]
    for (let from = 0; from < folded.length; from++) {
      for (let to = from + 3; to <= folded.length; to++) {
        const part = folded.slice(from, to).join('')
        // Spaces at its ends are nothing that is looked for.
        const needle = part.trim() === part ? readNeedle(7, part) : null
        if (needle)
          assert.ok(
            needle?.grams.every((gram) => grams.has(gram)),
            `${text}: ${from}-${to}`,
          )
      }
    }
    for (const word of foldText(text).split(' ')) {
      for (const start of [[...word].slice(0, 1), [...word].slice(0, 2)]) {
        assert.ok(
          readNeedle(7, start.join(''))?.grams.every((gram) => grams.has(gram)),
          `${text}: ${start.join('')}`,
        )
      }
    }
  }
})

test('two workspaces share no piece but by chance', () => {
  const [first, second] = [1, 2].map(
    (workspaceId) =>
      new Set(gramsOf(workspaceId, '\ncamille.dupont@example.com\ncamille dupont\n')),
  )
  assert.equal(first?.intersection(second ?? new Set()).size, 0)
})

test('a page of a key is full wherever its subscribers are; one of a user ends with its work and goes on behind it', async () => {
  const deep = await api.workspace('deep')
  await fill(deep.id, 15_000, 4_000)
  await indexAll(deep.id)
  const viewer = await signIn(api, { in: { [deep.id]: 'viewer' } })
  const query = 'q=ancien&limit=2'
  const ofKey = await ask(api.baseUrl, `GET /api/v1/subscribers?${query}`, { key: deep.key })
  assert.equal(Object(at(ofKey.body, 'data')).length, 2)
  const page = `GET /workspaces/deep/api/v1/subscribers?${query}`
  const first = await viewer.ask(page)
  assertAnswered(first, 200, { data: [], has_more: true })
  const second = await viewer.ask(`${page}&cursor=${textAt(first, 'next_cursor')}`)
  assert.deepEqual(at(second.body, 'data'), at(ofKey.body, 'data'))
})
