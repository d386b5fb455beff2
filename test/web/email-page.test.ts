/**
 * The page of a message: ids and addresses to copy, its steps with seconds between them, its
 * captured copy, the mail beside the timeline, and the headers that did not leave.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, textAt } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'
import { logIn, startSubmissionWorld, submit } from '../submission/world.ts'
import { sql } from '../../src/database/client/sql.ts'

const { browser, skip } = await startBrowser()
const api = await startSubmissionWorld({ entry: operatorEntryPoints() })
const workspace = await api.workspace('shop')
const world = { browser, api, workspace, slug: 'shop' }
const { db } = api.service

async function delivered(): Promise<string> {
  const body = {
    from: 'hello@shop.test',
    to: 'ada@example.com',
    subject: 'Hello',
    html: '<p>Hi</p>',
  }
  const id = textAt(
    await ask(api.baseUrl, 'POST /api/v1/emails', { key: workspace.key, body }),
    'id',
  )
  await until(
    () => db.value<string>(sql`select status from recipient where message_id = ${id}`),
    (status) => status === 'delivered',
  )
  // A minute and a half between the hand-off and the delivery.
  await api.run(
    `update recipient set delivered_at = sent_at + interval '90 seconds' where message_id = '${id}'`,
  )
  return id
}

const words = {
  en: {
    ...{ timeline: 'Timeline', content: 'Content', captured: 'Captured mail' },
    ...{ copyId: 'Copy: E-mail ID', copied: 'Copied', after: /^after 90\ssecs$/ },
    copyAddress: 'Copy: ada@example.com',
  },
  fr: {
    ...{ timeline: 'Chronologie', content: 'Contenu', captured: 'E-mail capturé' },
    ...{ copyId: /Copier.*Identifiant/, copied: 'Copié', after: /^après 90\ss$/ },
    copyAddress: /Copier.*ada@example/,
  },
}

for (const [language, viewport, dark] of [
  ['en', { width: 1440, height: 900 }, false],
  ['fr', phone, true],
] as const)
  test(
    `${language}, ${viewport.width} px: what to copy, the seconds between steps, the captured copy, the mail beside`,
    { skip },
    async (t) => {
      const say = words[language]
      const id = await delivered()
      const at = `emails/${id}`
      const { page } = await openWorkspace(t, world, { language, viewport, dark, at })
      const timeline = page.getByRole('region', { name: say.timeline })
      await timeline.getByText(say.after).waitFor()
      assert.match(await timeline.locator('.moment').first().innerText(), /\d\d:\d\d:\d\d/)
      await timeline.getByRole('button', { name: say.copyAddress }).click()
      await timeline.getByRole('button', { name: say.copied }).waitFor()
      await page.getByRole('button', { name: say.copyId }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: say.copied }).first().waitFor()
      await timeline.getByRole('link', { name: say.captured }).waitFor()
      const [left, right] = await Promise.all([
        timeline.boundingBox(),
        page.getByRole('region', { name: say.content }).boundingBox(),
      ])
      const isBeside = (right?.x ?? 0) > (left?.x ?? 0) + 100
      assert.equal(isBeside, viewport.width > phone.width)
      await axe(page)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
    },
  )

const dropped = {
  en: 'Facteur sets these headers itself, so your values were not sent: Sender, X-SES-Tenant.',
  fr: 'Facteur définit lui-même ces en-têtes ; vos valeurs n’ont pas été envoyées : Sender, X-SES-Tenant.',
}

for (const language of ['en', 'fr'] as const)
  test(`${language}: the page names the headers that did not leave`, { skip }, async (t) => {
    const talk = await logIn(api.port, workspace.key)
    const lines = ['From: hello@shop.test', 'Sender: ceo@example.org', 'X-SES-Tenant: theirs', '']
    const reply = await submit(talk, { to: ['ada@example.com'], lines: [...lines, language] })
    talk.close()
    const id = /^250 2\.6\.0 Accepted as (\S+)/.exec(reply)?.[1] ?? assert.fail(reply)
    const { page } = await openWorkspace(t, world, { language, at: `emails/${id}` })
    await page.getByText(dropped[language]).waitFor()
  })
