/**
 * Settings → Data retention in a browser: an owner reads what a limit deletes and sets it, others
 * read the limits.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints(), workers: false })
const workspace = await api.workspace('shop')
const world = { browser, api, workspace, slug: 'shop' }
const bodiesDays = () =>
  api.service.db.value<number>(
    sql`select days from workspace_retention where workspace_id = ${workspace.id} and class = 'bodies'`,
  )

for (const [language, words] of [
  [
    'en',
    {
      shorten: 'Shorten: Contents of messages',
      days: 'Days',
      save: 'Set limit',
      deletes: /older than 9 days.*Currently 1 entry/,
      stored: '9 days',
    },
  ],
  [
    'fr',
    {
      shorten: 'Raccourcir : Contenu des messages',
      days: 'Jours',
      save: 'Définir la limite',
      deletes: /plus de 9 jours.*1 entrée/,
      stored: '9 jours',
    },
  ],
] as const)
  test(
    `an owner reads what a shorter limit deletes before setting it, in ${language}`,
    { skip },
    async (t) => {
      await api.service.db.count(
        sql`delete from workspace_retention where workspace_id = ${workspace.id}`,
      )
      const id = `01900000-0000-7000-8000-00000000000${language === 'en' ? 1 : 2}`
      await api.service.db.count(sql`delete from message_body where workspace_id = ${workspace.id}`)
      await api.service.db.count(
        sql`insert into message_body (workspace_id, message_id, text) values (${workspace.id}, ${id}, '')`,
      )
      // Before now, no limit was set: nothing has expired.
      await api.service.db.count(sql`
      insert into retention (class, days, changed_at) values ('bodies', null, facteur_now()) on conflict (class) do nothing`)
      const { page } = await openWorkspace(t, world, { at: 'settings/retention', language })
      await axe(page)
      await page.getByRole('button', { name: words.shorten }).click()
      await page.getByLabel(words.days, { exact: true }).fill('9')
      await page
        .getByRole('dialog')
        .getByRole('status')
        .filter({ hasText: words.deletes })
        .waitFor()
      await axe(page)
      await page.getByRole('button', { name: words.save }).click()
      await until(bodiesDays, (days) => days === 9)
      await page.getByRole('row').filter({ hasText: words.stored }).waitFor()
      assert.equal(await page.getByRole('dialog').count(), 0)
    },
  )

test('an editor reads the limits and has no button', { skip }, async (t) => {
  const { page } = await openWorkspace(t, world, { at: 'settings/retention', role: 'editor' })
  await page
    .getByRole('row')
    .filter({ hasText: 'Audit log' })
    .filter({ hasText: '730 days' })
    .waitFor()
  assert.equal(await page.getByRole('button', { name: /^Shorten/ }).count(), 0)
})

test(
  'after an upgrade the page says when the default limits begin to apply',
  { skip },
  async (t) => {
    await api.service.db.count(sql`
    insert into installation (master_key_fingerprint, created_at, retention_from) values ('', facteur_now(), facteur_now() + interval '3 days')`)
    const { page } = await openWorkspace(t, world, { at: 'settings/retention' })
    await page
      .getByRole('note')
      .filter({ hasText: /Facteur was upgraded\. The default limits delete nothing yet\./ })
      .waitFor()
    await axe(page)
  },
)
