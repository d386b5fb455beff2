/**
 * "Customers of the last 90 days, except those who got last week's mail": chosen in the editor by
 * keyboard, counted with reasons in the review, in both languages and on a phone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freezeCampaign } from '../../src/core/campaigns/freeze-campaign.ts'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'
import { signIn } from '../support/sign-in.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({ workers: false, entry: operatorEntryPoints() })
const workspace = await api.workspace('shop')
const world = { browser, api, workspace, slug: 'shop' }
const editor = await signIn(api, { in: { [workspace.id]: 'editor' } })
const base = '/workspaces/shop/api/v1'

const add = (name: string, tags: string[] = []) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: workspace.key,
    body: { email: `${name}@example.com`, tags, double_opt_in: false },
  })
for (const name of ['ada', 'grace', 'mary']) await add(name, ['customer'])
await add('eve')
await editor.ask(`POST ${base}/audience/segments`, {
  body: {
    name: 'Customers',
    definition: { all: [{ tag: 'customer' }, { created: { within_days: 90 } }] },
  },
})

const draftOf = async (name: string): Promise<string> =>
  textAt(
    await ask(api.baseUrl, 'POST /api/v1/campaigns', {
      key: workspace.key,
      body: { name, subject: name, text: name },
    }),
    'id',
  )
const audienceOf = async (id: string) =>
  (await editor.ask(`GET ${base}/campaigns/${id}/audience`)).body

const words = {
  en: {
    ...{ to: 'To', except: 'Except', received: 'Except those who got a campaign' },
    ...{ days: 'In the last 7 days', saved: 'The audience is saved.' },
    reached: '2 people are subscribed and can be mailed.',
    leftOut: 'left out: got a campaign in the last 7 days, or wait for one',
    leftOutThen: 'Who got a campaign in the last 7 days: 1 subscriber left out',
    facts: ['The segment Customers', 'Who got a campaign in the last 7 days'],
  },
  fr: {
    ...{ to: 'À', except: 'Sauf', received: 'Sauf ceux qui ont reçu une campagne' },
    ...{ days: 'Les 7 derniers jours', saved: 'Les destinataires sont enregistrés.' },
    reached: '2 personnes sont abonnées et joignables.',
    leftOut: 'exclus : ont reçu une campagne ces 7 derniers jours, ou en attendent une',
    leftOutThen: 'Ceux qui ont reçu une campagne ces 7 derniers jours : 1 abonné écarté',
    facts: ['Le segment Customers', 'Ceux qui ont reçu une campagne ces 7 derniers jours'],
  },
} as const

const lastWeek = await draftOf('Last week')
await api.run(`
  update campaign set status = 'archived', completed_at = facteur_now() where id = '${lastWeek}';
  insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, attempts, sent_at)
  select workspace_id, '${lastWeek}', id, email, 'settled', 'sent', 1, facteur_now() - interval '6 days'
  from subscriber where workspace_id = ${workspace.id} and email like 'mary@%';
  insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending, sent)
  values (${workspace.id}, '${lastWeek}', gen_random_uuid(), facteur_now(), 1, 0, 1)`)

for (const [language, viewport] of [
  ['en', { width: 1280, height: 800 }],
  ['fr', phone],
] as const)
  test(
    `${language}, ${viewport.width} px: a segment by keys, without those who got last week's mail; the review counts them`,
    { skip },
    async (t) => {
      const say = words[language]
      const id = await draftOf('Thanks')
      const options = { language, viewport, role: 'editor', at: `campaigns/${id}/edit` } as const
      const { page, goto } = await openWorkspace(t, world, options)
      const field = (name: string) => page.getByRole('combobox', { name, exact: true })
      await field(say.to).focus()
      await page.keyboard.type('Cust')
      await page.getByRole('option', { name: 'Customers' }).waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
      await page.getByText(say.saved).waitFor()
      await field(say.received).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('option', { name: say.days }).click()
      await until(
        async () => at(await audienceOf(id), 'except', 'length'),
        (length) => length === 1,
      )
      assert.partialDeepStrictEqual(await audienceOf(id), {
        to: { kind: 'segment', name: 'Customers' },
        except: [{ reason: 'excluded_received', within_days: 7 }],
      })
      await axe(page)
      await goto(`campaigns/${id}`)
      await page.getByText(say.reached).waitFor()
      await page.getByText(say.leftOut).waitFor()
      for (const fact of say.facts) await page.getByText(fact, { exact: true }).waitFor()
      await freezeCampaign(api.service, {
        ...{ workspaceId: workspace.id, id, from: 'draft', undoSeconds: 0, canary: null },
      })
      await api.run(`update campaign set status = 'sent' where id = '${id}'`)
      await goto(`campaigns/${id}`)
      await page.getByText(say.leftOutThen, { exact: true }).waitFor()
    },
  )

test(
  'a draft that was unfinished when its page was read may be sent as soon as it is finished',
  { skip },
  async (t) => {
    const id = await draftOf('Swift')
    const { page, goto } = await openWorkspace(t, world, { role: 'editor', at: 'campaigns' })
    await goto(`campaigns/${id}/edit`)
    const subject = page.getByRole('textbox', { name: 'Subject', exact: true })
    await subject.fill('')
    await page.getByRole('button', { name: 'Review and send' }).click()
    await page.getByRole('alert', { name: 'Unfinished draft' }).waitFor()
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
    const id = await draftOf('Tagged')
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
