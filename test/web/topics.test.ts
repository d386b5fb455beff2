/**
 * Topics in a browser: a member makes them and sends a campaign for one; on their page, without a
 * script and on a phone, one contact leaves a topic and another leaves everything.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'
import { openContext, startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints(), settings: { language: 'en' } })
const { db } = api.service

const words = {
  en: {
    ...{
      locale: 'en-GB',
      make: 'Create topic',
      name: 'Name',
      nameOf: 'Name of',
      topic: 'Topic',
      none: /^None/,
    },
    ...{ leave: 'Unsubscribe', left: 'You are unsubscribed', save: 'Save my choices' },
    ...{ saved: 'Your choices are saved', language: 'Language', own: 'Français' },
    ...{ last: "that don't belong to a topic", all: 'Unsubscribe from everything' },
    leftOut: 'News: 1 subscriber without this topic was left out',
    ...{ back: 'Modifier mes choix', ownSave: 'Enregistrer mes choix' },
    ...{ ownLast: 'aucun thème', ownAll: 'Me désinscrire de tout' },
  },
  fr: {
    ...{
      locale: 'fr-FR',
      make: 'Créer le thème',
      name: 'Nom',
      nameOf: 'Nom de',
      topic: 'Thème',
      none: /^Aucun/,
    },
    ...{ leave: 'Me désinscrire', left: 'Désinscription confirmée', save: 'Enregistrer mes choix' },
    ...{ saved: 'Vos choix sont enregistrés', language: 'Langue', own: 'English' },
    ...{ last: 'appartiennent à aucun thème', all: 'Me désinscrire de tout' },
    leftOut: 'News : 1 abonné sans ce thème a été écarté',
    ...{ back: 'Change my choices', ownSave: 'Save my choices' },
    ...{ ownLast: 'no topic', ownAll: 'Unsubscribe from everything' },
  },
}

/** A reader's phone. A false `script` means as most tests here, without JavaScript. */
async function openPhone(t: TestContext, locale: string, script = false): Promise<Page> {
  const profile = { locale, viewport: phone, javaScriptEnabled: script }
  return (await openContext(t, browser, profile)).newPage()
}

async function assertFits(page: Page): Promise<void> {
  for (const element of await page.locator('main, main *:visible').all()) {
    const box = await element.boundingBox()
    if (box) assert.ok(box.x >= 0 && box.x + box.width <= phone.width + 0.5, JSON.stringify(box))
  }
}

for (const language of ['en', 'fr'] as const) {
  const w = words[language]
  test(
    `${language}: a member sends for a topic; one contact left it, another left everything`,
    { skip },
    async (t) => {
      const slug = `shop-${language}`
      const workspace = await api.workspace(slug)
      const shop = { browser, api, workspace, slug }
      const { page, goto } = await openWorkspace(t, shop, { at: 'subscribers/topics', language })
      for (const name of ['News', 'Events']) {
        const input = page.getByRole('textbox', { name: w.name, exact: true })
        await input.fill(name)
        await page.getByRole('button', { name: w.make }).click()
        await page.getByRole('textbox', { name: `${w.nameOf} ${name}` }).waitFor()
        await until(async () => (await input.inputValue()) === '')
      }
      await axe(page)

      const linkOf = async (email: string): Promise<string> => {
        const body = { email, double_opt_in: false }
        const added = await ask(api.baseUrl, 'POST /api/v1/subscribers', {
          key: workspace.key,
          body,
        })
        const subject = { workspaceId: workspace.id, second: textAt(added, 'id') }
        const first = '00000000-0000-0000-0000-000000000000'
        return `${api.baseUrl}/unsubscribe/${api.service.linkTokens.make('unsubscribe', { ...subject, first })}`
      }
      const statusOf = (email: string) =>
        db.value<string>(
          sql`select status from subscriber where workspace_id = ${workspace.id} and email = ${email}`,
        )
      await linkOf('stays@example.com')

      const leaver = await openPhone(t, w.locale)
      await leaver.goto(await linkOf('leaver@example.com'))
      await assertFits(leaver)
      assert.ok(await leaver.getByText(w.last).isVisible())
      await leaver.getByRole('checkbox', { name: 'News' }).uncheck()
      await leaver.getByRole('combobox', { name: w.language }).selectOption({ label: w.own })
      await leaver.getByRole('button', { name: w.save }).click()
      await leaver.getByRole('listitem').getByText('Events').waitFor()
      assert.equal(
        await leaver.locator('html').getAttribute('lang'),
        language === 'en' ? 'fr' : 'en',
      )
      await assertFits(leaver)
      assert.equal(await statusOf('leaver@example.com'), 'subscribed')

      await leaver.getByRole('link', { name: w.back }).click()
      await leaver.getByRole('checkbox', { name: 'Events' }).uncheck()
      await leaver.getByRole('button', { name: w.ownSave }).click()
      await leaver.getByText(w.ownLast).first().waitFor()
      assert.ok(await leaver.getByRole('button', { name: w.ownAll }).isVisible())
      await assertFits(leaver)

      const gone = await openPhone(t, w.locale, true)
      await gone.goto(await linkOf('gone@example.com'))
      await axe(gone)
      await gone.getByRole('button', { name: w.leave, exact: true }).click()
      await gone.getByRole('heading', { level: 1, name: w.left }).waitFor()
      assert.equal(await statusOf('gone@example.com'), 'unsubscribed')

      const mail = { name: 'November', subject: 'News', text: 'Hello.' }
      const created = await ask(api.baseUrl, 'POST /api/v1/campaigns', {
        key: workspace.key,
        body: mail,
      })
      assertAnswered(created, 201)
      const id = textAt(created, 'id')
      await goto(`campaigns/${id}/edit`)
      const topic = page.getByRole('combobox', { name: w.topic })
      await topic.click()
      const set = page.waitForResponse((response) => response.url().endsWith('/topic'))
      await page.getByRole('option', { name: 'News' }).click()
      assert.equal((await set).status(), 200)
      await axe(page)
      await goto(`campaigns/${id}`)
      const reasons =
        language === 'en' ? 'not subscribed to the topic News' : 'pas abonnés au thème News'
      await page.getByText(`1 · ${reasons}`).waitFor()
      const sent = await fetch(
        `${api.baseUrl}/workspaces/${slug}/api/v1/campaigns/${id}/send?confirm_recipients=1`,
        {
          method: 'POST',
          headers: {
            origin: api.baseUrl,
            cookie: (await page.context().cookies()).map((c) => `${c.name}=${c.value}`).join('; '),
          },
        },
      )
      assert.equal(sent.status, 202, await sent.text())
      const emails = await db.column<string>(
        sql`select email from campaign_recipient where workspace_id = ${workspace.id} and campaign_id = ${id}`,
      )
      assert.deepEqual(emails, ['stays@example.com'])
      await goto(`campaigns/${id}`)
      await page.getByText(w.leftOut).waitFor()
    },
  )
}
