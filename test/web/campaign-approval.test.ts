/**
 * Large campaigns need a colleague: an owner demands it, the author asks, a colleague proves their
 * identity and approves, the text changes, and the approval is void; in both languages, by the
 * keyboard alone and on a phone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { addSubscribers, campaignRow, draftOf } from '../support/campaign-world.ts'
import { handsOn, screenOf, storyVariants } from '../support/hands.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

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
    ...{ demand: 'Require approval for large campaigns', above: 'Above this number of recipients' },
    ...{ growth: 'Allowed growth (%)', save: 'Set rule', saved: 'Saved.' },
    ...{ nobody: 'Nobody can approve', ask: 'Ask for approval', send: 'Send…' },
    ...{ needed: 'A campaign to more than 10 recipients needs approval from another member.' },
    ...{
      askedFor: 'asked for approval, for 20 recipients:',
      own: 'You asked for approval, so another member',
    },
    ...{ approve: 'Approve', who: 'Confirm it’s you', password: /^Password/, proceed: 'Continue' },
    ...{ approved: 'approved it:', isVoid: 'The approval is no longer valid' },
    ...{ text: 'Text', review: 'Review and send' },
    ...{ changed: 'The content or the audience has changed since.' },
  },
  fr: {
    ...{ demand: 'Exiger une approbation pour les grandes campagnes' },
    ...{ above: 'Au-delà de ce nombre de destinataires' },
    ...{ growth: 'Hausse tolérée (%)', save: 'Définir la règle', saved: 'Enregistré.' },
    ...{ nobody: 'Personne ne peut approuver', ask: 'Demander l’approbation', send: 'Envoyer…' },
    ...{ needed: 'Une campagne à plus de 10 destinataires demande l’approbation' },
    ...{
      askedFor: 'a demandé l’approbation, pour 20 destinataires',
      own: 'Vous avez demandé l’approbation',
    },
    ...{ approve: 'Approuver', who: 'Confirmez votre identité', password: /^Mot de passe/ },
    ...{ proceed: 'Continuer', approved: 'l’a approuvée', isVoid: 'n’est plus valable' },
    ...{ text: 'Texte', review: 'Relire et envoyer' },
    ...{ changed: 'Le contenu ou l’audience ont changé depuis.' },
  },
} as const

for (const { language, hand } of storyVariants)
  test(
    `${language}, ${hand}: a colleague approves, the text changes, the approval is void`,
    { skip },
    async (t) => {
      const say = words[language]
      const slug = `shop-${language}-${hand}`
      const workspace = await api.workspace(slug)
      await addSubscribers(api, workspace, 20)
      const world = { browser, api, workspace, slug }
      const shown = { ...screenOf(hand), language }

      const owner = await openWorkspace(t, world, { ...shown, at: 'settings/general' })
      const ruling = handsOn(owner.page, hand)
      await ruling.press(owner.page.getByRole('switch', { name: say.demand }))
      await owner.page.getByText(say.nobody).waitFor()
      await ruling.write(owner.page.getByLabel(say.above), '10')
      await ruling.write(owner.page.getByLabel(say.growth), '7')
      await axe(owner.page)
      await ruling.press(owner.page.getByRole('button', { name: say.save }))
      await owner.page.getByText(say.saved).first().waitFor()
      // The switch was saved before it, with the same words.
      await until(
        () => ruleOf(workspace.id),
        (rule) => rule?.above === 10 && rule.growth === 7,
      )

      const id = await draftOf(api, workspace)
      const at = `campaigns/${id}`
      const author = await openWorkspace(t, world, { ...shown, at, role: 'editor' })
      await author.page.getByText(say.needed).waitFor()
      assert.equal(await author.page.getByRole('button', { name: say.send }).count(), 0)
      const asking = handsOn(author.page, hand)
      await asking.press(author.page.getByRole('button', { name: say.ask }))
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
      const { press, write } = handsOn(page, hand)
      await page.getByText(say.askedFor).waitFor()
      await press(page.getByRole('button', { name: say.approve, exact: true }))
      await page.getByRole('dialog').getByText('20').waitFor()
      await axe(page)
      await press(page.getByRole('dialog').getByRole('button', { name: say.approve }))
      const proof = page.getByRole('dialog', { name: say.who })
      await write(proof.getByLabel(say.password), password)
      await press(proof.getByRole('button', { name: say.proceed }))
      await page.getByText(`${email} ${say.approved}`).waitFor()
      await page.getByRole('button', { name: say.send }).waitFor()
      await axe(page)

      await author.goto(`${at}/edit`)
      await asking.write(author.page.getByRole('textbox', { name: say.text, exact: true }), 'News.')
      await asking.press(author.page.getByRole('button', { name: say.review }))
      await author.page.getByText(say.isVoid).waitFor()
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
