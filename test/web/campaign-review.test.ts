/**
 * The review before a send: problems first, those that passed in one line, the mail as a reader
 * sees it, and no merge tag in its sentences.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { addSubscribers, draftOf } from '../support/campaign-world.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ workers: false, entry: operatorEntryPoints() })

const words = {
  en: {
    review: 'Before it is sent',
    missing: '2 contacts have no value for “Last name”: “friend” is shown.',
    passed: /^\d+ checks passed/,
    good: 'No images.',
    problem: 'The footer has no postal address',
    send: 'Send…',
  },
  fr: {
    review: 'Avant l’envoi',
    missing: '2 contacts n’ont pas de valeur pour « Nom »',
    passed: /^\d+ vérifications réussies/,
    good: 'Aucune image.',
    problem: 'adresse postale',
    send: 'Envoyer…',
  },
}

for (const [language, viewport, dark] of [
  ['en', { width: 1280, height: 900 }, false],
  ['fr', phone, true],
] as const)
  test(
    `${language}, ${viewport.width} px: problems come first, what passed is one line, and readers see no merge tag`,
    { skip },
    async (t) => {
      const say = words[language]
      const workspace = await api.workspace(`review-${language}`)
      await addSubscribers(api, workspace, 2)
      const id = await draftOf(api, workspace, {
        subject: 'Hello {{firstName | default: "there"}}',
        text: 'Dear {{lastName | default: "friend"}}, see https://example.com',
        preheader: 'For {{email}}',
      })
      const world = { browser, api, workspace, slug: `review-${language}` }
      const { page } = await openWorkspace(t, world, {
        ...{ language, viewport, dark, role: 'editor', at: `campaigns/${id}` },
      })
      const review = page.getByRole('region', { name: say.review })
      await review.getByText(say.problem).waitFor()
      await review.getByText(say.missing).waitFor()
      const line = review.getByRole('button', { name: say.passed })
      assert.equal(await line.getAttribute('aria-expanded'), 'false')
      assert.equal(await review.getByText(say.good).count(), 0)
      const passed = Number(/^\d+/.exec(await line.innerText())?.[0])
      await line.focus()
      await page.keyboard.press('Enter')
      await review.getByText(say.good).waitFor()
      assert.equal(await review.locator('[data-finding=good]').count(), passed + 1)
      await axe(page)
      // The newest subscriber, and the default where nobody is meant.
      await page.getByText(/^Hello Person \d$/).waitFor()
      await page.getByText('Hello there').first().waitFor()
      await page.getByRole('button', { name: say.send }).click()
      await page.getByRole('dialog').getByText('Hello there').waitFor()
      assert.doesNotMatch(await page.locator('body').innerText(), /\{\{/)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
    },
  )
