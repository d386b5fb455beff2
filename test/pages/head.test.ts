/**
 * HEAD works where GET does, on pages as in calls (RFC 9110 9.3.2): the same status and headers, no
 * body, and nothing happens by it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const shop = await api.workspace('heads')
const sent = await ask(api.baseUrl, 'POST /api/v1/emails', {
  key: shop.key,
  body: { from: 'hello@heads.test', to: 'a@example.com', subject: 's', html: '<p>h</p>' },
})
assertAnswered(sent, 202)
await shop.capturedMails(textAt(sent, 'id'), 1)
// Its status changes once more behind its capture, and the answer's length with it.
await until(
  () => ask(api.baseUrl, `GET /api/v1/emails/${textAt(sent, 'id')}`, { key: shop.key }),
  ({ body }) => at(body, 'last_event') === 'delivered',
)

/** The parts in which both answers are equal. */
const comparable = ({ status, headers }: Response): unknown => [
  status,
  ...['content-type', 'location', 'cache-control', 'x-content-type-options'].map((name) =>
    headers.get(name),
  ),
  headers.get('content-length'),
]

async function assertSame(path: string, status: number): Promise<string> {
  const call = (method: string) => fetch(api.baseUrl + path, { method, redirect: 'manual' })
  const [head, full] = [await call('HEAD'), await call('GET')]
  assert.equal(await head.text(), '', path)
  assert.equal(full.status, status, path)
  assert.deepEqual(comparable(head), comparable(full), path)
  return full.text()
}

test('pages of the workspace, of the reference, of readers and of the capture mailbox', async () => {
  const index = await assertSame('/app', 200)
  const asset = /\/app\/assets\/[\w.-]+/.exec(index)?.[0] ?? assert.fail('the page names no file')
  for (const path of ['/app/', '/app/heads/overview', asset]) await assertSame(path, 200)
  await assertSame('/', 302)
  for (const path of ['/docs', '/docs/api.md', '/docs/style.css', '/llms.txt', '/llms-full.txt'])
    await assertSame(path, 200)
  await assertSame('/captured', 302)
  const list = JSON.parse(await assertSame('/captured/api/v1/captured', 200))
  const mail = `/captured/api/v1/captured/${list.data[0].id}`
  for (const path of [mail, `${mail}/html`, `${mail}/raw`])
    await assertSame(`${path}?workspace=heads`, 200)
  for (const path of ['/captured/style.css', '/app/-/captured']) await assertSame(path, 200)
  for (const path of ['/healthz', '/api/v1/openapi.json', '/api/v1']) await assertSame(path, 200)
  await assertSame('/o/nonsense', 200)
  for (const path of [
    '/c/nonsense/0',
    '/confirm/nonsense',
    '/unsubscribe/nonsense',
    '/view/nonsense',
  ])
    await assertSame(path, 404)
  for (const path of ['/pages/style.css', '/pages/colours.css']) await assertSame(path, 200)
})

test('HEAD does not do the work of POST', async () => {
  for (const path of ['/captured/enter', '/captured/leave'])
    assert.equal((await fetch(api.baseUrl + path, { method: 'HEAD' })).status, 404, path)
})
