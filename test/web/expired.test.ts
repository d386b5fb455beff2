/** What has expired says so on its page, in both languages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { startBrowser } from '../support/browser.ts'
import { addSubscribers, draftOf, send, untilSent } from '../support/campaign-world.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace('shop')
const world = { browser, api, workspace, slug: 'shop' }
const mail = { from: 'hello@shop.test', to: 'ada@example.com', subject: 'Order', text: 'Order 7' }
const email = textAt(
  await ask(api.baseUrl, 'POST /api/v1/emails', { key: workspace.key, body: mail }),
  'id',
)
const captured = await until(
  () => api.service.db.value<string>(sql`select id from captured_mail where message_id = ${email}`),
  (id) => id !== null,
)
await addSubscribers(api, workspace, 1)
const campaign = await draftOf(api, workspace)
await send(api, workspace, campaign)
await untilSent(api, workspace, campaign)

const words = {
  en: {
    mail: /This expired on .* and is no longer stored\./,
    content: 'Content, custom headers and attachments are no longer stored.',
    details: 'Refusals, reports, opens and clicks are no longer stored.',
    run: 'Recipients are no longer stored',
  },
  fr: {
    mail: /Cette donnée a expiré le .* et n’est plus conservée\./,
    content: 'Le contenu, les en-têtes personnalisés et les pièces jointes ne sont plus conservés.',
    details: 'Les refus, rapports, ouvertures et clics ne sont plus conservés.',
    run: 'Les destinataires ne sont plus conservés',
  },
}

for (const language of ['en', 'fr'] as const)
  test(
    `captured mail, a message and a campaign's recipients say when they expired, in ${language}`,
    { skip },
    async (t) => {
      await api.moveClock('400 days')
      const output = words[language]
      const { page, turn } = await openWorkspace(t, world, {
        at: `captured/${captured}`,
        language,
        refused: [404],
      })
      await page.getByRole('alert').filter({ hasText: output.mail }).waitFor()
      await turn(`emails/${email}`)
      await page.getByText(output.content).waitFor()
      await page.getByText(output.details).waitFor()
      await axe(page)
      await turn(`campaigns/${campaign}`)
      await page.getByRole('alert').filter({ hasText: output.run }).waitFor()
      await turn(`campaigns/${campaign}/recipients`)
      await page.getByText(output.mail).first().waitFor()
      assert.equal(await page.getByRole('row').count(), 0)
    },
  )
