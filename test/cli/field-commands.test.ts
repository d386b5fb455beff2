/** `facteur field …`: types of fields are listed, previewed and changed by an operator. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { at, keysAt } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({ workers: false })
const acme = await api.workspace('acme')
const other = await api.workspace('other')
const operator = createOperator({ DATABASE_URL: api.database.url, FACTEUR_BASE_URL: api.baseUrl })
const W = ['--workspace', 'acme']

test('field define, list, preview and type: what does not fit is shown, and nothing of it is lost', async () => {
  for (const [n, birthday] of ['1990-11-29', '29/11/1990', 'a\u001b[31m'].entries())
    assertAnswered(
      await ask(api.baseUrl, 'POST /api/v1/subscribers', {
        key: n === 2 ? other.key : acme.key,
        body: { email: `p${n}@example.com`, double_opt_in: false, fields: { birthday } },
      }),
      201,
    )
  const choices = ['--choice', 'S', '--choice', 'M']
  const created = await operator.json([
    'field',
    'define',
    ...W,
    'size',
    '--type',
    'choice',
    ...choices,
  ])
  assert.partialDeepStrictEqual(created, { key: 'size', type: 'choice', choices: ['S', 'M'] })
  const preview = ['field', 'preview', ...W, 'birthday', 'date']
  assert.partialDeepStrictEqual(await operator.json(preview), {
    ...{ key: 'birthday', type: 'date', values: 2, misfits: 1 },
    sample: [{ email: 'p1@example.com', value: '29/11/1990' }],
  })
  assert.match(
    await operator.text(preview),
    /2 subscribers have a value in birthday, and 1 of these values do not fit the type date\.\n +p1@example\.com: "29\/11\/1990"/,
  )
  const changed = await operator.text(['field', 'type', ...W, 'birthday', 'date'])
  assert.match(changed, /The type of birthday is date\./)
  const list = await operator.json(['field', 'list', ...W])
  assert.partialDeepStrictEqual(at(list, 'data'), [
    { key: 'birthday', type: 'date' },
    { key: 'size', type: 'choice', choices: ['S', 'M'] },
  ])
  assert.match(await operator.text(['field', 'list', ...W]), /size +choice +.*S, M/)
  await operator.text(['field', 'type', ...W, 'birthday', 'text'])
  const stored = await ask(api.baseUrl, 'GET /api/v1/subscribers/p1%40example.com', {
    key: acme.key,
  })
  assertAnswered(stored, 200, { fields: { birthday: '29/11/1990' } })
})

test('field type: a choice without choices, an unknown type and an unknown field are refused', async () => {
  const refused = (line: string[], code: string, exit: 1 | 2, message: RegExp) =>
    operator.refused(['field', 'type', ...W, ...line], { code, exit, message })
  await refused(['birthday', 'choice'], 'refused', 1, /`--choice`/)
  await refused(['birthday', 'money'], 'usage', 2, /text, number, date, boolean/)
  await refused(['nothing', 'date'], 'not_found', 1, /nothing/)
})

test('subscriber import names the type that a new field looks like, and takes it with the mapping', async () => {
  const file = join(makeTemporaryFolder('typed-fields'), 'people.csv')
  writeFileSync(file, 'email,Since,Paid\na@x.example,2020-01-31,1\nb@x.example,2021-02-28,2\n')
  const line = [
    'subscriber',
    'import',
    ...W,
    '--consent',
    'At the fair',
    '--map',
    'Since=fields.since',
  ]
  const rehearsed = await operator.text([...line, '--dry-run', file])
  assert.match(rehearsed, /new field since look like the type date.*"COLUMN=fields\.since:date"/)
  const output = await operator.text([...line, '--map', 'Paid=fields.paid:number', file])
  assert.match(output, /If they are: facteur field type --workspace acme since date\n/)
  assert.doesNotMatch(output, /field paid/)
  const list = await operator.json(['field', 'list', ...W])
  const types = keysAt(list, 'data').map((location) => [
    at(list, 'data', location, 'key'),
    at(list, 'data', location, 'type'),
  ])
  assert.partialDeepStrictEqual(Object.fromEntries(types), { since: 'text', paid: 'number' })
})
