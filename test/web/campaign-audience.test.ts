/**
 * "Customers of the last 90 days, except those who got last week's mail": a segment and a campaign
 * to it are made, counted with reasons in the review, and sent; in both languages, by the keyboard
 * alone and on a phone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { startBrowser } from '../support/browser.ts'
import { draftOf, untilSent } from '../support/campaign-world.ts'
import { handsOn, screenOf, storyVariants } from '../support/hands.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { signIn } from '../support/sign-in.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ entry: operatorEntryPoints() })
const workspace = await api.workspace('shop')
const world = { browser, api, workspace, slug: 'shop' }
const editor = await signIn(api, { in: { [workspace.id]: 'editor' } })
const base = '/workspaces/shop/api/v1'

const audienceOf = async (id: string) =>
  (await editor.ask(`GET ${base}/campaigns/${id}/audience`)).body

const words = {
  en: {
    ...{ segment: 'New segment', name: 'Name', tag: 'Tag', add: 'Add condition' },
    ...{ condition: 'Condition', added: 'Added', count: '3 contacts', make: 'Create segment' },
    ...{ campaign: 'New campaign', text: 'Text', begin: 'Begin', subject: 'Subject' },
    ...{ to: 'To', received: 'Except those who got a campaign', days: 'In the last 7 days' },
    ...{ saved: 'The audience is saved.', review: 'Review and send', send: 'Send…' },
    reached: '2 people will receive it.',
    leftOut: 'got a campaign in the last 7 days, or are about to',
    leftOutThen: 'Contacts who got a campaign in the last 7 days: 1 subscriber left out',
    facts: ['The segment Customers', 'Contacts who got a campaign in the last 7 days'],
    ...{ agree: 'I have read this. Send anyway.', sendTo: 'Send to 2 people' },
    undo: 'Undo send',
  },
  fr: {
    ...{ segment: 'Nouveau segment', name: 'Nom', tag: 'Étiquette', add: 'Ajouter une condition' },
    ...{ condition: 'Condition', added: 'Ajouté', count: '3 contacts', make: 'Créer le segment' },
    ...{ campaign: 'Nouvelle campagne', text: 'Texte', begin: 'Commencer', subject: 'Objet' },
    ...{ to: 'À', received: 'Sauf ceux qui ont reçu une campagne', days: 'Les 7 derniers jours' },
    ...{ saved: 'Les destinataires sont enregistrés.', review: 'Relire et envoyer' },
    ...{ send: 'Envoyer…', reached: '2 personnes la recevront.' },
    leftOut: 'ont reçu une campagne ces 7 derniers jours, ou vont en recevoir une',
    leftOutThen: 'Ceux qui ont reçu une campagne ces 7 derniers jours : 1 abonné écarté',
    facts: ['Le segment Customers', 'Ceux qui ont reçu une campagne ces 7 derniers jours'],
    ...{ agree: 'J’ai lu ceci. Envoyer quand même.', sendTo: 'Envoyer à 2 personnes' },
    undo: 'Annuler l’envoi',
  },
} as const

/** Five contacts, of whom ada and grace are meant: mary got last week's mail. */
async function fillShop(shop: TestWorkspace): Promise<void> {
  for (const name of ['ada', 'grace', 'mary', 'old', 'eve'])
    assertAnswered(
      await ask(api.baseUrl, 'POST /api/v1/subscribers', {
        key: shop.key,
        body: {
          ...{ email: `${name}@example.com`, double_opt_in: false },
          tags: name === 'eve' ? [] : ['customer'],
        },
      }),
      201,
    )
  const lastWeek = await draftOf(api, shop, { name: 'Last week' })
  await api.run(`
    update subscriber set created_at = created_at - interval '91 days'
    where workspace_id = ${shop.id} and email like 'old@%';
    update campaign set status = 'archived', completed_at = facteur_now() where id = '${lastWeek}';
    insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, attempts, sent_at)
    select workspace_id, '${lastWeek}', id, email, 'settled', 'sent', 1, facteur_now() - interval '6 days'
    from subscriber where workspace_id = ${shop.id} and email like 'mary@%';
    insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending, sent)
    values (${shop.id}, '${lastWeek}', gen_random_uuid(), facteur_now(), 1, 0, 1)`)
}

let sends = 0

for (const { language, hand } of storyVariants)
  test(
    `${language}, ${hand}: a segment of customers gets a campaign, without those who got last week's mail`,
    { skip },
    async (t) => {
      const say = words[language]
      const slug = `shop-${language}-${hand}`
      const shop = await api.workspace(slug)
      await fillShop(shop)
      const options = { ...screenOf(hand), language, role: 'editor', at: 'segments' } as const
      const opened = await openWorkspace(t, { browser, api, workspace: shop, slug }, options)
      const { page, goto } = opened
      const { press, write, pick, choose } = handsOn(page, hand)
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const field = (name: string) => page.getByRole('combobox', { name, exact: true })
      const textbox = (name: string) => page.getByRole('textbox', { name, exact: true })

      await press(page.getByRole('link', { name: say.segment }).first())
      await write(textbox(say.name), 'Customers')
      await choose(field(say.tag), 'customer')
      await press(button(say.add))
      await choose(field(say.condition).last(), say.added)
      await page.getByText(say.count).waitFor()
      await axe(page)
      await press(button(say.make))
      await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor()

      await goto('campaigns')
      await press(button(say.campaign).first())
      await write(textbox(say.name), 'Thanks')
      await pick(page.getByRole('radio', { name: say.text }))
      await press(button(say.begin))
      await write(textbox(say.subject), 'Thanks')
      await choose(field(say.to), 'Customers')
      await page.getByText(say.saved).waitFor()
      await choose(field(say.received), say.days)
      await write(textbox(say.text), 'Thank you.')
      await axe(page)
      await press(button(say.review))

      await page.getByText(say.reached).waitFor()
      await page.getByText(`1 · ${say.leftOut}`).waitFor()
      for (const fact of say.facts) await page.getByText(fact, { exact: true }).waitFor()
      await axe(page)
      assert.equal(
        await page.evaluate('document.documentElement.scrollWidth'),
        options.viewport.width,
      )
      await press(button(say.send))
      await press(page.getByRole('checkbox', { name: say.agree }))
      await press(button(say.sendTo))
      await button(say.undo).waitFor()
      const id = /campaigns\/([\w-]+)/.exec(page.url())?.[1] ?? ''
      await api.moveClock(`${31 * ++sends} seconds`)
      api.service.wake('campaign')
      await untilSent(api, shop, id)
      await page.waitForURL(`**/campaigns/${id}/results`)
      await page.getByText(say.leftOutThen, { exact: true }).waitFor()
      assert.deepEqual(
        await api.service.db.column(
          sql`select recipient from captured_mail where workspace_id = ${shop.id} order by recipient`,
        ),
        ['ada@example.com', 'grace@example.com'],
      )
    },
  )

test(
  'a draft that was unfinished when its page was read may be sent as soon as it is finished',
  { skip },
  async (t) => {
    const id = await draftOf(api, workspace, { subject: 'Swift' })
    const { page, goto } = await openWorkspace(t, world, { role: 'editor', at: 'campaigns' })
    await goto(`campaigns/${id}/edit`)
    const subject = page.getByRole('textbox', { name: 'Subject', exact: true })
    await subject.fill('')
    await page.getByRole('button', { name: 'Review and send' }).click()
    await page.getByRole('alert', { name: 'Incomplete draft' }).waitFor()
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await subject.fill('Swift')
    await page.getByRole('button', { name: 'Review and send' }).click()
    await page.getByRole('button', { name: 'Send…' }).waitFor()
  },
)

test(
  'a tag beyond those that a list shows is found by typing; two choices are saved one after the other',
  { skip },
  async (t) => {
    await api.run(`
      insert into subscriber_tag (workspace_id, name, created_at)
      select ${workspace.id}, 'tag ' || lpad(n::text, 3, '0'), facteur_now() from generate_series(1, 120) n`)
    const id = await draftOf(api, workspace)
    const { page } = await openWorkspace(t, world, { role: 'editor', at: `campaigns/${id}/edit` })
    const { promise: mayGoOn, resolve: release } = Promise.withResolvers<void>()
    let saves = 0
    await page.route(`**/campaigns/${id}/audience`, async (route) => {
      if (route.request().method() === 'POST' && saves++ === 0) await mayGoOn
      await route.continue()
    })
    const choose = async (name: string, tag: string): Promise<void> => {
      await page.getByRole('combobox', { name, exact: true }).fill(tag)
      await page.getByRole('option', { name: tag, exact: true }).click()
      await page.keyboard.press('Escape')
    }
    await choose('To', 'tag 117')
    // The list of the second is read while the first is being saved.
    await choose('Except', 'tag 118')
    assert.equal(saves, 1)
    release()
    await page.getByText('The audience is saved.').waitFor()
    await until(
      () => audienceOf(id),
      (audience) => at(audience, 'except', 'length') === 1,
    )
    assert.partialDeepStrictEqual(await audienceOf(id), {
      to: { kind: 'tags', tags: ['tag 117'] },
      except: [{ reason: 'excluded_tag', tag: 'tag 118' }],
    })
    assert.equal(saves, 2)
  },
)
