/**
 * Changes of many contacts in a browser: a tag with its result, an unsubscription that is stopped
 * while it waits and survives a reload, a typed field, an erasure and an export that ask who it is;
 * by keyboard, in French on a phone, and as a viewer who changes nothing.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
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
const { db } = api.service
const workspace = await api.workspace('shop')
const shop = { browser, api, workspace, slug: 'shop' }
const phone = { width: 360, height: 740 }

for (const name of ['ann', 'bea', 'cid'])
  assertAnswered(
    await ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: workspace.key,
      body: { email: `${name}@example.com`, fields: { city: 'Paris' }, double_opt_in: false },
    }),
    201,
  )
const segment = '00000000-0000-0000-0000-00000000005e'
await db.count(sql`
  insert into segment (workspace_id, id, name, definition, created_at, updated_at)
  values (${workspace.id}, ${segment}, 'Everybody', '{"all": []}', facteur_now(), facteur_now())`)
const at = `segments/${segment}`
const subscribed = () =>
  db.onlyValue<number>(sql`
    select count(*)::int as count from subscriber where workspace_id = ${workspace.id} and status = 'subscribed'`)
const act = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const password = 'a password of many words'
/** The list, of an editor who signed in an hour ago. */
async function openLater(t: TestContext, email: string): Promise<Page> {
  const options = { role: 'editor', at, email, password, refused: [403] } as const
  const { page } = await openWorkspace(t, shop, options)
  await db.count(sql`
    update user_session set shown_at = shown_at - interval '1 hour'
    where user_id = (select id from user_account where email = ${email})`)
  return page
}
async function confirmIdentity(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await dialog.getByLabel(/^Password/).fill(password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
}
/** The card of a change. */
const card = (page: Page, name: string) => page.getByRole('region', { name }).first()

test('a tag for all that match, with its result; a field by its type', { skip }, async (t) => {
  const { page } = await openWorkspace(t, shop, { role: 'editor', at })
  await page.getByText('All 3 that match').waitFor()
  await act(page, 'Add tag')
  await page.getByRole('dialog', { name: 'Add a tag to 3 contacts' }).waitFor()
  await axe(page)
  await page.getByRole('combobox', { name: 'Tag' }).last().fill('vip')
  await page.getByRole('dialog').getByRole('button', { name: 'Add tag' }).click()
  await card(page, 'Add the tag vip').getByText('3 changed').waitFor()
  await axe(page)
  await act(page, 'Set field')
  await page.getByRole('combobox', { name: 'Field to set' }).click()
  await page.getByRole('option', { name: 'city' }).click()
  await page.getByRole('textbox', { name: 'city' }).fill('Paris')
  await page.getByRole('dialog').getByRole('button', { name: 'Set field' }).click()
  await card(page, 'Set the field city').getByText('0 changed · 3 unchanged').waitFor()
})

test(
  'an unsubscription waits, survives a reload and is stopped; in French on a phone, by keyboard',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, {
      ...{ role: 'editor', language: 'fr', viewport: phone, at },
    })
    await page.getByRole('button', { name: 'Désinscrire…' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Motif' }).waitFor()
    await page.keyboard.type('Ils l’ont demandé')
    await axe(page)
    await page.getByRole('button', { name: 'Les désinscrire' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('timer').first().waitFor()
    await page.reload()
    const waiting = card(page, 'Désinscrire des contacts')
    await waiting.getByRole('timer').waitFor()
    await axe(page)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(width) <= phone.width, `${String(width)} px`)
    await waiting.getByRole('button', { name: 'Arrêter' }).focus()
    await page.keyboard.press('Enter')
    await waiting.getByText('Désinscrire des contacts : arrêté').waitFor()
    await api.moveClock('20 seconds')
    assert.equal(await subscribed(), 3)
  },
)

test('an export downloads who was chosen; a filter becomes a segment', { skip }, async (t) => {
  const page = await openLater(t, 'grace@example.com')
  await act(page, 'Export…')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export as CSV' }).click()
  await confirmIdentity(page)
  const download = await downloading
  const file = await readFile(await download.path(), 'utf8')
  assert.equal(file.trim().split('\n').length, 4)
  const mine = card(page, 'Export contacts')
  await mine.getByRole('link', { name: 'Download' }).waitFor()
  const colleague = await openWorkspace(t, shop, { role: 'editor', at, email: 'joan@example.com' })
  const exported = card(colleague.page, 'Export contacts')
  await exported.getByText('3 contacts').waitFor()
  await settled(colleague.page)
  assert.equal(await exported.getByRole('link', { name: 'Download' }).count(), 0)
  await act(page, 'Save as segment')
  await page.getByRole('textbox', { name: 'Segment name' }).fill('All of them')
  await axe(page)
  await act(page, 'Save segment')
  await page.getByText('The segment was saved.').waitFor()
  const saved = sql`select definition from segment where workspace_id = ${workspace.id} and name = 'All of them'`
  assert.deepEqual(await db.value(saved), { all: [] })
})

test('a change behind another says so, and its result is said', { skip }, async (t) => {
  await db.count(sql`
    insert into bulk_change (workspace_id, id, action, state, contacts, slot, next_at, user_email, created_at)
    select ${workspace.id}, gen_random_uuid(), action, state, 0, slot, facteur_now() + make_interval(secs => waits),
      'a@example.com', facteur_now()
    from (values ('untag', 'running', 4, 90), ('unsubscribe', 'waiting', 5, 0)) b (action, state, slot, waits)`)
  const { page } = await openWorkspace(t, shop, { role: 'editor', at })
  const waiting = card(page, 'Unsubscribe contacts')
  await waiting.getByText('0 contacts: waiting for another change to finish.').waitFor()
  const result = await waiting.locator('[aria-live]').elementHandle()
  await db.count(sql`
    update bulk_change set state = 'stopped', slot = null, next_at = null, ended_at = facteur_now()
    where workspace_id = ${workspace.id} and slot = 4`)
  await db.count(sql`
    insert into due (workspace_id, lane, next_at) values (${workspace.id}, 'bulk', facteur_now())
    on conflict (workspace_id, lane) do update set next_at = excluded.next_at`)
  api.service.wake('bulk')
  await waiting.getByText('0 changed').waitFor()
  assert.match((await result?.textContent()) ?? '', /0 changed/)
})

test('an erasure is typed, waits, and leaves nobody', { skip }, async (t) => {
  const page = await openLater(t, 'ada@example.com')
  await act(page, 'Erase…')
  const erase = page.getByRole('button', { name: 'Erase permanently' })
  assert.equal(await erase.isDisabled(), true)
  await page.getByRole('textbox', { name: 'Type “3” to confirm' }).fill('3')
  await axe(page)
  await erase.click()
  await confirmIdentity(page)
  await card(page, 'Erase contacts')
    .getByText(/starts in \d+ second/)
    .waitFor()
  await api.moveClock('40 seconds')
  await until(subscribed, (count) => count === 0)
  await card(page, 'Erase contacts').getByText('3 changed').waitFor()
})

test('a viewer sees results, and has no bar', { skip }, async (t) => {
  const { page } = await openWorkspace(t, shop, { role: 'viewer', at })
  await card(page, 'Erase contacts').waitFor()
  assert.equal(await page.getByRole('region', { name: 'Bulk actions' }).count(), 0)
})
