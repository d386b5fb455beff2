/**
 * Lists that are bounded as a whole, in a browser: keys with none, one and 400 rows have their
 * total, a search and an order; in French on a phone.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const french = { language: 'fr', viewport: { width: 360, height: 740 } } as const

type Options = NonNullable<Parameters<typeof openWorkspace>[2]>
const open = async (t: TestContext, slug: string, keys: number, options: Options = {}) => {
  const workspace = await api.workspace(slug)
  await api.service.db.count(sql`
    insert into api_key (workspace_id, id, name, prefix, digest, scopes, created_at)
    select ${workspace.id}, gen_random_uuid(), 'key ' || n, 'fa_' || n, sha256(n::text::bytea),
      '{emails:send}', facteur_now()
    from generate_series(1, ${keys}::int) n`)
  return openWorkspace(t, { browser, api, workspace, slug }, { at: 'settings/keys', ...options })
}

test('few rows have a total and an order, and need no search', { skip }, async (t) => {
  const { page, goto } = await open(t, 'few', 1, french)
  await page.getByText('2 au total').waitFor()
  assert.equal(await page.getByRole('searchbox').count(), 0)
  await axe(page)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
  for (const [path, total] of [
    ['settings/forms', '0 au total'],
    ['settings/senders', 'au total'],
    ['settings/domains', 'au total'],
    ['settings/members', '1 au total'],
    ['webhooks', '0 au total'],
    ['subscribers/import', '0 au total'],
  ] as const) {
    await goto(path)
    await page.getByText(total).first().waitFor()
    await axe(page)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
  }
})

test(
  '400 keys are read to their end, then searched and sorted; both live in the address',
  { skip },
  async (t) => {
    const { page } = await open(t, 'many', 400)
    await page.getByText('401 in all').waitFor()
    await axe(page)
    await page.getByRole('button', { name: 'Name' }).focus()
    await page.keyboard.press('Enter')
    await until(
      () => page.getByRole('row').nth(1).innerText(),
      (text) => /^key 1\b/.test(text),
    )
    await page.getByRole('searchbox', { name: 'Search this list' }).fill('KEY 39')
    await until(
      () => page.getByRole('row').count(),
      (count) => count === 12,
    )
    await page.reload()
    await until(
      () => page.getByRole('row').count(),
      (count) => count === 12,
    )
    assert.match(page.url(), /sort=name&q=KEY/)
    await page.getByRole('searchbox').fill('nothing of this')
    await page.getByText('No results').waitFor()
    await axe(page)
    await page.getByRole('button', { name: 'Clear search' }).click()
    await until(
      () => page.getByRole('row').nth(1).innerText(),
      (text) => /^key 1\b/.test(text),
    )
    const [search, table] = await Promise.all(
      [page.getByRole('searchbox'), page.getByRole('table')].map((each) => each.boundingBox()),
    )
    assert.ok(search && table && table.y - (search.y + search.height) < 30, 'they are neighbours')
  },
)
