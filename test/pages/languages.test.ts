/**
 * Which language a visitor of a hosted page reads: the contact's, else the form's, else the first
 * of the browser that we have, else the workspace's. Members read theirs.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseLanguage, chooseRecipientLanguage } from '../../src/core/dispatch/call.ts'
import { makeForm } from '../../src/core/forms/make-form.ts'
import { writeFormId } from '../../src/core/input/form-id.ts'
import { sql } from '../../src/database/client/sql.ts'
import { languageForMembers, type RecipientLanguage } from '../../src/ground/texts/languages.ts'
import { recipientTexts } from '../../src/ground/texts/recipient-texts.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { open } from '../support/signed-in-visitor.ts'

const api = await startApi({ entry: operatorEntryPoints(), settings: { language: 'fr' } })
const { db } = api.service
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const owner = await signIn(api, { in: { [shop.id]: 'owner' } })

async function formIn(language: RecipientLanguage | null): Promise<string> {
  const { id } = await makeForm(api.service, {
    workspaceId: shop.id,
    form: { name: 'News', intro: null, consent: null, asks: [], tags: [], language },
  })
  return `/forms/${writeFormId({ workspaceId: shop.id, id })}`
}

const languageOf = async (path: string, accepted: string): Promise<string> =>
  (await open(api.baseUrl, path, { headers: { 'accept-language': accepted } })).lang

/** A contact with a language, and the token of their mail's link. */
async function addContact(email: string, language: RecipientLanguage | null): Promise<string> {
  const body = { email, double_opt_in: false }
  const id = textAt(
    await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body }),
    'id',
  )
  await db.count(
    sql`update subscriber set language = ${language} where workspace_id = ${shop.id} and id = ${id}`,
  )
  return api.service.linkTokens.make('unsubscribe', {
    ...{ workspaceId: shop.id, second: id },
    first: '00000000-0000-0000-0000-000000000000',
  })
}

const setLanguage = (language: unknown) =>
  owner.ask('PATCH /workspaces/shop/api/v1/settings', { body: { language } })

test('200: the settings of a workspace take each language of recipients; 422 any other', async () => {
  for (const language of ['de', 'es', 'it', 'nl', 'pt', 'en', 'fr', null]) {
    const changed = await setLanguage(language)
    assertAnswered(changed, 200, { language })
  }
  assertRefused(await setLanguage('ja'), 'validation_error')
})

test('a form without a language: the first of the browser that we have, else the workspace’s, else the installation’s', async () => {
  const path = await formIn(null)
  await setLanguage('nl')
  assert.equal(await languageOf(path, 'de-AT,en;q=0.5'), 'de')
  assert.equal(await languageOf(path, 'ja,pt-BR;q=0.8,en;q=0.5'), 'pt')
  assert.equal(await languageOf(path, 'it;q=0,ja'), 'nl')
  await setLanguage(null)
  assert.equal(await languageOf(path, 'ja'), 'fr')
})

test('a form’s language comes before that of the browser, and a contact’s before that of the form', async () => {
  const path = await formIn('it')
  assert.equal(await languageOf(path, 'de'), 'it')
  const german = await addContact('german@example.com', 'de')
  const unknown = await addContact('unknown@example.com', null)
  assert.equal(await languageOf(`${path}?again=${german}`, 'en'), 'de')
  assert.equal(await languageOf(`${path}?again=${unknown}`, 'en'), 'it')
  assert.equal(await languageOf(`/unsubscribe/${german}`, 'en'), 'de')
  assert.equal(await languageOf(`/unsubscribe/${unknown}`, 'es'), 'es')
})

test('the link to subscribe again fills in the address; a token of another workspace or purpose fills in nothing', async () => {
  const path = await formIn(null)
  const token = await addContact('returns@example.com', null)
  const left = await open(api.baseUrl, `/unsubscribe/${token}`, { method: 'POST' })
  const link = /href="(\/forms\/[^"]+)"/.exec(left.markup)?.[1] ?? ''
  assert.match(link, new RegExp(`\\?again=${token}$`))
  assert.doesNotMatch(link, /returns|@/, 'an address stands in no URL')
  const shown = await open(api.baseUrl, link)
  assert.equal(shown.form?.values['email'], 'returns@example.com')
  const foreign = api.service.linkTokens.make('unsubscribe', {
    ...{ workspaceId: other.id, first: '00000000-0000-0000-0000-000000000000' },
    second: api.service.linkTokens.read('unsubscribe', token)?.second ?? '',
  })
  const view = api.service.linkTokens.make('view', {
    ...{ workspaceId: shop.id, first: '00000000-0000-0000-0000-000000000000' },
    second: api.service.linkTokens.read('unsubscribe', token)?.second ?? '',
  })
  for (const wrong of [foreign, view, 'x', '']) {
    const page = await open(api.baseUrl, `${path}?again=${wrong}`)
    assert.deepEqual([page.status, page.form?.values['email']], [200, ''], wrong)
  }
})

test('201: a form has a language; its embed, its preview and its mail are in it', async () => {
  await setLanguage('fr')
  const body = {
    name: 'Nachrichten',
    language: 'de',
    mail: { subject: null, text: 'Hallo', button: null },
  }
  const form = await owner.ask('POST /workspaces/shop/api/v1/forms', { body })
  assertAnswered(form, 201, { language: 'de' })
  const german = recipientTexts.de
  assert.ok(textAt(form, 'embed').includes(german.form.signUpButton))
  const preview = await owner.ask('POST /workspaces/shop/api/v1/forms/preview', { body })
  assert.match(textAt(preview, 'page'), /<html lang="de">/)
  assert.ok(textAt(preview, 'mail', 'text').includes(german.confirmationMail.ignore))
  const refused = { body: { ...body, language: 'ja' } }
  assertRefused(await owner.ask('POST /workspaces/shop/api/v1/forms', refused), 'validation_error')
})

test('members read one of their own languages, whatever recipients read', () => {
  assert.equal(languageForMembers('de', 'en'), 'en')
  assert.equal(languageForMembers('fr', 'en'), 'fr')
  assert.equal(languageForMembers(null, 'fr'), 'fr')
  assert.equal(chooseLanguage('de,fr;q=0.5', 'en'), 'fr')
  assert.equal(chooseRecipientLanguage('de,fr;q=0.5', 'en'), 'de')
})
