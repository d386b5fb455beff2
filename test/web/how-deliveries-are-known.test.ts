/** The pages say how many deliveries are assumed, in both languages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assumeCampaignMailDelivered } from '../../src/core/feedback/assume-delivered.ts'
import { startBrowser } from '../support/browser.ts'
import { addSubscribers, draftOf, send, untilSent } from '../support/campaign-world.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { handedOver, newsTurn, startRelayWorld } from '../support/relay-world.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startRelayWorld({
  workers: true,
  entry: operatorEntryPoints(),
  settings: { deliveredAfterSeconds: 900 },
})

for (const [language, inResults, inOverview] of [
  [
    'en',
    /assumed because no bounce came: 4 \(100\s?%\)/,
    /6 of the delivered e-mails \(100\s?%\) are assumed/,
  ],
  [
    'fr',
    /supposées, faute de rebond\s: 4 \(100\s?%\)/,
    /6 des e-mails distribués \(100\s?%\) sont supposés l’être/,
  ],
] as const)
  test(`results and overview say what is assumed, in ${language}`, { skip }, async (t) => {
    const workspace = await api.workspace(`assumed ${language}`)
    await addSubscribers(api, workspace, 4, workspace.domain)
    const id = await draftOf(api, workspace)
    await send(api, workspace, id)
    await untilSent(api, workspace, id)
    await handedOver(api, workspace, { to: ['a@example.com', 'b@example.com'] })
    await api.moveClock('20 minutes')
    await newsTurn(api, workspace)
    const limits = { silenceSeconds: 900, max: 100 }
    while (
      (await assumeCampaignMailDelivered(api.service, { workspaceId: workspace.id, limits })) > 0
    );
    await api.moveClock('0 seconds')
    const world = { browser, api, workspace, slug: `assumed-${language}` }
    const { page, goto } = await openWorkspace(t, world, {
      at: `campaigns/${id}/results`,
      language,
    })
    assert.match(await page.locator('[data-figure="delivery"]').innerText(), inResults)
    await axe(page)
    await goto('')
    assert.match(await page.locator('[data-figure="assumed"]').innerText(), inOverview)
    await axe(page)
  })
