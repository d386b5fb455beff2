/**
 * A contact's own data in a browser: an owner allows it; on a phone and without a script, one contact
 * reads theirs by the link of a mail; another leaves and asks for erasure, which a member sees.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { openContext, startBrowser } from '../support/browser.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints(), settings: { language: 'en' } })
const { db } = api.service
const noCampaign = '00000000-0000-0000-0000-000000000000'

const words = {
  en: {
    ...{ locale: 'en-GB', allow: 'Contacts can request their data', saved: 'Saved.' },
    ...{ ask: 'E-mail me the link', sent: 'Check your inbox', show: 'Show my data' },
    ...{
      shown: /^What shop-en stores about you$/,
      record: 'Your record',
      file: 'Download the file',
    },
    ...{ used: 'This link is no longer valid', leave: 'Unsubscribe' },
    ...{
      askErasure: 'Ask for erasure',
      requested: 'Your request is recorded',
      notice: 'This contact asks for their data to be erased',
      eraseThem: 'Erase',
      asked: 'Contact requested their data',
    },
    ...{ timeline: 'Downloaded their data', by: 'the contact' },
  },
  fr: {
    ...{ locale: 'fr-FR', allow: 'Les contacts peuvent demander leurs données' },
    ...{
      saved: 'Enregistré.',
      ask: 'M’envoyer le lien',
      sent: 'Consultez votre boîte de réception',
    },
    ...{ show: 'Afficher mes données', shown: /^Ce que shop-fr conserve sur vous$/ },
    ...{ record: 'Votre fiche', file: 'Télécharger le fichier' },
    ...{
      used: 'Ce lien n’est plus valable',
      leave: 'Me désinscrire',
    },
    ...{ askErasure: 'Demander l’effacement', requested: 'Votre demande est enregistrée' },
    ...{ notice: 'Ce contact demande l’effacement', eraseThem: 'Effacer' },
    ...{ asked: 'Données demandées par le contact', timeline: 'A téléchargé ses données' },
    by: 'le contact',
  },
}

/** A reader's phone, as most of them here without JavaScript. */
async function openPhone(
  t: TestContext,
  { locale, script = false, dark = false }: { locale: string; script?: boolean; dark?: boolean },
): Promise<Page> {
  const colorScheme = dark ? 'dark' : 'light'
  const profile = { locale, viewport: phone, javaScriptEnabled: script, colorScheme } as const
  return (await openContext(t, browser, profile)).newPage()
}

async function assertFits(page: Page): Promise<void> {
  for (const element of await page.locator('main, main *:visible').all()) {
    const box = await element.boundingBox()
    if (box) assert.ok(box.x >= 0 && box.x + box.width <= phone.width + 0.5, JSON.stringify(box))
  }
}

/** The link of the mail, once it is there. */
const mailedLink = (workspaceId: number): Promise<string> =>
  until(async () => {
    const [row] = await db.rows<{ raw: Buffer }>(
      sql`select raw from captured_mail where workspace_id = ${workspaceId}`,
    )
    const text = row?.raw.toString().replaceAll('=\r\n', '') ?? ''
    const path = /\/data\/[\w-]{64}/.exec(text)?.[0]
    return path === undefined ? undefined : api.baseUrl + path
  })

for (const language of ['en', 'fr'] as const) {
  const w = words[language]
  test(
    `${language}: an owner allows it; a contact reads their data once, and one who left asks for the erasure`,
    { skip },
    async (t) => {
      const slug = `shop-${language}`
      const workspace = await api.workspace(slug)
      const shop = { browser, api, workspace, slug }
      const { page, goto } = await openWorkspace(t, shop, { at: 'settings/general', language })
      await page.getByRole('switch', { name: w.allow }).click({ force: true })
      await page.getByText(w.saved).waitFor()
      await axe(page)

      const add = async (email: string): Promise<{ id: string; page: string }> => {
        const fields = { address: 'a-very-long-value-without-any-space-'.repeat(8) }
        const body = { email, firstName: 'Camille', fields, double_opt_in: false }
        const options = { key: workspace.key, body }
        const id = textAt(await ask(api.baseUrl, 'POST /api/v1/subscribers', options), 'id')
        const subject = { workspaceId: workspace.id, first: noCampaign, second: id }
        const token = api.service.linkTokens.make('unsubscribe', subject)
        return { id, page: `${api.baseUrl}/unsubscribe/${token}` }
      }

      const reads = await add('reads@example.com')
      const reader = await openPhone(t, { locale: w.locale })
      await reader.goto(reads.page)
      await assertFits(reader)
      await reader.getByRole('button', { name: w.ask }).press('Enter')
      await reader.getByRole('heading', { level: 1, name: w.sent }).waitFor()
      await assertFits(reader)
      await reader.goto(await mailedLink(workspace.id))
      assert.doesNotMatch(await reader.content(), /reads@example\.com/)
      await reader.getByRole('button', { name: w.show }).click()
      await reader.getByRole('heading', { level: 1, name: w.shown }).waitFor()
      await reader.getByRole('heading', { level: 2, name: w.record }).waitFor()
      await reader.getByText('reads@example.com').waitFor()
      await assertFits(reader)
      const [download] = await Promise.all([
        reader.waitForEvent('download'),
        reader.getByRole('button', { name: w.file }).click(),
      ])
      const known: unknown = JSON.parse(readFileSync(await download.path(), 'utf8'))
      assert.equal(at(known, 'subscriber', 'firstName'), 'Camille')
      const again = await openPhone(t, { locale: w.locale, script: true, dark: true })
      await again.goto(await mailedLink(workspace.id))
      await again.getByRole('heading', { level: 1, name: w.used }).waitFor()
      await axe(again)

      const leaves = await add('leaves@example.com')
      const leaver = await openPhone(t, { locale: w.locale, script: true })
      await leaver.goto(leaves.page)
      await axe(leaver)
      await leaver.getByRole('button', { name: w.leave, exact: true }).click()
      await leaver.getByText(`hello@${slug}.test`).waitFor()
      await axe(leaver)
      await leaver.getByRole('button', { name: w.askErasure }).click()
      await leaver.getByRole('heading', { level: 1, name: w.requested }).waitFor()
      await leaver.getByText(`hello@${slug}.test`).waitFor()
      await axe(leaver)
      await goto(`subscribers/${leaves.id}`)
      const notice = page.getByRole('alert').filter({ hasText: w.notice })
      await notice.getByRole('button', { name: w.eraseThem, exact: true }).waitFor()
      await axe(page)

      await goto(`subscribers/${reads.id}`)
      await page.getByText(w.timeline).waitFor()
      await goto('settings/audit')
      await page
        .getByRole('row')
        .filter({ hasText: w.asked })
        .getByText(w.by, { exact: true })
        .waitFor()
    },
  )
}

test(
  'the page of the data, in the dark and with a script, has no fault that axe finds',
  { skip },
  async (t) => {
    const workspace = await api.workspace('shown')
    await db.count(sql`update workspace set data_requests = true where id = ${workspace.id}`)
    const body = { email: 'axe@example.com', double_opt_in: false }
    const added = await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: workspace.key, body })
    const subject = { workspaceId: workspace.id, first: noCampaign, second: textAt(added, 'id') }
    const token = api.service.linkTokens.make('unsubscribe', subject)
    await fetch(`${api.baseUrl}/preferences/${token}/data`, { method: 'POST' })
    const page = await openPhone(t, { locale: 'en-GB', script: true, dark: true })
    await page.goto(await mailedLink(workspace.id))
    await axe(page)
    await page.getByRole('button', { name: 'Show my data' }).click()
    await page.getByRole('heading', { level: 2, name: 'Your record' }).waitFor()
    await axe(page)
  },
)
