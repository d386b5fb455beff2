/**
 * The timeline of a contact: consent and choices, edits, suppression, mails, opens and clicks in one
 * list, newest first, page by page; of this workspace alone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { db } = api.service
const acme = await api.workspace('acme')
const other = await api.workspace('other')
const here = '/workspaces/acme/api/v1'
const editor = await signIn(api, { email: 'ada@example.com', in: { [acme.id]: 'editor' } })
const stranger = await signIn(api, { email: 'eve@example.com', in: { [other.id]: 'owner' } })

const email = 'complained@simulator.test'
const id = textAt(
  await editor.ask(`POST ${here}/subscribers`, { body: { email, consent: 'Told me so' } }),
  'id',
)

const page = async (query = '') => {
  const answer = await editor.ask(`GET ${here}/contacts/${id}/timeline${query}`)
  assertAnswered(answer, 200, { object: 'list' })
  return {
    entries: at(answer.body, 'data') as Record<string, unknown>[],
    cursor: textAt(answer, 'next_cursor'),
  }
}
const kindsOf = (entries: Record<string, unknown>[]): string[] =>
  entries.map((entry) => String(entry['kind']))

test('everything that happened to a contact is in one list, newest first, with the reason of each state', async () => {
  await editor.ask(`PATCH ${here}/audience/${id}`, { body: { add_tags: ['vip'] } })
  await ask(api.baseUrl, 'POST /api/v1/emails', {
    key: acme.key,
    body: { from: 'hello@acme.test', to: email, subject: 'Invoice', text: 'x' },
  })
  const { entries } = await until(
    () => page(),
    ({ entries: rows }) => kindsOf(rows).includes('suppressed'),
  )
  assert.deepEqual(kindsOf(entries).toSorted(), [
    ...['added', 'consent', 'edited', 'mail', 'suppressed'],
  ])
  const times = entries.map((entry) => String(entry['at']))
  assert.deepEqual(times, times.toSorted().toReversed())
  const of = (kind: string) => entries.find((entry) => entry['kind'] === kind)
  assert.equal(of('suppressed')?.['reason'], 'complaint')
  assert.equal(of('edited')?.['person'], 'ada@example.com')
  assert.equal(of('edited')?.['parts'], 'add_tags')
  assert.equal(of('added')?.['source'], 'workspace')
  assert.equal(at(of('consent'), 'consent', 'act'), 'registered')
  assert.equal(at(of('consent'), 'consent', 'shown'), 'Told me so')
  assert.equal(at(of('mail'), 'mail', 'subject'), 'Invoice')
})

test('pages of two show each entry once, and as the whole does', async () => {
  const { entries: whole } = await page()
  const paged: Record<string, unknown>[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const next = await page(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
    paged.push(...next.entries)
    cursor = next.cursor === '' ? null : next.cursor
  }
  assert.deepEqual(paged, whole)
})

test('who unsubscribed in bulk has the reason of the member; another workspace sees nothing', async () => {
  const lou = await editor.ask(`POST ${here}/subscribers`, {
    body: { email: 'lou@example.com', consent: 'Told me so' },
  })
  const who = textAt(lou, 'id')
  const started = await editor.ask(`POST ${here}/audience/bulk/unsubscribe`, {
    body: { selection: { ids: [who] }, reason: 'They asked at our stand' },
  })
  assertAnswered(started, 202)
  await api.moveClock('11 seconds')
  await until(
    () =>
      db.value(sql`select status from subscriber where workspace_id = ${acme.id} and id = ${who}`),
    (status) => status === 'unsubscribed',
  )
  const answer = await editor.ask(`GET ${here}/contacts/${who}/timeline?limit=2`)
  const consents = (at(answer.body, 'data') as Record<string, unknown>[]).map(
    (entry) => entry['consent'],
  )
  const left = consents.find((consent) => consent !== null)
  assert.equal(at(left, 'act'), 'unsubscribed')
  assert.equal(at(left, 'shown'), 'They asked at our stand')
  assert.equal(at(left, 'person'), 'ada@example.com')
  const foreign = '/workspaces/other/api/v1/contacts'
  assertRefused(await stranger.ask(`GET ${foreign}/${id}/timeline`), 'not_found')
  assertAnswered(await stranger.ask(`GET ${foreign}/${email}/timeline`), 200, { data: [] })
})
