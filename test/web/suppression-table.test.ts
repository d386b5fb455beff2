/**
 * The suppression list in a browser: totals, tabs, search, days and the removal of selected rows
 * with none, one and 2,000 addresses; by keyboard, in French on a phone.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const narrow = { width: 360, height: 740 }

type Options = NonNullable<Parameters<typeof openWorkspace>[2]>
const openList = async (t: TestContext, slug: string, addresses: number, options: Options = {}) => {
  const workspace = await api.workspace(slug)
  await api.service.db.count(sql`
    insert into suppression (workspace_id, email, id, reason, created_at)
    select ${workspace.id}, 'p' || lpad(n::text, 4, '0') || '@example.com', gen_random_uuid(),
      case when n % 100 = 1 then 'complaint' when n % 100 = 2 then 'unsubscribe' else 'bounce' end,
      facteur_now() - make_interval(hours => n)
    from generate_series(1, ${addresses}::int) n`)
  return openWorkspace(t, { browser, api, workspace, slug }, { at: 'suppression', ...options })
}
const changeReason = (slug: string, email: string, reason: string): Promise<number> =>
  api.service.db.count(sql`
    update suppression set reason = ${reason}
    where workspace_id = (select id from workspace where slug = ${slug}) and email = ${email}`)
const fits = async (page: Page): Promise<void> => {
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
  assert.ok(width <= narrow.width, `${width} px`)
}

test('none and one: the list has its states, in French on a phone', { skip }, async (t) => {
  const french: Options = { language: 'fr', viewport: narrow }
  const { page } = await openList(t, 'none', 0, french)
  await page.getByText('Aucune adresse exclue').waitFor()
  await page.getByRole('button', { name: 'Toutes 0' }).waitFor()
  await axe(page)
  await fits(page)
  const single = await openList(t, 'one', 1, { ...french, dark: true })
  await single.page.getByText('1 au total').waitFor()
  await single.page.getByRole('button', { name: 'Plainte 1' }).click()
  await single.page.getByRole('cell', { name: 'p0001@example.com', exact: true }).waitFor()
  const box = single.page.getByRole('checkbox', { name: 'Sélectionner p0001@example.com' })
  assert.equal(await box.count(), 0, 'one that complained is removed alone')
  await changeReason('one', 'p0001@example.com', 'manual')
  await single.goto('suppression')
  await single.page.getByRole('checkbox', { name: 'Sélectionner p0001@example.com' }).check()
  await single.page.getByText('1 sélectionnée').waitFor()
  // The bar stands over the end of the window.
  await single.page.evaluate('window.scrollTo(0, document.body.scrollHeight)')
  await axe(single.page)
  await fits(single.page)
})

test(
  '2,000: tabs, a search and days narrow the list, and live in the address',
  { skip },
  async (t) => {
    const { page } = await openList(t, 'many', 2_000)
    await page.getByText('2,000 in all').waitFor()
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '2001')
    await axe(page)
    await page.getByRole('button', { name: 'Complained 20' }).click()
    await page.getByText('20 in all').waitFor()
    await page.getByRole('button', { name: 'Any time' }).click()
    await page.getByRole('radio', { name: 'Last 7 days' }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Complained 2$/ }).waitFor()
    await page.reload()
    await page.getByText('2 in all').waitFor()
    await page.getByRole('button', { name: 'All 1' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search addresses' }).fill('p0001')
    await page.getByText('1 in all').waitFor()
    assert.equal(await page.getByRole('row').count(), 2)
    await page.getByRole('searchbox', { name: 'Search addresses' }).fill('nobody-here')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('2,000 in all').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export results' }).click()
    assert.match((await download).suggestedFilename(), /^suppression-.*\.csv$/)
  },
)

test(
  'selected rows are removed by keyboard; one that has complained since is named, and all stay',
  { skip },
  async (t) => {
    const { page } = await openList(t, 'lift', 8, { refused: [409] })
    await api.run(`insert into erased_suppression (workspace_id, digest, id, reason, created_at)
      select id, 'x', gen_random_uuid(), 'manual', '2026-01-01' from workspace where slug = 'lift'`)
    await page.reload()
    await page.getByText('9 in all').waitFor()
    const box = page.getByRole('checkbox', { name: 'Select all rows' })
    await box.focus()
    await page.keyboard.press('Space')
    const selection = page.getByRole('region', { name: 'Selected rows' })
    await selection.getByText('6 selected').waitFor()
    assert.equal(await box.isChecked(), true, 'all that may be removed together')
    const begin = async (): Promise<void> => {
      await selection.getByRole('button', { name: 'Remove from suppression' }).focus()
      await page.keyboard.press('Enter')
      await page.locator('textarea:focus').waitFor()
      await page.keyboard.type('The provider had a failure')
    }
    await changeReason('lift', 'p0003@example.com', 'complaint')
    await begin()
    const dialog = page.getByRole('dialog')
    await axe(page)
    await dialog.getByRole('button', { name: 'Remove from suppression' }).click()
    await dialog.getByText('p0003@example.com').waitFor()
    await axe(page)
    await page.keyboard.press('Escape')
    for (const n of [3, 4, 5])
      await page.getByRole('checkbox', { name: `Select p000${n}@example.com` }).uncheck()
    await selection.getByText('3 selected').waitFor()
    await api.suppressOnPlatform('p0008@example.com')
    await begin()
    await dialog.getByRole('button', { name: 'Remove from suppression' }).click()
    await page
      .getByText(
        'E-mails can be sent to 2 addresses again. 1 address was removed, but the operator still suppresses it for everyone.',
      )
      .waitFor()
    await page.getByText('6 in all').waitFor()
    await until(
      () => page.getByRole('row').count(),
      (count) => count === 7,
    )
  },
)

test('more rows than one call takes are not removed', { skip }, async (t) => {
  const { page } = await openList(t, 'large', 600)
  const last = page.locator('tbody tr[data-index]').last()
  await until(
    async () => {
      await page.evaluate('window.scrollTo(0, document.body.scrollHeight)')
      return Number(await last.getAttribute('data-index'))
    },
    (index) => index > 550,
  )
  await page.getByRole('checkbox', { name: 'Select all rows' }).check()
  await page.getByText('Select up to 500.').waitFor()
  const remove = page.getByRole('button', { name: 'Remove from suppression' })
  assert.equal(await remove.isDisabled(), true)
})

test('all that match are removed by the filter, as many as were confirmed', { skip }, async (t) => {
  const { page } = await openList(t, 'matching', 600, { refused: [409] })
  // Also where the test above has not suppressed it for everybody.
  await api.suppressOnPlatform('p0008@example.com')
  await page.getByRole('button', { name: 'Bounced 588' }).click()
  await page.getByText('588 in all').waitFor()
  await page.getByRole('checkbox', { name: 'Select all rows' }).check()
  await page.getByRole('button', { name: 'Select all 588 that match' }).click()
  const selection = page.getByRole('region', { name: 'Selected rows' })
  await selection.getByText('588 selected').waitFor()
  const dialog = page.getByRole('dialog')
  const confirm = async (): Promise<void> => {
    await selection.getByRole('button', { name: 'Remove from suppression' }).click()
    await dialog.getByText('Remove 588 addresses from suppression').waitFor()
    await dialog.getByRole('textbox').fill('The provider had a failure')
    await dialog.getByRole('button', { name: 'Remove from suppression' }).click()
  }
  await changeReason('matching', 'p0600@example.com', 'complaint')
  await confirm()
  await dialog.getByText('587 addresses match now, not the 588 you confirmed.').waitFor()
  await page.keyboard.press('Escape')
  await changeReason('matching', 'p0600@example.com', 'bounce')
  await confirm()
  await page
    .getByText(
      'E-mails can be sent to 587 addresses again. 1 address was removed, but the operator still suppresses it for everyone.',
    )
    .waitFor()
  await page.getByRole('button', { name: 'All 12' }).click()
  await page.getByText('12 in all').waitFor()
})

test('a viewer reads the list, and neither selects nor exports', { skip }, async (t) => {
  const { page } = await openList(t, 'read', 3, { role: 'viewer' })
  await page.getByRole('cell', { name: 'p0003@example.com' }).waitFor()
  assert.equal(await page.getByRole('checkbox').count(), 0)
  assert.equal(await page.getByRole('link', { name: 'Export results' }).count(), 0)
})
