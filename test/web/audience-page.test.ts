/**
 * The page of subscribers in a browser: saved segments beside the list, a contact in a sheet, and
 * the list of a phone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace, settled } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const wide = { width: 1440, height: 900 }
const narrow = { width: 360, height: 740 }

async function newShop(slug: string) {
  const workspace = await api.workspace(slug)
  for (const [email, tags] of [
    ['ann@example.com', ['vip']],
    ['bea@example.com', ['vip']],
    ['cid@example.com', []],
  ] as const)
    assertAnswered(
      await ask(api.baseUrl, 'POST /api/v1/subscribers', {
        key: workspace.key,
        body: { email, firstName: email.slice(0, 3), tags, double_opt_in: false },
      }),
      201,
    )
  return { browser, api, workspace, slug }
}

const sheet = (page: Page, name: string) => page.getByRole('dialog', { name })
const fits = async (page: Page): Promise<void> => {
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
  assert.ok(width <= narrow.width, `${width} px`)
}

test(
  'a filter is saved as a segment, which stands beside the list with its count; a click shows its contacts, and a reload too',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, await newShop('beside'), {
      ...{ at: 'subscribers?tag=vip', viewport: wide },
    })
    await page.getByRole('link', { name: 'bea@example.com' }).waitFor()
    // Of everybody, whatever the filter.
    await page.getByText('3 subscribed · +3 in 30 days').waitFor()
    await page.getByRole('button', { name: 'Save as segment' }).click()
    await page.getByRole('textbox', { name: 'Segment name' }).fill('Best')
    await page.getByRole('button', { name: 'Save segment' }).click()
    const segmentList = page.getByRole('navigation', { name: 'Segments' })
    await segmentList.getByRole('button', { name: 'Best 2' }).waitFor()
    assert.match(page.url(), /segment=[0-9a-f-]{36}$/)
    await axe(page)
    await segmentList.getByRole('button', { name: 'All subscribers' }).click()
    await page.getByRole('link', { name: 'cid@example.com' }).waitFor()
    await segmentList.getByRole('button', { name: 'Best 2' }).press('Enter')
    await page.getByRole('link', { name: 'cid@example.com' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: 'ann@example.com' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'cid@example.com' }).count(), 0)
    await page.getByRole('checkbox', { name: 'Select all rows' }).check()
    await page.getByRole('button', { name: 'Add tag' }).waitFor()
    await page.setViewportSize(narrow)
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByRole('combobox', { name: 'Segments' }).selectOption('All subscribers')
    await page.getByRole('link', { name: 'cid@example.com' }).waitFor()
    await fits(page)
  },
)

test(
  'an address with a segment that is gone shows nobody, exports nobody, and leads back to everybody',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, await newShop('gone'), {
      ...{ at: 'subscribers?segment=00000000-0000-4000-8000-000000000000', viewport: wide },
      refused: [422],
    })
    await page.getByText('This segment was deleted').waitFor()
    await axe(page)
    const actions = page.getByRole('button', { name: 'Actions', exact: true })
    await actions.click()
    await page.getByRole('menuitem', { name: 'Topics' }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: /^Export/ }).count(), 0)
    await page.keyboard.press('Escape')
    assert.equal(await page.getByRole('table').count(), 0)
    await page.getByRole('button', { name: 'All subscribers' }).click()
    await page.getByRole('link', { name: 'cid@example.com' }).waitFor()
    await actions.click()
    await page.getByRole('menuitem', { name: 'Export', exact: true }).waitFor()
  },
)

test(
  'a row opens its contact in a sheet: keys go from row to row, Escape leaves an input and then the sheet, whose row has the focus',
  { skip },
  async (t) => {
    const shop = await newShop('sheet')
    const { page } = await openWorkspace(t, shop, { at: 'subscribers?sort=email' })
    await page.getByRole('link', { name: 'ann@example.com' }).click()
    await sheet(page, 'ann').getByText('Subscribed: receives campaigns.').waitFor()
    await sheet(page, 'ann').getByRole('list', { name: 'Timeline' }).waitFor()
    await axe(page)
    await page.keyboard.press('ArrowDown')
    await sheet(page, 'bea').getByText('bea@example.com').waitFor()
    await page.keyboard.press('ArrowDown')
    await sheet(page, 'cid').waitFor()
    const next = sheet(page, 'cid').getByRole('button', { name: 'Next subscriber' })
    assert.equal(await next.getAttribute('aria-disabled'), 'true')
    await page.keyboard.press('ArrowUp')
    await sheet(page, 'bea').getByText('bea@example.com').waitFor()
    const editTags = () => sheet(page, 'bea').getByRole('button', { name: 'Edit: Tags' })
    await editTags().press('ArrowUp')
    await editTags().press('k')
    await sheet(page, 'ann').getByText('ann@example.com').waitFor()
    await page.keyboard.press('j')
    await sheet(page, 'bea').getByText('bea@example.com').waitFor()
    await page.keyboard.press('j')
    await sheet(page, 'cid').getByRole('button', { name: 'Edit: Tags' }).click()
    const tags = sheet(page, 'cid').getByRole('combobox', { name: 'Tags' })
    await tags.and(page.locator(':focus')).waitFor()
    await tags.fill('v')
    await page.getByRole('listbox').waitFor()
    await tags.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    assert.equal(await tags.inputValue(), 'v')
    await tags.press('Escape')
    await tags.waitFor({ state: 'detached' })
    const edit = sheet(page, 'cid').getByRole('button', { name: 'Edit: Tags' })
    await edit.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('k')
    await sheet(page, 'bea').getByText('bea@example.com').waitFor()
    await page.reload()
    await sheet(page, 'bea').getByRole('button', { name: 'Edit: First name' }).click()
    const name = sheet(page, 'bea').getByRole('textbox', { name: 'First name' })
    await name.press('Escape')
    await name.waitFor({ state: 'detached' })
    await sheet(page, 'bea').getByRole('button', { name: 'Edit: First name' }).click()
    await name.fill('Beatrice')
    await name.press('Enter')
    await sheet(page, 'Beatrice').waitFor()
    const editName = sheet(page, 'Beatrice').getByRole('button', { name: 'Edit: First name' })
    await editName.and(page.locator(':focus')).waitFor()
    await page.getByRole('tooltip', { name: 'Edit: First name' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('tooltip').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await sheet(page, 'Beatrice').waitFor({ state: 'detached' })
    await page.locator('a:focus', { hasText: 'Beatrice' }).waitFor()
    assert.doesNotMatch(page.url(), /contact=/)
    const opened = page.context().waitForEvent('page')
    await page
      .getByRole('link', { name: 'ann@example.com' })
      .click({ modifiers: ['ControlOrMeta'] })
    await (await opened).close()
    await page.getByRole('link', { name: 'ann@example.com' }).click()
    await sheet(page, 'ann').getByRole('link', { name: 'Open page' }).click()
    await page.getByRole('heading', { level: 1, name: 'ann' }).waitFor()
  },
)

test(
  'the way goes on from a contact who left the list, and behind the last row that was read',
  { skip },
  async (t) => {
    const shop = await newShop('way')
    await api.service.db.count(sql`
      insert into subscriber (workspace_id, id, email, status, first_name, tags, source, created_at, updated_at)
      select ${shop.workspace.id}, gen_random_uuid(), 'p' || n || '@example.com', 'subscribed', 'P' || n,
        '{vip}', 'api', facteur_now(), facteur_now()
      from generate_series(100, 160) n`)
    const { page } = await openWorkspace(t, shop, { at: 'subscribers?tag=vip&sort=email' })
    await page.getByRole('link', { name: 'ann@example.com' }).click()
    await sheet(page, 'ann').getByRole('button', { name: 'Edit: Tags' }).click()
    const tags = sheet(page, 'ann').getByRole('combobox', { name: 'Tags' })
    await tags.press('Backspace')
    await page.getByRole('listbox').waitFor()
    await tags.press('Escape')
    await sheet(page, 'ann').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'ann@example.com' }).waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await sheet(page, 'bea').getByText('bea@example.com').waitFor()
    await page.keyboard.press('Escape')
    const last = page.getByRole('link', { name: 'p148@example.com' })
    await last.focus()
    await last.press('Enter')
    await sheet(page, 'P148').getByText('p148@example.com').waitFor()
    await page.keyboard.press('j')
    await sheet(page, 'P149').getByText('p149@example.com').waitFor()
    await page.keyboard.press('k')
    await sheet(page, 'P148').getByText('p148@example.com').waitFor()
  },
)

test(
  'on a phone and in French: an order and all rows are chosen above the list; the sheet fits',
  { skip },
  async (t) => {
    const shop = await newShop('telephone')
    await api.service.db.count(sql`
      update subscriber set status = 'pending' where workspace_id = ${shop.workspace.id} and email = 'cid@example.com'`)
    const { page } = await openWorkspace(t, shop, {
      ...{ at: 'subscribers', viewport: narrow, language: 'fr', dark: true },
    })
    const rows = page.locator('tbody tr[data-index]')
    await rows.filter({ hasText: 'Non confirmé' }).waitFor()
    await page.getByRole('combobox', { name: 'Trier par' }).selectOption('Adresse, croissant')
    await until(async () => (await rows.first().innerText()).includes('ann@example.com'))
    await page.getByRole('checkbox', { name: 'Tout sélectionner' }).check()
    await page.getByRole('region', { name: 'Actions groupées' }).waitFor()
    await axe(page)
    await fits(page)
    await page.getByRole('button', { name: 'Effacer la sélection' }).click()
    await page.getByRole('link', { name: 'ann@example.com' }).click()
    await sheet(page, 'ann').getByText('reçoit les campagnes').waitFor()
    await axe(page)
    await fits(page)
    await sheet(page, 'ann').getByRole('button', { name: 'Abonné suivant' }).click()
    await sheet(page, 'bea').getByText('bea@example.com').waitFor()
  },
)

test(
  'a count that is slow, and one that ends after its time, leave the list as it is; segments beside it wait',
  { skip },
  async (t) => {
    const shop = await newShop('slow')
    const segment = '00000000-0000-4000-8000-00000000005e'
    await api.service.db.count(sql`
      insert into segment (workspace_id, id, name, definition, created_at, updated_at)
      values (${shop.workspace.id}, ${segment}, 'Best', '{"tag": "vip"}', facteur_now(), facteur_now())`)
    const { page, goto } = await openWorkspace(t, shop, { viewport: wide, refused: [409] })
    const counts: string[] = []
    const end = Promise.withResolvers<void>()
    await page.route(/audience\/count/, async (route) => {
      counts.push(route.request().url())
      await end.promise
      const details = { reason: 'segment_timed_out', seconds: 5 }
      await route.fulfill({
        status: 409,
        json: { error: { code: 'conflict', message: '', details } },
      })
    })
    await goto(`subscribers?segment=${segment}`)
    await page.getByRole('link', { name: 'bea@example.com' }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all rows' }).check()
    await page.getByRole('button', { name: 'Add tag' }).waitFor()
    end.resolve()
    await settled(page)
    assert.equal(counts.length, 1, counts.join(' '))
    await page.getByRole('link', { name: 'ann@example.com' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.equal(await page.getByRole('button', { name: /that match/ }).count(), 0)
    const segmentList = page.getByRole('navigation', { name: 'Segments' })
    await segmentList.getByRole('button', { name: 'Best', exact: true }).waitFor()
  },
)

test(
  'none: three ways lead to the first subscribers, and a file dropped on the page is an import',
  { skip },
  async (t) => {
    const workspace = await api.workspace('first')
    const shop = { browser, api, workspace, slug: 'first' }
    const viewer = await openWorkspace(t, shop, { role: 'viewer', at: 'subscribers' })
    await viewer.page.getByText('No subscribers yet').waitFor()
    assert.equal(await viewer.page.getByRole('link', { name: 'Create a sign-up form' }).count(), 0)
    const { page } = await openWorkspace(t, shop, { at: 'subscribers', viewport: wide })
    await page.getByRole('link', { name: 'Create a sign-up form' }).waitFor()
    await page.getByRole('link', { name: 'Create an API key' }).waitFor()
    await axe(page)
    const filesOf = (...names: string[]) =>
      page.evaluateHandle(`(() => {
        const transfer = new DataTransfer()
        for (const name of ${JSON.stringify(names)})
          transfer.items.add(new File(['email\\nann@example.com\\n'], name))
        return transfer
      })()`)
    const drag = async (type: string, ...names: string[]): Promise<void> =>
      page.getByRole('heading', { level: 1 }).dispatchEvent(type, {
        dataTransfer: await filesOf(...names),
      })
    const outline = () =>
      page.evaluate(`getComputedStyle(document.querySelector('[data-drop]')).outlineStyle`)
    for (const type of ['dragenter', 'dragenter', 'dragleave']) await drag(type, 'few.csv')
    await until(async () => (await outline()) === 'dashed')
    await drag('drop', 'few.png')
    await page.getByRole('alert').getByText('CSV').waitFor()
    assert.equal(await outline(), 'none')
    await drag('drop', 'few.csv', 'more.csv')
    await page.getByRole('alert').getByText('One file at a time.').waitFor()
    await drag('drop', 'few.csv')
    await page.getByRole('heading', { level: 1, name: 'few.csv' }).waitFor()
  },
)
