/**
 * Every hosted page in each language of recipients, on a phone of 360 px: it says its language, it
 * is all in that language, nothing is wider than the screen, and axe finds nothing serious. The
 * browser is in another language: that of the form, then of the contact, comes first.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { makeForm } from '../../src/core/forms/make-form.ts'
import { writeFormId } from '../../src/core/input/form-id.ts'
import { sql } from '../../src/database/client/sql.ts'
import { recipientLanguages, type RecipientLanguage } from '../../src/ground/texts/languages.ts'
import { recipientTexts } from '../../src/ground/texts/recipient-texts.ts'
import { fill } from '../../src/ground/texts/texts.ts'
import { startApi } from '../support/api.ts'
import { textAt } from '../support/ask.ts'
import { openContext, startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { axe } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints(), settings: { language: 'en' } })
const { db, linkTokens } = api.service
const shop = await api.workspace('Atelier Nord')
const editor = await signIn(api, { in: { [shop.id]: 'editor' } })
const topic = textAt(
  await editor.ask('POST /workspaces/atelier-nord/api/v1/audience/topics', {
    body: { name: 'Atelier 7' },
  }),
  'id',
)

const width = 360
let ahead = 0
async function later(seconds: number): Promise<void> {
  ahead += seconds
  await api.moveClock(`${ahead} seconds`)
}

async function openPhone(t: TestContext, locale: string): Promise<Page> {
  const viewport = { width, height: 740 }
  const context = await openContext(t, browser, { locale, viewport }, () => undefined)
  return context.newPage()
}

/** The address of a form with every part that we have words for. */
async function formIn(language: RecipientLanguage | null): Promise<string> {
  const { id } = await makeForm(api.service, {
    workspaceId: shop.id,
    form: {
      ...{ name: 'Atelier 7', intro: null, consent: null, tags: [], topics: [topic], language },
      asks: [
        { field: 'firstName', label: null },
        { field: 'lastName', label: null },
      ],
    },
  })
  return `${api.baseUrl}/forms/${writeFormId({ workspaceId: shop.id, id })}`
}

/** The link of the latest confirmation mail to the address. */
const confirmLink = (email: string): Promise<string> =>
  until(async () => {
    const [mail] = await db.rows<{ raw: Buffer }>(sql`
      select raw from captured_mail where workspace_id = ${shop.id} and recipient = ${email} order by captured_at desc limit 1`)
    const text = mail?.raw.toString().replaceAll('=\r\n', '') ?? ''
    const token = /\/confirm\/([\w-]{64})/.exec(text)?.[1]
    return token === undefined ? undefined : `${api.baseUrl}/confirm/${token}`
  })

async function tokenOf(email: string): Promise<string> {
  const [contact] = await db.rows<{ id: string }>(
    sql`select id from subscriber where workspace_id = ${shop.id} and email = ${email}`,
  )
  return linkTokens.make('unsubscribe', {
    workspaceId: shop.id,
    first: '00000000-0000-0000-0000-000000000000',
    second: contact?.id ?? '',
  })
}

const textsOf = (part: unknown): string[] =>
  typeof part === 'string' ? [part] : Object.values(part ?? {}).flatMap(textsOf)

/** English lines that the language does not have too; a value may stand in each place. */
const englishBeside = (language: RecipientLanguage): RegExp[] => {
  const own = new Set(textsOf(recipientTexts[language]))
  return textsOf(recipientTexts.en)
    .filter((text) => !own.has(text) && /[a-z]{3}/.test(text.replaceAll(/\{\{\w+\}\}/g, '')))
    .map((text) => {
      const parts = text.split(/\{\{\w+\}\}/).map(RegExp.escape)
      return new RegExp(`^\\(?${parts.join('.+')}\\)?$`)
    })
}

async function assertIn(page: Page, language: RecipientLanguage, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  assert.equal(await page.locator('html').getAttribute('lang'), language, title)
  const lines = (await page.locator('main').innerText()).split('\n').map((line) => line.trim())
  assert.deepEqual(
    lines.filter(
      (line) => line.includes('{{') || englishBeside(language).some((text) => text.test(line)),
    ),
    [],
    title,
  )
  for (const element of await page.locator('main, main *:visible').all()) {
    const box = await element.boundingBox()
    if (!box || box.x < -1_000) continue
    assert.ok(box.x >= 0 && box.x + box.width <= width + 0.5, `${title}: ${JSON.stringify(box)}`)
  }
  for (const button of await page.getByRole('button').all())
    assert.ok(((await button.boundingBox())?.height ?? 0) < 60, `${title}: a button has one line`)
  await axe(page)
}

for (const language of recipientLanguages) {
  const t = { ...recipientTexts[language].form, ...recipientTexts[language].publicPages }
  // A contact's and a form's language come before that of the browser.
  const locale = language === 'en' ? 'fr-FR' : 'en-GB'
  const email = `${language}@example.com`
  const named = (text: string): string => fill(text, { workspace: 'Atelier Nord', email })

  test(
    `${language}: signing up, confirming, choosing, leaving and coming back`,
    { skip },
    async (context) => {
      const page = await openPhone(context, locale)
      const form = await formIn(language)
      await page.goto(form)
      await assertIn(page, language, 'Atelier 7')
      // A browser itself finds most mistakes; not this one.
      await page.getByLabel(t.email).fill('a..b@example.com')
      await later(10)
      await page.getByRole('button', { name: t.signUpButton }).click()
      await page.getByText(t.problem.address).waitFor()
      await assertIn(page, language, 'Atelier 7')
      await page.getByLabel(t.email).fill(email)
      await later(10)
      await page.getByRole('button', { name: t.signUpButton }).click()
      await assertIn(page, language, t.taken)

      const link = await confirmLink(email)
      await page.goto(link)
      await assertIn(page, language, t.confirm)
      await page.getByRole('button', { name: t.confirmButton }).click()
      await assertIn(page, language, t.confirmed)

      const token = await tokenOf(email)
      await page.goto(`${api.baseUrl}/unsubscribe/${token}`)
      await assertIn(page, language, named(t.unsubscribe))
      await page.getByRole('button', { name: t.preferencesButton }).click()
      await assertIn(page, language, t.preferencesSaved)
      await page.getByRole('link', { name: t.preferencesAgain }).click()
      await page.getByRole('button', { name: t.unsubscribeButton, exact: true }).click()
      await assertIn(page, language, t.unsubscribed)
      assert.ok(await page.getByText(named(t.unsubscribedLead)).isVisible())

      await page.getByRole('link', { name: t.comeBackLink }).click()
      await page.getByRole('button', { name: t.signUpButton }).waitFor()
      assert.equal(await page.getByLabel(t.email).inputValue(), email)
      await assertIn(page, language, 'Atelier 7')

      await shop.suppress(email, 'manual')
      await page.goto(link)
      await assertIn(page, language, t.expired)
    },
  )

  test(`${language}: pages of nobody follow the browser`, { skip }, async (context) => {
    const page = await openPhone(context, language)
    for (const [path, title] of [
      ['/confirm/x', t.notValid],
      ['/no/such/page', t.missing],
    ] as const) {
      await page.goto(`${api.baseUrl}${path}`)
      await assertIn(page, language, title)
    }
    const form = await formIn(null)
    await page.goto(form)
    await assertIn(page, language, 'Atelier 7')
    await db.count(
      sql`update sign_up_form set enabled = false where workspace_id = ${shop.id} and language is null`,
    )
    await page.reload()
    await assertIn(page, language, t.closed)
  })
}
