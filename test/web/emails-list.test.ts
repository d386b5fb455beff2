/**
 * The list of e-mails in a browser: tabs with counts, one search, days, a tag, columns, a selection
 * whose scheduled ones are cancelled, with none, one and 2,000 rows; in French on a phone, by
 * keyboard.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const many = 2_000

type Options = NonNullable<Parameters<typeof openWorkspace>[2]>
const open = (t: TestContext, slug: string, workspace: TestWorkspace, options: Options = {}) =>
  openWorkspace(t, { browser, api, workspace, slug }, { at: 'emails', ...options })
const mail = async (slug: string, { key }: TestWorkspace, body: object): Promise<string> => {
  const whole = { from: `hello@${slug}.test`, subject: 'Hello', text: 'Hello', ...body }
  return textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key, body: whole }), 'id')
}
const fits = async (page: Page): Promise<void> => {
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
  assert.ok(width <= phone.width, `${width} px`)
}
const rowsIn = (page: Page) => page.getByRole('table').locator('tbody tr[data-index]')

test('none and one: tabs, days and tag, in French on a phone', { skip }, async (t) => {
  const workspace = await api.workspace('one')
  const { page } = await open(t, 'one', workspace, { language: 'fr', viewport: phone })
  await page.getByRole('button', { name: 'Tous 0' }).waitFor()
  await axe(page)
  await fits(page)
  await mail('one', workspace, { to: 'lea@example.com', tags: { order: '2048' } })
  await page.reload()
  await page.getByRole('link', { name: 'lea@example.com' }).waitFor()
  await page.getByRole('button', { name: 'Tous 1' }).waitFor()
  await axe(page)
  await fits(page)
  await page.getByRole('button', { name: 'Filtres' }).click()
  await page.getByRole('button', { name: 'Toutes les dates' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('radio', { name: '7 derniers jours' }).check()
  await page.waitForURL(/days=7/)
  await axe(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '7 derniers jours' }).waitFor()
  await page.getByRole('link', { name: 'lea@example.com' }).waitFor()
  await page.getByRole('button', { name: 'Étiquette', exact: true }).click()
  await page.getByRole('textbox', { name: /^Étiquette/ }).fill('order:1')
  await axe(page)
  await page.keyboard.press('Enter')
  await page.getByText('Aucun message ne correspond').waitFor()
  await page.getByRole('button', { name: 'Étiquette : order:1' }).waitFor()
  await fits(page)
})

test(
  'selected messages: those that wait are cancelled, which the audit log says, and one on its page',
  { skip },
  async (t) => {
    const workspace = await api.workspace('later')
    const scheduled = { scheduled_at: 'in 2 hours' }
    await mail('later', workspace, { to: 'now@example.com' })
    await mail('later', workspace, { to: 'first@example.com', ...scheduled })
    const id = await mail('later', workspace, { to: 'second@example.com', ...scheduled })
    const { page, goto } = await open(t, 'later', workspace, { email: 'ada@later.test' })
    await page.getByRole('checkbox', { name: 'Select first@example.com, Hello' }).check()
    await page.getByRole('checkbox', { name: 'Select now@example.com, Hello' }).check()
    await page.getByText('2 messages selected').waitFor()
    await axe(page)
    await page.getByRole('button', { name: 'Cancel scheduled (1)' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel sending' }).click()
    await rowsIn(page).getByText('Cancelled', { exact: true }).waitFor()
    assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 0)
    await goto(`emails/${id}`)
    await page.getByRole('button', { name: 'Cancel sending' }).click()
    const question = page.getByRole('dialog')
    await question.waitFor()
    await axe(page)
    await question.getByRole('button', { name: 'Cancel sending' }).click()
    await page.getByText('Cancelled', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Cancel sending' }).waitFor({ state: 'detached' })
    await goto('settings/audit')
    await page.getByText('Scheduled message cancelled').nth(1).waitFor()
    const small = await open(t, 'later', workspace, { role: 'viewer' })
    await small.page.getByRole('checkbox', { name: 'Select all rows' }).check()
    await small.page.getByText('3 messages selected').waitFor()
    assert.equal(await small.page.getByRole('button', { name: /^Cancel scheduled/ }).count(), 0)
  },
)

test(
  '2,000: tabs and total have their numbers, few rows are drawn, one text and columns are in the address',
  { skip },
  async (t) => {
    const workspace = await api.workspace('many')
    await api.service.db.count(sql`
      insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
      select ${workspace.id}, (left(facteur_events_from(at)::text, 24) || lpad(to_hex(n), 12, '0'))::uuid,
        '{"from":{"name":null,"address":"hello@many.test"},"to":[],"cc":[],"bcc":[],"replyTo":[],"headers":[]}',
        'News', 'p' || n || '@example.com', at, '2026-01-01'
      from generate_series(1, ${many}::int) n
      cross join lateral (select facteur_now() - n * interval '1 second' as at) t`)
    await api.service.db.count(sql`
      insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane,
        next_at, attempts)
      select workspace_id, id, 0, 'to', message_id, message_id,
        case when message_id like '%00@example.com' then 'bounced' else 'delivered' end, 'settled', 'transactional',
        created_at, 1
      from message where workspace_id = ${workspace.id}`)
    const { page } = await open(t, 'many', workspace)
    await page.getByRole('button', { name: 'All 2,000' }).waitFor()
    await page.getByRole('button', { name: 'Delivered 1,980' }).waitFor()
    const table = page.getByRole('table')
    assert.equal(await table.getAttribute('aria-rowcount'), String(many + 1))
    await axe(page)
    await until(
      async () => {
        await page.evaluate('window.scrollTo(0, document.body.scrollHeight)')
        return Number(await rowsIn(page).last().getAttribute('data-index'))
      },
      (index) => index > 200,
    )
    assert.ok((await rowsIn(page).count()) < 100, 'few rows are drawn')
    await page.getByRole('button', { name: 'Bounced 20' }).click()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'From' }).check()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('columnheader', { name: 'From' }).waitFor()
    await page.getByRole('link', { name: 'p100@example.com' }).waitFor()
    assert.equal(await rowsIn(page).count(), 20)
    await axe(page)
  },
)
