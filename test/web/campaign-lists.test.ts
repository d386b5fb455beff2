/**
 * The list of campaigns and the list of a campaign's recipients in a browser: tabs with counts,
 * rates, a menu for each row and a pause in place, with none, one and 2,000 rows; in French on a
 * phone, by keyboard.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { freezeCampaign } from '../../src/core/campaigns/freeze-campaign.ts'
import { sql } from '../../src/database/client/sql.ts'
import { addSubscribers, campaignRow, draftOf, send } from '../support/campaign-world.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const many = 2_000

type Options = NonNullable<Parameters<typeof openWorkspace>[2]>
const open = (
  t: TestContext,
  slug: string,
  workspace: Awaited<ReturnType<typeof api.workspace>>,
  options: Options = {},
) => openWorkspace(t, { browser, api, workspace, slug }, { at: 'campaigns', ...options })
const fits = async (page: Page): Promise<void> => {
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
  assert.ok(width <= phone.width, `${width} px`)
}
const french = { language: 'fr', viewport: phone } as const

test('none and one: tabs, menu and question, in French on a phone', { skip }, async (t) => {
  const workspace = await api.workspace('one')
  const { page } = await open(t, 'one', workspace, french)
  await page.getByRole('button', { name: 'Brouillons 0' }).waitFor()
  await axe(page)
  await fits(page)
  await draftOf(api, workspace, {
    name: 'Rentrée',
    subject: 'Pour {{firstName | default: "vous"}}',
  })
  await page.getByRole('link', { name: 'Rentrée' }).waitFor()
  await page.getByText('Pour vous').waitFor()
  await axe(page)
  await fits(page)
  await page.reload()
  await page.getByRole('button', { name: 'Brouillons 1' }).click()
  await page.waitForURL(/status=draft/)
  await page.getByRole('button', { name: 'Actions pour Rentrée' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Dupliquer' }).waitFor()
  await page.getByRole('menuitem', { name: 'Supprimer' }).press('Enter')
  const question = page.getByRole('dialog')
  await question.waitFor()
  await axe(page)
  await question.getByRole('button', { name: 'Supprimer' }).click()
  await page.getByText('Rentrée').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Brouillons 0' }).waitFor()
  assert.match(page.url(), /status=draft/, 'the reader stays where they are')
  await axe(page)
})

test(
  'selected drafts are deleted; what is no draft has no box, and fits 1,280 px',
  { skip },
  async (t) => {
    const workspace = await api.workspace('select')
    await addSubscribers(api, workspace, 1)
    for (const name of ['Un', 'Deux', 'Trois']) await draftOf(api, workspace, { name })
    const sent = await draftOf(api, workspace, { name: 'Partie' })
    await send(api, workspace, sent)
    await until(
      () => campaignRow(api, workspace, sent),
      ({ status }) => status === 'sent',
    )
    const small = await open(t, 'select', workspace, french)
    await small.page.getByRole('checkbox', { name: 'Sélectionner Un', exact: true }).check()
    await small.page.evaluate('window.scrollTo(0, document.body.scrollHeight)')
    await axe(small.page)
    await fits(small.page)
    const wide = { width: 1_280, height: 800 }
    const { page } = await open(t, 'select', workspace, { language: 'fr', viewport: wide })
    await page.getByRole('checkbox', { name: 'Sélectionner Un', exact: true }).check()
    await page.getByRole('checkbox', { name: 'Sélectionner Deux' }).check()
    assert.equal(await page.getByRole('checkbox', { name: 'Sélectionner Partie' }).count(), 0)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), wide.width)
    assert.equal(
      await page.evaluate(
        `[...document.querySelectorAll('main *')].filter((part) => part.scrollWidth > part.clientWidth && getComputedStyle(part).overflowX === 'auto').length`,
      ),
      0,
      'no part of it scrolls sideways',
    )
    const bar = page.getByRole('region', { name: 'Lignes sélectionnées' })
    await bar.getByRole('button', { name: 'Supprimer' }).click()
    const question = page.getByRole('dialog', { name: 'Supprimer 2 brouillons ?' })
    await question.getByText('Leurs images et e-mails de test restent.').waitFor()
    await question.getByRole('button', { name: 'Supprimer' }).click()
    await page.getByText('2 brouillons supprimés.').waitFor()
    await page.getByText('2 au total').waitFor()
    await page.getByRole('link', { name: 'Trois' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Deux' }).count(), 0)
  },
)

test(
  'selected drafts that went meanwhile, or fail: the list says what is there',
  { skip },
  async (t) => {
    const workspace = await api.workspace('meanwhile')
    const ids: string[] = []
    for (const name of ['Un', 'Deux', 'Trois', 'Quatre'])
      ids.push(await draftOf(api, workspace, { name }))
    const [, two = '', three = ''] = ids
    const { page } = await open(t, 'meanwhile', workspace, { language: 'fr', refused: [500] })
    const remove = async (...names: string[]): Promise<void> => {
      for (const name of names)
        await page.getByRole('checkbox', { name: `Sélectionner ${name}`, exact: true }).check()
      const bar = page.getByRole('region', { name: 'Lignes sélectionnées' })
      await bar.getByRole('button', { name: 'Supprimer' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Supprimer' }).click()
    }
    await page.getByRole('checkbox', { name: 'Sélectionner Deux' }).waitFor()
    await api.run(`delete from campaign where workspace_id = ${workspace.id} and id = '${two}'`)
    await remove('Deux')
    await page.getByText('1 brouillon a été modifié ou supprimé entre-temps').waitFor()
    await page.getByRole('link', { name: 'Deux' }).waitFor({ state: 'detached' })
    await api.run(`
    create function stay() returns trigger language plpgsql as $$ begin raise 'stay'; end $$;
    create trigger stay before delete on campaign for each row when (old.id = '${three}')
    execute function stay()`)
    await remove('Quatre', 'Trois')
    await page.getByRole('link', { name: 'Quatre' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Trois' }).waitFor()
  },
)

test('2,000: the tab has their number, and few rows are drawn', { skip }, async (t) => {
  const workspace = await api.workspace('many')
  await api.service.db.count(sql`
    insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at)
    select ${workspace.id}, ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Draft ' || n, 'News',
      'text', '{"text":"Hello"}', 'draft', facteur_now(), facteur_now()
    from generate_series(1, ${many}::int) n`)
  const { page } = await open(t, 'many', workspace)
  await page.getByRole('button', { name: 'Drafts 2,000' }).click()
  await page.getByRole('link', { name: 'Draft 2000' }).waitFor()
  await page.getByText('2,000 in all').waitFor()
  const table = page.getByRole('table')
  await until(
    () => table.getAttribute('aria-rowcount'),
    (count) => count === String(many + 1),
  )
  await axe(page)
  const rows = table.locator('tbody tr[data-index]')
  await until(
    async () => {
      await page.evaluate('window.scrollTo(0, document.body.scrollHeight)')
      return Number(await rows.last().getAttribute('data-index'))
    },
    (index) => index > 200,
  )
  assert.ok((await rows.count()) < 100, 'few rows are drawn')
  await page.getByRole('searchbox').fill('draft 1999')
  await page.getByText('1 in all').waitFor()
  await page.getByRole('button', { name: 'All except archived 1' }).waitFor()
})

test(
  'an order and days stand in the address; a phone chooses the order in a list',
  { skip },
  async (t) => {
    const workspace = await api.workspace('sorted')
    await api.service.db.count(sql`
      insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at)
      select ${workspace.id}, ('01990000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, name, 'News',
        'text', '{"text":"Hello"}', 'draft', facteur_now(), facteur_now() - days * interval '1 day'
      from (values (1, 'cyan', 40), (2, 'Ambre', 2), (3, 'bleu', 3)) v (n, name, days)`)
    const { page } = await open(t, 'sorted', workspace)
    const shows = (expected: string[], on = page) =>
      until(
        () => on.getByRole('table').locator('tbody').getByRole('link').allInnerTexts(),
        (names) => names.map((name) => name.split('\n')[0]).join() === expected.join(),
      )
    await shows(['Ambre', 'bleu', 'cyan'])
    const header = (name: string) => page.getByRole('columnheader', { name })
    assert.equal(await header('Date').getAttribute('aria-sort'), 'descending')
    await header('Campaign').getByRole('button').click()
    await page.waitForURL(/sort=name/)
    await shows(['Ambre', 'bleu', 'cyan'])
    await header('Campaign').getByRole('button').press('Enter')
    await page.waitForURL(/sort=-name/)
    await shows(['cyan', 'bleu', 'Ambre'])
    await page.getByRole('button', { name: 'Any time' }).click()
    await page.getByRole('radio', { name: 'Last 7 days' }).check()
    await page.waitForURL(/days=7/)
    await page.keyboard.press('Escape')
    await shows(['bleu', 'Ambre'])
    await page.getByRole('button', { name: 'Drafts 2' }).waitFor()
    await page.getByText('2 in all').waitFor()
    await page.reload()
    await shows(['bleu', 'Ambre'])
    await axe(page)
    await page.getByRole('searchbox').fill('cyan')
    await page.getByRole('button', { name: 'Show all' }).click()
    await shows(['cyan', 'bleu', 'Ambre'])
    assert.doesNotMatch(page.url(), /days=/)
    const small = await open(t, 'sorted', workspace, french)
    await small.page.getByRole('combobox', { name: 'Trier par' }).selectOption('date')
    await small.page.waitForURL(/sort=date/)
    await shows(['cyan', 'bleu', 'Ambre'], small.page)
    await axe(small.page)
    await fits(small.page)
  },
)

test(
  'a sent campaign has its rates in the list, and its recipients their counts in tabs',
  { skip },
  async (t) => {
    const workspace = await api.workspace('shop')
    await addSubscribers(api, workspace, 3)
    assertAnswered(
      await ask(api.baseUrl, 'POST /api/v1/subscribers', {
        key: workspace.key,
        body: { email: 'bounced@simulator.test', double_opt_in: false },
      }),
      201,
    )
    const id = await draftOf(api, workspace, { name: 'December' })
    await send(api, workspace, id)
    await until(
      () => campaignRow(api, workspace, id),
      ({ status }) => status === 'sent',
    )
    await until(
      () =>
        api.service.db.rows(sql`
        select 1 from campaign_tally
        where workspace_id = ${workspace.id} and measure = 'delivered' and count = 3`),
      ({ length }) => length > 0,
    )
    const { page } = await open(t, 'shop', workspace)
    await page.getByRole('button', { name: 'Sent 1' }).click()
    const row = page.getByRole('row').filter({ hasText: 'December' })
    assert.match((await row.allInnerTexts()).join(), /All subscribers\s+4\s+0%\s+0%\s+0%/)
    await axe(page)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Audience' }).uncheck()
    await page.keyboard.press('Escape')
    await page.waitForURL(/columns=/)
    assert.equal(await page.getByRole('columnheader', { name: 'Audience' }).count(), 0)
    await page.getByRole('button', { name: 'Actions for December' }).click()
    assert.equal(await page.getByRole('menuitem', { name: 'Delete' }).count(), 0)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'December' }).click()
    await page.getByRole('link', { name: 'Recipients' }).first().click()
    await page.getByRole('button', { name: 'All recipients 4' }).waitFor()
    await page.getByRole('button', { name: 'Delivered 3' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Complained/ }).count(), 0)
    await axe(page)
    await page.getByRole('button', { name: 'Bounced 1' }).click()
    await page.waitForURL(/only=bounced/)
    await page.locator('[data-stale=true]').waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('row').count(), 2)
    const small = await open(t, 'shop', workspace, {
      ...french,
      at: `campaigns/${id}/recipients`,
      role: 'viewer',
    })
    await small.page.getByRole('button', { name: 'Distribués 3' }).waitFor()
    await axe(small.page)
    await fits(small.page)
    await small.goto('campaigns')
    await small.page.getByRole('link', { name: 'December' }).waitFor()
    assert.equal(await small.page.getByRole('button', { name: /^Actions pour/ }).count(), 0)
    await fits(small.page)
  },
)

test('one that leaves shows how far it is, and is paused where it stands', { skip }, async (t) => {
  const workspace = await api.workspace('slow')
  await addSubscribers(api, workspace, 2)
  const id = await draftOf(api, workspace, { name: 'Slow' })
  await freezeCampaign(api.service, {
    ...{ workspaceId: workspace.id, id, from: 'draft', undoSeconds: 86_400, canary: null },
  })
  const { page } = await open(t, 'slow', workspace)
  await page.getByText('0 of 2 handed over').waitFor()
  await axe(page)
  await page.getByRole('button', { name: 'Pause Slow' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('cell').getByText('Paused', { exact: true }).waitFor()
  await axe(page)
})
