/**
 * The pages that readers see, in a real browser without JavaScript, on a phone: from the form to
 * the list, out of it, and back.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test, type TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { makeForm } from '../../src/core/forms/make-form.ts'
import { writeFormId } from '../../src/core/input/form-id.ts'
import { recipientTexts } from '../../src/ground/texts/recipient-texts.ts'
import { writeEmbed } from '../../src/core/forms/write-embed.ts'
import { sql } from '../../src/database/client/sql.ts'
import { formWithWorkspace } from '../../src/db/forms/sign-up-forms.ts'
import { startApi } from '../support/api.ts'
import { openContext, startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace('Atelier Nord')
const form = await makeForm(api.service, {
  workspaceId: workspace.id,
  form: {
    name: 'Our news, nos nouvelles',
    intro: 'Once a month.\nNothing else.',
    consent: null,
    asks: [
      { field: 'firstName', label: null },
      { field: 'fields.city', label: 'Ville / city' },
    ],
    tags: ['news'],
  },
})
const formAddress = `${api.baseUrl}/forms/${writeFormId({ workspaceId: workspace.id, id: form.id })}`

/** A page on another site, with the form pasted into it. */
const shown = await formWithWorkspace(api.service.db, workspace.id, form.id)
assert.ok(shown)
const embed = writeEmbed(
  { ...shown, offeredTopics: [] },
  { address: formAddress, workspaceName: 'Atelier Nord' },
  recipientTexts.en.form,
)
const elsewhere = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(
    `<!doctype html><html lang="en"><title>Elsewhere</title><link rel="icon" href="data:,"><main>${embed}</main></html>`,
  )
})
await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
after(() => elsewhere.close())
const bound = elsewhere.address()
const elsewhereAddress = `http://localhost:${typeof bound === 'object' ? bound?.port : 0}/`

let ahead = 0
async function later(seconds: number): Promise<void> {
  ahead += seconds
  await api.moveClock(`${ahead} seconds`)
}

/**
 * A phone without JavaScript. When the test is done, its console has said nothing that was not
 * expected.
 */
async function open(
  t: TestContext,
  { expected = /^$/, ...options }: BrowserContextOptions & { expected?: RegExp } = {},
): Promise<Page> {
  const logged: string[] = []
  const context = await openContext(
    t,
    browser,
    {
      locale: 'fr-FR',
      viewport: { width: 360, height: 740 },
      javaScriptEnabled: false,
      ...options,
    },
    () =>
      assert.deepEqual(
        logged.filter((text) => !expected.test(text)),
        [],
      ),
  )
  const page = await context.newPage()
  page.on('console', (message) => logged.push(message.text()))
  return page
}

/** Nothing is wider than the screen: the widest element ends where it does. */
async function assertFits(page: Page, width = 360): Promise<void> {
  for (const element of await page.locator('main, main *:visible').all()) {
    const box = await element.boundingBox()
    if (box && box.x > -1_000)
      assert.ok(
        box.x >= 0 && box.x + box.width <= width + 0.5,
        `${JSON.stringify(box)}: ${await element.textContent()}`,
      )
  }
}

async function linkTo(email: string, path: 'confirm'): Promise<string> {
  const token = await until(async () => {
    const [row] = await api.service.db.rows<{ raw: Buffer }>(sql`
      select raw from captured_mail where workspace_id = ${workspace.id} and recipient = ${email} order by captured_at desc limit 1`)
    return (
      row &&
      new RegExp(`/${path}/([\\w-]{64})`).exec(row.raw.toString().replaceAll('=\r\n', ''))?.[1]
    )
  })
  return `${api.baseUrl}/${path}/${token}`
}

async function statusOf(email: string): Promise<string> {
  const [row] = await api.service.db.rows<{ status: string }>(
    sql`select status from subscriber where workspace_id = ${workspace.id} and email = ${email}`,
  )
  return row?.status ?? 'nobody'
}

async function unsubscribeLink(email: string): Promise<string> {
  const [row] = await api.service.db.rows<{ id: string }>(
    sql`select id from subscriber where workspace_id = ${workspace.id} and email = ${email}`,
  )
  const subject = {
    workspaceId: workspace.id,
    first: '00000000-0000-0000-0000-000000000000',
    second: row?.id ?? '',
  }
  return `${api.baseUrl}/unsubscribe/${api.service.linkTokens.make('unsubscribe', subject)}`
}

const journeys = {
  'fr-FR': {
    ...{
      email: 'Adresse e-mail',
      firstName: /^Prénom/,
      signUp: 'S’inscrire',
      taken: 'Consultez votre boîte de réception',
    },
    ...{ confirm: 'Oui, je veux les recevoir', confirmed: 'Votre inscription est confirmée' },
    ...{ leave: 'Me désinscrire', left: 'Désinscription confirmée', back: 'S’inscrire de nouveau' },
  },
  'en-GB': {
    ...{
      email: 'E-mail address',
      firstName: /^First name/,
      signUp: 'Subscribe',
      taken: 'Check your inbox',
    },
    ...{ confirm: 'Yes, I want to receive them', confirmed: 'Your subscription is confirmed' },
    ...{ leave: 'Unsubscribe', left: 'You are unsubscribed', back: 'Subscribe again' },
  },
}

for (const [locale, words] of Object.entries(journeys)) {
  for (const width of [360, 320]) {
    test(
      `${locale}, ${width} px, without JavaScript: signing up, confirming, leaving, and the way back`,
      { skip },
      async (t) => {
        const page = await open(t, { locale, viewport: { width, height: 740 } })
        const email = `${locale.toLowerCase()}-${width}@example.com`
        await page.goto(formAddress)
        await page.getByText('Atelier Nord', { exact: true }).waitFor()
        await assertFits(page, width)
        await page.getByLabel(words.email).fill(email)
        await page.getByLabel(words.firstName).fill('Zoé')
        await page.getByLabel(/^Ville/).fill('Nantes')
        await later(10)
        await page.getByRole('button', { name: words.signUp }).click()
        await page.getByRole('heading', { level: 1, name: words.taken }).waitFor()
        await assertFits(page, width)

        await page.goto(await linkTo(email, 'confirm'))
        assert.equal(await statusOf(email), 'pending')
        await assertFits(page, width)
        await page.getByRole('button', { name: words.confirm }).click()
        await page.getByRole('heading', { level: 1, name: words.confirmed }).waitFor()
        assert.equal(await statusOf(email), 'subscribed')
        await assertFits(page, width)

        await page.goto(await unsubscribeLink(email))
        assert.equal(await statusOf(email), 'subscribed')
        await assertFits(page, width)
        await page.getByRole('button', { name: words.leave }).click()
        await page.getByRole('heading', { level: 1, name: words.left }).waitFor()
        assert.equal(await statusOf(email), 'unsubscribed')
        await assertFits(page, width)

        await page.getByRole('link', { name: words.back }).click()
        assert.ok(page.url().startsWith(`${formAddress}?again=`), page.url())
        assert.equal(await page.getByLabel(words.email).inputValue(), email)
        assert.equal(await page.locator('html').getAttribute('lang'), locale.slice(0, 2))
      },
    )
  }
}

test(
  'the form pasted into a page of another site: it leads here, filled in, and one more button signs up',
  { skip },
  async (t) => {
    const page = await open(t, { locale: 'en-GB' })
    await page.goto(elsewhereAddress)
    assert.equal(
      await page
        .getByText('Leave this field empty')
        .boundingBox()
        .then((box) => (box?.x ?? 0) < 0),
      true,
    )
    await page.getByLabel('E-mail address').fill('embed@example.com')
    await page.getByLabel('First name').fill('Ada')
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await page.getByText('Check what follows').waitFor()
    assert.ok(page.url().startsWith(api.baseUrl))
    assert.equal(await page.getByLabel('E-mail address').inputValue(), 'embed@example.com')
    await later(10)
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor()
    await page.goto(await linkTo('embed@example.com', 'confirm'))
    await page.getByRole('button').click()
    await page.getByRole('heading', { name: 'Your subscription is confirmed' }).waitFor()
    assert.equal(await statusOf('embed@example.com'), 'subscribed')
  },
)

test(
  'by keyboard alone: each field has its label, the focus is visible, and the trap gets no focus',
  { skip },
  async (t) => {
    const page = await open(t, { javaScriptEnabled: true })
    await page.goto(formAddress)
    const visited: string[] = []
    for (let presses = 0; presses < 4; presses++) {
      await page.keyboard.press('Tab')
      visited.push(
        String(
          await page.evaluate('document.activeElement.name || document.activeElement.tagName'),
        ),
      )
      assert.equal(
        await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'),
        'solid',
      )
    }
    assert.deepEqual(visited, ['email', 'firstName', 'fields.city', 'BUTTON'])
    const nameless = 'input:not([type=hidden])'
    for (const input of await page.locator(nameless).all()) {
      const id = (await input.getAttribute('id')) ?? ''
      assert.equal(await page.locator(`label[for="${id}"]`).count(), 1, id)
    }
  },
)

test('a form that is filled and sent at once: one click signs up', { skip }, async (t) => {
  const page = await open(t, { locale: 'en-GB' })
  await page.goto(formAddress)
  await page.getByLabel('E-mail address').fill('quick@example.com')
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByRole('heading', { name: 'Check your inbox' }).waitFor()
  assert.match(await linkTo('quick@example.com', 'confirm'), /confirm/)
})

test(
  'mistakes: in words beside the field, which a screen reader reads with it',
  { skip },
  async (t) => {
    const page = await open(t, { locale: 'en-GB', expected: /status of 422/ })
    await page.goto(formAddress)
    // A browser itself finds most mistakes; not this one.
    await page.getByLabel('E-mail address').fill('a..b@example.com')
    await later(10)
    await page.getByRole('button', { name: 'Subscribe' }).click()
    const input = page.getByLabel('E-mail address')
    await page.getByText('This is not a complete e-mail address').waitFor()
    const described = await input.getAttribute('aria-describedby')
    assert.match(
      (await page.locator(`#${described}`).textContent()) ?? '',
      /not a complete e-mail address/,
    )
    assert.equal(await input.getAttribute('aria-invalid'), 'true')
    await assertFits(page)
  },
)

for (const colorScheme of ['light', 'dark'] as const) {
  test(
    `${colorScheme}: every text has a contrast of 4.5 to its ground, and borders of fields 3 (WCAG 1.4.3, 1.4.11)`,
    { skip },
    async (t) => {
      const page = await open(t, { colorScheme, javaScriptEnabled: true })
      await page.goto(formAddress)
      const colours = (selector: string, property: string): Promise<string> =>
        page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)
      const card = await colours('main', 'backgroundColor')
      for (const text of ['h1', '.whose', 'label', '.small', '#consent', 'input'])
        assert.ok(contrast(await colours(text, 'color'), card) >= 4.5, text)
      assert.ok(
        contrast(await colours('button', 'color'), await colours('button', 'backgroundColor')) >=
          4.5,
      )
      assert.ok(contrast(await colours('input', 'borderTopColor'), card) >= 3)
    },
  )
}

/** WCAG 2.2, relative luminance and contrast ratio. */
function contrast(left: string, right: string): number {
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? [])
      .slice(0, 3)
      .map((text) => {
        const part = Number(text) / 255
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
      })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [light = 0, dark = 0] = [luminance(left), luminance(right)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}
