/**
 * Topics in a browser: a member makes them and sends a campaign for one; on their pages, one contact
 * leaves a topic, without a script, and another leaves everything; in both languages, by the
 * keyboard alone and on a phone.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { openContext, startBrowser } from '../support/browser.ts'
import { draftOf, untilSent } from '../support/campaign-world.ts'
import { handsOn, screenOf, storyVariants } from '../support/hands.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

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
    },
    ...{ leave: 'Unsubscribe', left: 'You are unsubscribed', save: 'Save my choices' },
    ...{ saved: 'Your choices are saved', language: 'Language', own: 'Français' },
    ...{ last: "that don't belong to a topic", all: 'Unsubscribe from everything' },
    reason: 'not subscribed to the topic News',
    ...{ review: 'Review and send', send: 'Send…', undo: 'Undo send' },
    ...{ agree: 'I have read this. Send anyway.', sendTo: 'Send to one person' },
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
    },
    ...{ leave: 'Me désinscrire', left: 'Désinscription confirmée', save: 'Enregistrer mes choix' },
    ...{ saved: 'Vos choix sont enregistrés', language: 'Langue', own: 'English' },
    ...{ last: 'appartiennent à aucun thème', all: 'Me désinscrire de tout' },
    reason: 'pas abonnés au thème News',
    ...{ review: 'Relire et envoyer', send: 'Envoyer…', undo: 'Annuler l’envoi' },
    ...{ agree: 'J’ai lu ceci. Envoyer quand même.', sendTo: 'Envoyer à une personne' },
    leftOut: 'News : 1 abonné sans ce thème a été écarté',
    ...{ back: 'Change my choices', ownSave: 'Save my choices' },
    ...{ ownLast: 'no topic', ownAll: 'Unsubscribe from everything' },
  },
}

/** A contact's own browser. A false `script` means as most tests here, without JavaScript. */
async function openReader(
  t: TestContext,
  { viewport, touch }: ReturnType<typeof screenOf>,
  { locale, script }: { locale: string; script: boolean },
): Promise<Page> {
  const screen = { viewport, hasTouch: touch, isMobile: touch }
  return (await openContext(t, browser, { ...screen, locale, javaScriptEnabled: script })).newPage()
}

async function assertFits(page: Page): Promise<void> {
  const { width } = page.viewportSize() ?? { width: 0 }
  for (const element of await page.locator('main, main *:visible').all()) {
    const box = await element.boundingBox()
    if (box) assert.ok(box.x >= 0 && box.x + box.width <= width + 0.5, JSON.stringify(box))
  }
}

let sends = 0

for (const { language, hand } of storyVariants) {
  const w = words[language]
  const screen = screenOf(hand)
  test(
    `${language}, ${hand}: a member sends for a topic; one contact left it, another left everything`,
    { skip },
    async (t) => {
      const slug = `shop-${language}-${hand}`
      const workspace = await api.workspace(slug)
      const shop = { browser, api, workspace, slug }
      const options = { ...screen, at: 'subscribers/topics', language }
      const { page, goto } = await openWorkspace(t, shop, options)
      const member = handsOn(page, hand)
      for (const name of ['News', 'Events']) {
        const input = page.getByRole('textbox', { name: w.name, exact: true })
        await member.write(input, name)
        await member.press(page.getByRole('button', { name: w.make }))
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

      const leaver = await openReader(t, screen, { locale: w.locale, script: false })
      const leaving = handsOn(leaver, hand)
      await leaver.goto(await linkOf('leaver@example.com'))
      await assertFits(leaver)
      assert.ok(await leaver.getByText(w.last).isVisible())
      await leaving.press(leaver.getByRole('checkbox', { name: 'News' }))
      await leaving.choose(leaver.getByRole('combobox', { name: w.language }), w.own)
      await leaving.press(leaver.getByRole('button', { name: w.save }))
      await leaver.getByRole('listitem').getByText('Events').waitFor()
      assert.equal(
        await leaver.locator('html').getAttribute('lang'),
        language === 'en' ? 'fr' : 'en',
      )
      await assertFits(leaver)
      assert.equal(await statusOf('leaver@example.com'), 'subscribed')

      await leaving.press(leaver.getByRole('link', { name: w.back }))
      await leaving.press(leaver.getByRole('checkbox', { name: 'Events' }))
      await leaving.press(leaver.getByRole('button', { name: w.ownSave }))
      await leaver.getByText(w.ownLast).first().waitFor()
      assert.ok(await leaver.getByRole('button', { name: w.ownAll }).isVisible())
      await assertFits(leaver)

      const gone = await openReader(t, screen, { locale: w.locale, script: true })
      await gone.goto(await linkOf('gone@example.com'))
      await axe(gone)
      await handsOn(gone, hand).press(gone.getByRole('button', { name: w.leave, exact: true }))
      await gone.getByRole('heading', { level: 1, name: w.left }).waitFor()
      assert.equal(await statusOf('gone@example.com'), 'unsubscribed')

      const id = await draftOf(api, workspace)
      await goto(`campaigns/${id}/edit`)
      const set = page.waitForResponse((response) => response.url().endsWith('/topic'))
      await member.choose(page.getByRole('combobox', { name: w.topic, exact: true }), 'News')
      assert.equal((await set).status(), 200)
      await axe(page)
      await member.press(page.getByRole('button', { name: w.review }))
      await page.getByText(`1 · ${w.reason}`).waitFor()
      await member.press(page.getByRole('button', { name: w.send }))
      await member.press(page.getByRole('checkbox', { name: w.agree }))
      await member.press(page.getByRole('button', { name: w.sendTo }))
      await page.getByRole('button', { name: w.undo }).waitFor()
      await api.moveClock(`${31 * ++sends} seconds`)
      api.service.wake('campaign')
      await untilSent(api, workspace, id)
      await page.waitForURL(`**/campaigns/${id}/results`)
      await page.getByText(w.leftOut).waitFor()
      assert.deepEqual(
        await db.column(
          sql`select recipient from captured_mail where workspace_id = ${workspace.id} order by recipient`,
        ),
        ['stays@example.com'],
      )
    },
  )
}
