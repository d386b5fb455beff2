/**
 * Large campaigns need a colleague: an owner demands it, the author asks, a colleague proves their
 * identity and approves, the text changes, and the approval is void; in both languages and on a
 * phone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { addSubscribers, campaignRow, draftOf } from '../support/campaign-world.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ workers: false, entry: operatorEntryPoints() })
const { db } = api.service
const password = 'a password of grace'

/** The number from which on the rule counts, and its tolerance. */
const ruleOf = (workspaceId: number) =>
  db.row<{ above: number; growth: number }>(
    sql`select above, growth_percent as growth from approval_rule where workspace_id = ${workspaceId}`,
  )

const words = {
  en: {
    ...{ demand: 'Large campaigns need an approval', above: 'Above this number of recipients' },
    ...{ growth: 'The list may grow by (%)', save: 'Set the rule', saved: 'Saved.' },
    ...{ nobody: 'Nobody can approve', ask: 'Ask for approval', send: 'Send…' },
    ...{ needed: 'A campaign to more than 10 recipients needs approval from another member.' },
    ...{
      askedFor: 'asked for approval, for 20 recipients:',
      own: 'You asked for approval, so another member',
    },
    ...{ approve: 'Approve', who: 'Show who you are', password: /^Password/, proceed: 'Go on' },
    ...{ approved: 'approved it:', isVoid: 'The approval is no longer valid' },
    ...{ changed: 'The content or the audience has changed since.' },
  },
  fr: {
    ...{ demand: 'Les grandes campagnes demandent une approbation' },
    ...{ above: 'Au-delà de ce nombre de destinataires' },
    ...{ growth: 'Hausse tolérée (%)', save: 'Fixer la règle', saved: 'Enregistré.' },
    ...{ nobody: 'Personne ne peut approuver', ask: 'Demander l’approbation', send: 'Envoyer…' },
    ...{ needed: 'Une campagne à plus de 10 destinataires demande l’approbation' },
    ...{
      askedFor: 'a demandé l’approbation, pour 20 destinataires',
      own: 'Vous avez demandé l’approbation',
    },
    ...{ approve: 'Approuver', who: 'Prouvez votre identité', password: /^Mot de passe/ },
    ...{ proceed: 'Continuer', approved: 'l’a approuvée', isVoid: 'n’est plus valable' },
    ...{ changed: 'Le contenu ou l’audience ont changé depuis.' },
  },
} as const

for (const [language, viewport] of [
  ['en', { width: 1280, height: 900 }],
  ['fr', phone],
] as const)
  test(
    `${language}, ${viewport.width} px: a colleague approves, the text changes, the approval is void`,
    { skip },
    async (t) => {
      const say = words[language]
      const slug = `shop-${language}`
      const workspace = await api.workspace(slug)
      await addSubscribers(api, workspace, 20)
      const world = { browser, api, workspace, slug }
      const shown = { language, viewport }

      const owner = await openWorkspace(t, world, { ...shown, at: 'settings/general' })
      await owner.page.getByRole('switch', { name: say.demand }).click()
      await owner.page.getByText(say.nobody).waitFor()
      await owner.page.getByLabel(say.above).fill('10')
      await owner.page.getByLabel(say.growth).fill('7')
      await axe(owner.page)
      await owner.page.getByRole('button', { name: say.save }).click()
      await owner.page.getByText(say.saved).first().waitFor()
      assert.deepEqual(await ruleOf(workspace.id), { above: 10, growth: 7 })

      const id = await draftOf(api, workspace)
      const at = `campaigns/${id}`
      const author = await openWorkspace(t, world, { ...shown, at, role: 'editor' })
      await author.page.getByText(say.needed).waitFor()
      assert.equal(await author.page.getByRole('button', { name: say.send }).count(), 0)
      await author.page.getByRole('button', { name: say.ask }).click()
      await author.page.getByText(say.askedFor).waitFor()
      await author.page.getByText(say.own).waitFor()
      assert.equal(
        await author.page.getByRole('button', { name: say.approve, exact: true }).count(),
        0,
      )
      await axe(author.page)

      const email = `grace@${slug}.example.com`
      const colleague = await openWorkspace(t, world, {
        ...{ ...shown, at, role: 'editor', email, password, refused: [403] },
      })
      await db.count(sql`update user_session set shown_at = shown_at - interval '1 hour'
        where user_id = (select id from user_account where email = ${email})`)
      const { page } = colleague
      await page.getByText(say.askedFor).waitFor()
      await page.getByRole('button', { name: say.approve, exact: true }).click()
      await page.getByRole('dialog').getByText('20').waitFor()
      await axe(page)
      await page.getByRole('dialog').getByRole('button', { name: say.approve }).click()
      const proof = page.getByRole('dialog', { name: say.who })
      await proof.getByLabel(say.password).fill(password)
      await proof.getByRole('button', { name: say.proceed }).click()
      await page.getByText(`${email} ${say.approved}`).waitFor()
      await page.getByRole('button', { name: say.send }).waitFor()
      await axe(page)

      const editor = await signIn(api, { in: { [workspace.id]: 'editor' } })
      const changed = await editor.ask(`PATCH /workspaces/${slug}/api/v1/campaigns/${id}`, {
        body: { text: 'Another text' },
      })
      assert.equal(changed.status, 200)
      await colleague.goto(at)
      await page.getByText(say.isVoid).waitFor()
      await page.getByText(say.changed).waitFor()
      await page.getByRole('button', { name: say.ask }).waitFor()
      assert.equal(await page.getByRole('button', { name: say.send }).count(), 0)
      await axe(page)
      await until(
        () => campaignRow(api, workspace, id),
        ({ status }) => status === 'draft',
      )
    },
  )
