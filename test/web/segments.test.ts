/**
 * Segments in a browser: a member builds one from groups beside a live count, finds its contacts
 * and exports them; by keyboard, in French on a phone, and as a viewer who changes nothing.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { callVerb } from '../support/call-verb.ts'
import { startBrowser } from '../support/browser.ts'
import { handsOn } from '../support/hands.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace('shop')
const shop = { browser, api, workspace, slug: 'shop' }
const narrow = { width: 390, height: 780 }

const hostile = '<img src=x onerror=alert(1)>'
for (const [n, city] of ['Paris', 'PARIS', 'Lyon', hostile].entries())
  assertAnswered(
    await ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: workspace.key,
      body: {
        ...{ email: `p${n}@example.com`, fields: { city }, double_opt_in: false },
        tags: n === 0 ? ['vip'] : ['news'],
      },
    }),
    201,
  )

await callVerb(api.service, workspace.id, 'defineSubscriberField', {
  body: { key: 'last_order', type: 'date' },
})

const definitionOf = (name: string) =>
  api.service.db.value<unknown>(
    sql`select definition from segment where workspace_id = ${workspace.id} and name = ${name}`,
  )

test(
  'a member builds a segment beside its live count, and finds its contacts',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, { role: 'editor', at: 'subscribers' })
    await page.getByRole('button', { name: 'Actions', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Segments' }).click()
    await page.getByText('No segments yet').waitFor()
    await axe(page)
    await page.getByRole('link', { name: 'New segment' }).first().click()
    await page.getByText('Complete the conditions to see the count.').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('Parisians')
    const create = page.getByRole('button', { name: 'Create segment' })
    assert.equal(await create.isDisabled(), true)

    await page.getByRole('combobox', { name: 'Condition', exact: true }).selectOption('field')
    await page.getByRole('combobox', { name: 'Field', exact: true }).selectOption('city')
    await page.getByRole('textbox', { name: 'Value' }).fill('paris')
    await page.getByText('2 contacts').waitFor()
    await page.getByText('2 are subscribed').waitFor()
    await page.getByRole('link', { name: 'p1@example.com' }).waitFor()
    await page.getByRole('button', { name: 'Add group' }).click()
    await page.getByRole('combobox', { name: 'Match' }).last().selectOption('none')
    await page.getByRole('combobox', { name: 'Tag' }).fill('vip')
    await page.getByText('1 contact', { exact: true }).waitFor()
    await axe(page)
    await create.click()

    await page.getByRole('heading', { level: 1, name: 'Parisians' }).waitFor()
    await page.getByRole('table', { name: 'Contacts' }).getByText('p1@example.com').waitFor()
    assert.equal(await page.getByRole('table', { name: 'Contacts' }).getByText('p0@').count(), 0)
    await page.getByRole('button', { name: 'Export…' }).waitFor()
    assert.deepEqual(Object.keys(Object(await definitionOf('Parisians'))), ['all'])
    await axe(page)
  },
)

test(
  'by keyboard alone: arrows pass every condition, one is stored; the page is French on a phone',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, {
      ...{ role: 'editor', language: 'fr', viewport: narrow, at: 'segments/new' },
    })
    await page.getByRole('textbox', { name: 'Nom' }).focus()
    await page.keyboard.type('Confirmés')
    const condition = page.getByRole('combobox', { name: 'Condition', exact: true })
    await condition.focus()
    const [, ...further] = await condition.locator('option').allInnerTexts()
    for (const each of further) {
      await page.keyboard.press('ArrowDown')
      assert.equal(await condition.locator('option:checked').innerText(), each)
    }
    await handsOn(page, 'keyboard').choose(condition, 'Statut')
    await page.getByText('4 contacts').waitFor()
    await axe(page)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(width) <= narrow.width, `${String(width)} px`)
    await page.getByRole('button', { name: 'Créer le segment' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Confirmés' }).waitFor()
    assert.deepEqual(await definitionOf('Confirmés'), { all: [{ status: 'subscribed' }] })
    await axe(page)
  },
)

test(
  'a campaign that no page of the newest shows is found by its name, and stays chosen',
  { skip },
  async (t) => {
    await api.run(`
      insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at)
      select ${workspace.id}, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
        case when n = 1 then 'Spring sale' else 'Letter ' || n end, 's', 'text', '{}', 'draft', facteur_now(), facteur_now()
      from generate_series(1, 130) n`)
    const { page } = await openWorkspace(t, shop, { role: 'editor', at: 'segments/new' })
    await page.getByRole('textbox', { name: 'Name' }).fill('Spring')
    await page.getByRole('combobox', { name: 'Condition', exact: true }).selectOption('received')
    await page.getByRole('combobox', { name: 'Comparison' }).selectOption('campaign')
    const campaign = page.getByRole('combobox', { name: 'Campaign', exact: true })
    await campaign.fill('spring')
    await page.getByRole('option', { name: 'Spring sale' }).click()
    await page.getByText('0 contacts').waitFor()
    await axe(page)
    await page.getByRole('button', { name: 'Create segment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Spring' }).waitFor()
    assert.deepEqual(await definitionOf('Spring'), {
      all: [{ received: { campaign: '01900000-0000-7000-8000-000000000001' } }],
    })
    await page.reload()
    await campaign.waitFor()
    await page.waitForFunction(
      `[...document.querySelectorAll('input')].some(({ value }) => value === 'Spring sale')`,
    )
  },
)

test('a count that comes while a member writes leaves them in their field', { skip }, async (t) => {
  const { page } = await openWorkspace(t, shop, { role: 'editor', at: 'segments' })
  const { promise: mayCount, resolve: count } = Promise.withResolvers<void>()
  await page.route('**/segments/count', async (route) => {
    await mayCount
    await route.continue()
  })
  await page.getByRole('link', { name: 'Parisians' }).click()
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.focus()
  count()
  await page.getByText('The 1 that matches').waitFor()
  assert.equal(await name.and(page.locator(':focus')).count(), 1)
})

test('a viewer reads a segment, and has no button that changes it', { skip }, async (t) => {
  const { page } = await openWorkspace(t, shop, { role: 'viewer', at: 'segments' })
  await page.getByRole('link', { name: 'Confirmés' }).click()
  await page.getByText('4 contacts').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Add condition' }).count(), 0)
  await page.getByRole('table', { name: 'Contacts' }).getByText('p0@example.com').waitFor()
})

for (const { language, viewport, ...words } of [
  {
    ...{ language: 'en' as const, viewport: { width: 1280, height: 800 } },
    ...{ field: 'Field', comparison: 'Comparison', days: 'Days', text: 'is in the last' },
    ...{ suffixed: '30 days', count: '0 contacts' },
  },
  {
    ...{ language: 'fr' as const, viewport: narrow },
    ...{ field: 'Champ', comparison: 'Comparaison', days: 'Jours' },
    ...{ text: 'il y a moins de', suffixed: '30 jours', count: '0 contact' },
  },
] as const)
  test(
    `${language}: a date field is first compared with so many days before now, and counted`,
    { skip },
    async (t) => {
      const { page } = await openWorkspace(t, shop, {
        ...{ role: 'editor', language, viewport, at: 'segments/new' },
      })
      const choice = (name: string) => page.getByRole('combobox', { name, exact: true })
      await choice('Condition').selectOption('field')
      await choice(words.field).selectOption('last_order')
      const comparison = choice(words.comparison).locator('option:checked')
      assert.equal(await comparison.innerText(), words.text)
      const days = page.getByRole('textbox', { name: words.days, exact: true })
      await days.fill('30')
      assert.equal(await days.inputValue(), words.suffixed)
      await page.getByText(words.count, { exact: true }).waitFor()
      await axe(page)
    },
  )
