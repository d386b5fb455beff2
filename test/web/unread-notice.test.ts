/**
 * The page of a mail shows a notice that the service does not understand, and asks the user what
 * becomes of the address.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryReport, relayedTo, startRelayedWorld } from '../inbound/world.ts'
import { ask } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { handIn } from '../support/smtp-talk.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const world = await startRelayedWorld({ entry: operatorEntryPoints() })
const workspace = await world.workspace('shop')
const shop = { browser, api: world, workspace, slug: 'shop' }

const words = 'Votre courrier repose en paix. <img src=x onerror="document.title=`run`">'
/** Not a word of it says what became of the mail. */
const notice = [
  'From: MAILER-DAEMON@mx.test',
  'Subject: Bonjour',
  'Auto-Submitted: auto-replied',
  'Content-Type: text/plain',
  '',
  words,
  '',
].join('\r\n')
/** It says that the mail failed, and no reason. */
const unsure = deliveryReport(
  'Final-Recipient: rfc822; a@b.test\r\nAction: failed\r\nStatus: 5.0.0',
)

/** A mail to the address, and what came back to it. */
async function returned(email: string, bytes: string): Promise<string> {
  const { id, returnPaths } = await relayedTo(world, workspace, [email])
  assert.match(await handIn(world.port, { from: '', to: returnPaths[0] ?? '', bytes }), /^250/)
  return id
}

const suppressedNow = async (email: string): Promise<unknown> => {
  const { body } = await ask(
    world.baseUrl,
    `GET /api/v1/suppression?email=${encodeURIComponent(email)}`,
    { key: workspace.key },
  )
  return body
}

test(
  'a notice that nobody understands is shown as it begins; a press suppresses the address',
  { skip },
  async (t) => {
    const id = await returned('ada@example.com', notice)
    const { page } = await openWorkspace(t, shop, { at: `emails/${id}` })
    const story = page.getByRole('region', { name: 'ada@example.com' })
    await story.getByText('A report came back that Facteur could not read').waitFor()
    await story.getByText(words).waitFor()
    await story.getByText('Does this address still exist?').waitFor()
    assert.partialDeepStrictEqual(await suppressedNow('ada@example.com'), { data: [] })
    await axe(page)
    await story.getByRole('button', { name: 'Suppress address' }).click()
    await page.getByText('ada@example.com no longer receives e-mails.').waitFor()
    await story.getByRole('link', { name: 'Why this address is suppressed' }).waitFor()
    assert.equal(await story.getByRole('button', { name: 'Suppress address' }).count(), 0)
    assert.partialDeepStrictEqual(await suppressedNow('ada@example.com'), {
      data: [{ email: 'ada@example.com', reason: 'bounce' }],
    })
    await page.reload()
    await story.getByRole('link', { name: 'Why this address is suppressed' }).click()
    await page.getByText('ada@example.com').first().waitFor()
  },
)

test(
  'a failure without a reason asks the same; a viewer reads it, on a phone in French, and decides nothing',
  { skip },
  async (t) => {
    const id = await returned('bea@example.com', unsure)
    const { page } = await openWorkspace(t, shop, {
      role: 'viewer',
      language: 'fr',
      viewport: phone,
      at: `emails/${id}`,
    })
    const story = page.getByRole('region', { name: 'bea@example.com' })
    await story.getByText('Cette adresse existe-t-elle encore').waitFor()
    const acts = story.getByRole('button').and(page.locator(':not([aria-label^="Copier"])'))
    assert.equal(await acts.count(), 0)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await axe(page)
  },
)

test('a reason that is known asks nothing', { skip }, async (t) => {
  const full =
    'Final-Recipient: rfc822; a@b.test\r\nAction: failed\r\nStatus: 5.2.2\r\nDiagnostic-Code: smtp; 552 5.2.2 Mailbox full'
  const id = await returned('cleo@example.com', deliveryReport(full))
  const { page } = await openWorkspace(t, shop, { at: `emails/${id}` })
  const story = page.getByRole('region', { name: 'cleo@example.com' })
  await story.getByText('The mailbox is full.').first().waitFor()
  assert.equal(await story.getByText('Does this address still exist?').count(), 0)
})
