/** Sign-up forms that ask for typed fields: an input of the type, and a refusal of what does not fit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeFormId } from '../../src/core/input/form-id.ts'
import { recipientTexts } from '../../src/ground/texts/recipient-texts.ts'
import { makeForm } from '../../src/core/forms/make-form.ts'
import { sql } from '../../src/database/client/sql.ts'
import { setFieldType } from '../../src/db/audience/subscriber-fields.ts'
import { startApi } from '../support/api.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { press, open } from '../support/signed-in-visitor.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints(), settings: { language: 'en' } })
const acme = await api.workspace('acme')
const { db } = api.service
const origin = 'https://shop.example'
const types = [
  { key: 'born', type: 'date', choices: [] },
  { key: 'score', type: 'number', choices: [] },
  { key: 'member', type: 'boolean', choices: [] },
  { key: 'size', type: 'choice', choices: ['S', '"M" & L'] },
  { key: 'city', type: 'text', choices: [] },
] as const
const { id } = await makeForm(api.service, {
  workspaceId: acme.id,
  form: {
    ...{ name: 'News', intro: null, consent: null, tags: [], origins: [origin] },
    asks: types.map(({ key }) => ({ field: `fields.${key}`, label: key })),
  },
})
for (const field of types)
  await setFieldType(db, acme.id, { ...field, choices: [...field.choices] })
const path = `/forms/${writeFormId({ workspaceId: acme.id, id })}`
const right = { born: '1990-11-29', score: '12.5', member: 'true', size: '"M" & L', city: 'Lyon' }
/** A reader's decimal comma becomes a point. */
const typed = { ...right, score: '12,5' }
const wrong = { born: '29/11/1990', score: '1,500', member: 'yes', size: 'M' }

const named = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`fields.${key}`, value]))

let ahead = 0
async function later(seconds: number): Promise<void> {
  ahead += seconds
  await api.moveClock(`${ahead} seconds`)
}

async function post(values: Record<string, string>): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${api.baseUrl}${path}/json`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'json@example.com', ...named(values) }),
  })
  return { status: response.status, body: await response.json() }
}

test('the page and the snippet have an input of each type, and lists of the choices', async () => {
  const { markup } = await open(api.baseUrl, path)
  const owner = await signIn(api, { in: { [acme.id]: 'owner' } })
  const shown = await owner.ask(`GET /workspaces/acme/api/v1/forms`)
  for (const code of [markup, String(at(shown.body, 'data', '0', 'snippet'))]) {
    const flat = code.replaceAll(/\s+/g, ' ')
    assert.match(flat, /name="fields\.born"[^>]* type="date"/)
    assert.match(flat, /name="fields\.score"[^>]* type="number"[^>]* step="any"/)
    assert.match(flat, /<select [^>]*name="fields\.member"[^>]*> ?<option value=""><\/option>/)
    assert.match(flat, /<option value="true">Yes<\/option> ?<option value="false">No<\/option>/)
    assert.match(flat, /<option value="&#34;M&#34; &#38; L">&#34;M&#34; &#38; L<\/option>/)
    assert.match(flat, /name="fields\.city"[^>]* type="text"/)
  }
  assert.deepEqual(
    at(shown.body, 'data', '0', 'asks', '0'),
    { field: 'fields.born', label: 'born' },
    'the form itself holds no type',
  )
})

test('422 for a value that does not fit, with a sentence at its input; what fits is stored once confirmed', async () => {
  await later(7_200)
  const page = await open(api.baseUrl, path)
  await later(10)
  const email = 'ada@example.com'
  const refused = await press(api.baseUrl, page, { email, ...named({ ...right, ...wrong }) })
  assert.equal(refused.status, 422)
  const { number, date, boolean, choice } = recipientTexts.en.form.problem
  for (const sentence of [number, date, boolean, choice])
    assert.ok(refused.text.includes(sentence), sentence)
  assert.match(refused.markup, /value="Lyon"/)
  await later(10)
  assert.equal((await press(api.baseUrl, refused, { email, ...named(typed) })).status, 200)
  const mails = () =>
    db.column<string>(
      sql`select encode(raw, 'escape') from captured_mail where workspace_id = ${acme.id} and recipient = ${email}`,
    )
  const [mail = ''] = await until(mails, ({ length }) => length > 0)
  const link = /\/confirm\/([\w-]{64})/.exec(mail.replaceAll(/=\r\n/g, ''))?.[0]
  await press(api.baseUrl, await open(api.baseUrl, link ?? assert.fail('no link')))
  const fields = await db.column<object>(
    sql`select fields from subscriber where workspace_id = ${acme.id} and email = ${email}`,
  )
  assert.deepEqual(fields, [right])
})

test('422 by JSON names the field and its type', async () => {
  for (const [key, value] of Object.entries(wrong)) {
    await later(7_200)
    const { status, body } = await post({ ...right, [key]: value })
    assert.equal(status, 422)
    const type = types.find((field) => field.key === key)?.type
    assert.partialDeepStrictEqual(at(body, 'error'), {
      code: 'validation_error',
      details: { path: `fields.${key}`, rule: type },
    })
  }
  await later(7_200)
  assert.equal((await post({ ...right, born: '' })).status, 202)
})
