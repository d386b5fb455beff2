/**
 * The first page of a new session: how much script it needs. `npm run bench -- first-page` measures
 * its time.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { openWorkspace, phone } from '../support/workspace-pages.ts'
import { until } from '../support/until.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const shop = { browser, api, workspace: await api.workspace('shop'), slug: 'shop' }

const gzippedMax = 250_000

test(
  'the first page needs at most 250 KB of gzipped script, and no chart and no editor',
  { skip },
  async (t) => {
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
      `${total} bytes: ${scripts.map((name, at) => `${name} ${sizes[at]}`).join(', ')}`,
    )
    assert.deepEqual(
      scripts.filter((name) => /chart|editor/i.test(name)),
      [],
    )
  },
)

for (const { name, viewport, menuWidth } of [
  { name: 'a desk', viewport: { width: 1280, height: 900 }, menuWidth: 244 },
  { name: 'a phone', viewport: phone, menuWidth: 360 },
])
  for (const dark of [false, true])
    test(
      `${name}, ${dark ? 'dark' : 'light'}: the frame is painted before any script or style of the program has come`,
      { skip },
      async (t) => {
        const { page } = await openWorkspace(t, shop, { viewport, dark })
        const waiting: (() => void)[] = []
        await page.route(/\/app\/assets\/.*\.(?:js|css)$/, (route) =>
          new Promise<void>((resolve) => waiting.push(resolve)).then(() => route.continue()),
        )
        await page.reload({ waitUntil: 'commit' })
        await until(() =>
          page.evaluate(`performance.getEntriesByName('first-contentful-paint').length`),
        )
        const menu = await page.locator('.shell-menu').boundingBox()
        assert.equal(Math.round(menu?.width ?? 0), menuWidth)
        const ground = await page.evaluate(`getComputedStyle(document.body).backgroundColor`)
        assert.equal(ground, dark ? 'rgb(15, 18, 22)' : 'rgb(251, 251, 252)')
        assert.ok(waiting.length >= 2, 'program and styles are still on their way')
        await page.unrouteAll({ behavior: 'ignoreErrors' })
        for (const letGo of waiting) letGo()
        await page.getByRole('heading', { level: 1 }).waitFor()
        assert.equal(await page.locator('.shell').isVisible(), false, 'the page is in its place')
      },
    )

async function gzippedSize(address: string): Promise<number> {
  const answer = await fetch(address, { method: 'GET', headers: { 'Accept-Encoding': 'gzip' } })
  await answer.arrayBuffer()
  return Number(answer.headers.get('content-length'))
}
