/**
 * The tables of the audit log, the calls of the API and the deliveries of a webhook in a browser:
 * totals, tabs, days and a selection with none, one and 2,000 rows; in French on a phone.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { firstIdAt } from '../../src/ground/ids.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const { db } = api.service
const french = { language: 'fr', viewport: { width: 360, height: 740 } } as const

type Options = NonNullable<Parameters<typeof openWorkspace>[2]>
type Fill = (workspace: TestWorkspace, count: number) => Promise<unknown>

/** So many hours before now, without its last twelve digits. */
const idBefore = (hours: number): string => firstIdAt(Date.now() - hours * 3_600_000).slice(0, 24)

const fillAudit: Fill = ({ id }, count) =>
  db.count(sql`
    insert into audit_log (workspace_id, id, who, act, subject, created_at)
    select ${id}, (${idBefore(1)} || lpad(n::text, 12, '0'))::uuid,
      case when n = 1 then 'first@people.test' else 'second@people.test' end, 'key.created',
      'key ' || n, facteur_now()
    from generate_series(1, ${count}::int) n`)

const fillRequests: Fill = ({ id }, count) =>
  db.count(sql`
    insert into request_log (workspace_id, id, key_id, operation, mcp, status, duration_us,
      request_id, address, calls)
    select ${id}, (${idBefore(1)} || lpad(n::text, 12, '0'))::uuid, k.id, 'sendEmail', false,
      case when n % 1000 = 1 then 500 when n % 100 = 2 then 422 else 202 end, 1000, 'req-' || n,
      '127.0.0.1', 1
    from generate_series(1, ${count}::int) n
    cross join (select id from api_key where workspace_id = ${id} limit 1) k`)

const open = async (
  t: TestContext,
  { slug, path, count, fill }: { slug: string; path: string; count: number; fill: Fill },
  options: Options = {},
) => {
  const workspace = await api.workspace(slug)
  await fill(workspace, count)
  return openWorkspace(t, { browser, api, workspace, slug }, { at: path, ...options })
}
const good = async (page: Page): Promise<void> => {
  await axe(page)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
}

test(
  'the audit log: its total, a member, days, and a file; none and one on a phone',
  { skip },
  async (t) => {
    const list = { path: 'settings/audit', fill: fillAudit }
    const none = await open(t, { ...list, slug: 'log-none', count: 0 }, french)
    await none.page.getByText('0 au total').waitFor()
    await good(none.page)
    const single = await open(t, { ...list, slug: 'log-one', count: 1 }, { ...french, dark: true })
    await single.page.getByText('1 au total').waitFor()
    await good(single.page)
    const { page } = await open(t, { ...list, slug: 'log-many', count: 2_000 })
    await page.getByText('2,000 in all').waitFor()
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '2001')
    await axe(page)
    // Each member is offered, and there is one field for them.
    const who = page.getByRole('combobox', { name: 'Search by member' })
    await page.locator('datalist option').first().waitFor({ state: 'attached' })
    await who.fill('first@')
    await page.getByText('1 in all').waitFor()
    await page.getByRole('button', { name: 'Any time' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('radio', { name: 'Today' }).waitFor()
    await axe(page)
    await page.getByRole('radio', { name: 'Last 7 days' }).check()
    await page.keyboard.press('Escape')
    await page.waitForURL(/who=first%40&days=7/)
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export as CSV' }).click()
    assert.match((await download).suggestedFilename(), /^audit-.*\.csv$/)
  },
)

test(
  'API requests: totals by result, one search, and a page of its own for each; none and one on a phone',
  { skip },
  async (t) => {
    const list = { path: 'settings/requests', fill: fillRequests }
    const none = await open(t, { ...list, slug: 'calls-none', count: 0 }, french)
    await none.page.getByRole('button', { name: '5xx 0' }).waitFor()
    await good(none.page)
    const single = await open(
      t,
      { ...list, slug: 'calls-one', count: 1 },
      { ...french, dark: true },
    )
    await single.page.getByRole('button', { name: '5xx 1' }).waitFor()
    await good(single.page)
    const { page } = await open(t, { ...list, slug: 'calls-many', count: 2_000 })
    await page.getByText('2,000 in all').waitFor()
    await axe(page)
    await page.getByRole('button', { name: '4xx 20' }).click()
    await page.getByText('20 in all').waitFor()
    await page.getByRole('searchbox').fill('req-102')
    await page.getByText('1 in all').waitFor()
    await page.getByRole('link', { name: 'sendEmail' }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'sendEmail' }).waitFor()
    await page.getByRole('button', { name: /Copy/ }).first().waitFor()
    await axe(page)
    await page.goBack()
    await page.waitForURL(/status=refused&q=req-102/)
  },
)

test(
  'deliveries: counts by status, and selected ones are sent again by keyboard',
  { skip },
  async (t) => {
    const receiver = await startReceiver()
    const workspace = await api.workspace('hooks')
    const id = textAt(
      await ask(api.baseUrl, 'POST /api/v1/webhooks', {
        key: workspace.key,
        body: { url: receiver.url, events: ['subscriber.created'] },
      }),
      'id',
    )
    const shop = { browser, api, workspace, slug: 'hooks' }
    const { page } = await openWorkspace(t, shop, { at: `webhooks/${id}` })
    await page.getByRole('button', { name: 'Delivered 0' }).waitFor()
    for (const number of [1, 2, 3])
      await ask(api.baseUrl, 'POST /api/v1/subscribers', {
        key: workspace.key,
        body: { email: `p${number}@example.com`, double_opt_in: false },
      })
    await page.getByRole('button', { name: 'Delivered 3' }).waitFor()
    const box = page.getByRole('checkbox', { name: 'Select all rows' })
    await box.focus()
    await page.keyboard.press('Space')
    const selection = page.getByRole('region', { name: 'Selected rows' })
    await selection.getByText('3 selected').waitFor()
    await axe(page)
    await selection.getByRole('button', { name: 'Send again' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('3 deliveries are being sent again').waitFor()
    await receiver.received(6)
    await page.getByRole('link', { name: 'subscriber.created' }).first().click()
    await page.getByText('"type": "subscriber.created"').first().waitFor()
    const small = await openWorkspace(t, shop, { at: `webhooks/${id}?status=delivered`, ...french })
    await small.page.getByRole('checkbox').first().waitFor({ state: 'attached' })
    await good(small.page)
  },
)
