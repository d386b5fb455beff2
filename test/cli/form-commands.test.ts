/** `facteur form …`, for operators and for programs: what is made is shown, and its page opens. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { open } from '../support/signed-in-visitor.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({ workers: false, entry: operatorEntryPoints() })
const { slug, id: workspaceId } = { slug: 'acme', ...(await api.workspace('acme')) }
const operator = createOperator({ DATABASE_URL: api.database.url, FACTEUR_BASE_URL: api.baseUrl })
const create = ['form', 'create', '--workspace', slug]

test('form create, show, list: its address is a page with the given fields; the embed posts to it', async () => {
  const flags = [
    '--intro',
    'Once a month.',
    '--consent',
    'I want it.',
    '--ask',
    'firstName',
    '--ask',
    'city=Your city',
    '--ask',
    'size',
    '--tag',
    'news',
    '--tag',
    'site',
  ]
  const created = await operator.json([...create, 'Our news', ...flags])
  const [id, url, embed] = ['id', 'url', 'embed'].map((key) => String(at(created, key)))
  assert.partialDeepStrictEqual(created, {
    ...{
      workspace_id: String(workspaceId),
      name: 'Our news',
      intro: 'Once a month.',
      consent: 'I want it.',
    },
    ...{ tags: ['news', 'site'], enabled: true, url: `${api.baseUrl}/forms/${id}` },
    asks: [
      { field: 'firstName', label: null },
      { field: 'fields.city', label: 'Your city' },
      { field: 'fields.size', label: 'size' },
    ],
  })
  assert.ok(embed?.startsWith(`<form method="post" action="${url}"`))
  const page = await open(api.baseUrl, url ?? '')
  assert.equal(page.title, 'Our news')
  assert.deepEqual(Object.keys(page.form?.values ?? {}), [
    'email',
    'firstName',
    'fields.city',
    'fields.size',
    'website',
    'stamp',
  ])
  assert.deepEqual(await operator.json(['form', 'show', id ?? '']), created)
  const output = await operator.text(['form', 'show', id ?? ''])
  assert.ok(output.includes(url ?? '-') && output.includes(embed ?? '-'))
  const origin = ['--origin', 'https://shop.example']
  const ofOtherPages = await operator.text(['form', 'set', id ?? '', ...origin])
  assert.ok(ofOtherPages.includes('<script type="module">') && !output.includes('<script'))
  const list = await operator.json(['form', 'list', '--workspace', slug])
  assert.equal(at(list, 'data', '0', 'id'), id)
  assert.match(await operator.text(['form', 'list']), new RegExp(`${id} +acme +Our news +yes`))
})

test('form set: only given texts, colours and mails change; none restores ours; colours that cannot be read are refused', async () => {
  const id = String(at(await operator.json([...create, 'Colours', '--intro', 'Hello']), 'id'))
  const set = ['form', 'set', id]
  const colours = ['--colours', '#10261c,#f2fff8,#7be0b0']
  const created = await operator.json([...set, ...colours, '--mail-subject', 'Do you want it?'])
  assert.partialDeepStrictEqual(created, {
    ...{
      name: 'Colours',
      intro: 'Hello',
      colours: { background: '#10261c', text: '#f2fff8', button: '#7be0b0' },
    },
    mail: { subject: 'Do you want it?', text: null, button: null },
  })
  const again = await operator.json([
    ...set,
    '--colours',
    'none',
    '--intro',
    'none',
    '--mail-button',
    'Yes',
  ])
  assert.partialDeepStrictEqual(again, {
    intro: null,
    colours: null,
    mail: { subject: 'Do you want it?', button: 'Yes' },
  })
  await operator.refused([...set, '--colours', '#777777,#777777,#777777'], {
    code: 'refused',
    exit: 1,
    message: /contrast/,
  })
  await operator.refused([...set, '--colours', 'red'], {
    code: 'usage',
    exit: 2,
    message: /not three colours/,
  })
  await operator.refused(set, { code: 'usage', exit: 2, message: /Nothing to set/ })
})

test('form set: none empties a list of fields or tags', async () => {
  const lists = ['--ask', 'firstName', '--ask', 'city', '--tag', 'news', '--tag', 'site']
  const id = String(at(await operator.json([...create, 'Lists', ...lists]), 'id'))
  const withoutTags = await operator.json(['form', 'set', id, '--tag', 'none'])
  assert.partialDeepStrictEqual(withoutTags, {
    tags: [],
    asks: [{ field: 'firstName' }, { field: 'fields.city' }],
  })
  const without = await operator.json(['form', 'set', id, '--ask', 'none'])
  assert.deepEqual([at(without, 'asks'), at(without, 'tags')], [[], []])
})

test('form disable and enable: the page takes no sign-up, and takes them again', async () => {
  const created = await operator.json([...create, 'Switch'])
  const [id, url] = ['id', 'url'].map((key) => String(at(created, key)))
  assert.equal(await operator.text(['form', 'disable', id ?? '']), '"Switch" is closed.\n')
  assert.equal((await open(api.baseUrl, url ?? '')).status, 404)
  assert.partialDeepStrictEqual(await operator.json(['form', 'enable', id ?? '']), {
    id,
    enabled: true,
  })
  assert.equal((await open(api.baseUrl, url ?? '')).status, 200)
})

test('the answer says that a workspace has no sender for confirmations; invalid fields and values are refused', async () => {
  const mute = await api.workspace('mute')
  await api.run(`delete from sender where workspace_id = ${mute.id}`)
  assert.match(
    await operator.text(['form', 'create', '--workspace', 'mute', 'X']),
    /stays closed while the workspace cannot send confirmation mails: no_sender/,
  )
  const usage = { code: 'usage', exit: 2 } as const
  await operator.refused([...create, 'X', '--ask', 'First Name'], {
    ...usage,
    message: /none of firstName, lastName, and key=Label/,
  })
  await operator.refused([...create, 'X', '--ask', 'city', '--ask', 'city=City'], {
    ...usage,
    message: /each once/,
  })
  await operator.refused([...create, 'X', '--tag', 'x'.repeat(61)], {
    ...usage,
    message: /1 to 60 characters/,
  })
  await operator.refused(['form', 'show', 'nonsense'], {
    ...usage,
    message: /not the identifier of a form/,
  })
  await operator.refused(['form', 'show', 'A'.repeat(30)], {
    code: 'not_found',
    exit: 1,
    message: /There is no form "A+": "facteur form list" shows all\./,
  })
})
