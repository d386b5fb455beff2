/** The first page somebody sees: how much script it needs. How soon it stands there: `npm run bench -- first-page`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorDoors } from '../support/operator-doors.ts'
import { openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ door: operatorDoors() })
const shop = { browser, api, workspace: await api.workspace('shop'), slug: 'shop' }

const gzippedMax = 250_000

test('the first page needs at most 250 KB of gzipped script, and no chart and no editor', { skip }, async (t) => {
  const { page } = await openWorkspace(t, shop)
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  const scripts: string[] = await page.evaluate(
    `performance.getEntriesByType('resource').map((entry) => entry.name).filter((name) => name.endsWith('.js'))`,
  )
  const sizes = await Promise.all(scripts.map((address) => gzippedSize(address)))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  t.diagnostic(`${scripts.length} scripts, ${Math.round(total / 1000)} KB gzipped`)
  assert.ok(
    total > 50_000 && total <= gzippedMax,
    `${total} octets: ${scripts.map((name, at) => `${name} ${sizes[at]}`).join(', ')}`,
  )
  assert.deepEqual(
    scripts.filter((name) => /chart|editor/i.test(name)),
    [],
  )
})

async function gzippedSize(address: string): Promise<number> {
  const answer = await fetch(address, { method: 'GET', headers: { 'Accept-Encoding': 'gzip' } })
  await answer.arrayBuffer()
  return Number(answer.headers.get('content-length'))
}
