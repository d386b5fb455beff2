/** Imports and the types of fields: guessed from the values, asked about, and held to by each line. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fieldTypes, type TypedField } from '../../../src/contract/field-types.ts'
import { fits, readFileValue } from '../../../src/core/audience/fields/field-values.ts'
import { guessType } from '../../../src/core/audience/fields/guess-type.ts'
import { readColumns } from '../../../src/core/audience/imports/columns/import-columns.ts'
import { importSubscribers } from '../../../src/core/audience/imports/engine/import-subscribers.ts'
import { explainReason } from '../../../src/core/files/import-reasons.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { callVerb } from '../../support/call-verb.ts'

const api = await startApi()
const { db } = api.service
const context = { ...api.service, openLinkTokens: () => Promise.resolve(api.service.linkTokens) }

/** `targets` by header. */
async function importText(
  { id }: TestWorkspace,
  text: string,
  targets: Record<string, `fields.${string}`>,
  dryRun = false,
) {
  const refused: Record<number, string> = {}
  const mappings = Object.entries(targets).map(([header, target]) => ({ header, target }))
  const { guessedTypes, added, updated } = await importSubscribers(context, {
    workspaceId: id,
    ...{ fileName: 'x.csv', statusWords: [], tagSeparators: null, tags: [], consent: 'Fair' },
    ...{ person: null, apiKeyId: null, since: null, dryRun, signal: new AbortController().signal },
    onReading: () => undefined,
    onProgress: () => undefined,
    columnsOf: (headers) => readColumns(headers, mappings),
    async *open() {
      yield Buffer.from(text)
    },
    onRefused: async (lines) => {
      for (const { line, reason } of lines) refused[line] = reason
    },
  })
  return { guessedTypes, stored: added + updated, refused }
}

const typesOf = async ({ id }: TestWorkspace): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await callVerb(api.service, id, 'listSubscriberFields')).data.map(({ key, type }) => [
      key,
      type,
    ]),
  )
const valuesOf = ({ id }: TestWorkspace): Promise<object[]> =>
  db.column<object>(sql`select fields from subscriber where workspace_id = ${id} order by email`)

const text = `email,Born,Score,Member,Zip,City
a@example.com,1990-11-29,12.5,yes,01234,Lyon
b@example.com,1991-01-31,-3,non,75001,
c@example.com,,,,,Paris
`
const targets = {
  Born: 'fields.born',
  Score: 'fields.score',
  Member: 'fields.member',
  Zip: 'fields.zip',
  City: 'fields.city',
} as const

test('the type of a new field is guessed and reported; the field stays a text, and its values as they came', async () => {
  const workspace = await api.workspace('guessed')
  const guessed = [
    { key: 'born', type: 'date' },
    { key: 'score', type: 'number' },
    { key: 'member', type: 'boolean' },
  ]
  const rehearsed = await importText(workspace, text, targets, true)
  assert.deepEqual(rehearsed, { guessedTypes: guessed, stored: 3, refused: {} })
  assert.deepEqual(await typesOf(workspace), {})
  const { guessedTypes } = await importText(workspace, text, targets)
  assert.deepEqual(guessedTypes, guessed)
  assert.deepEqual(new Set(Object.values(await typesOf(workspace))), new Set(['text']))
  const [first] = await valuesOf(workspace)
  assert.equal(Object(first).member, 'yes')
  // Nothing is asked about a field that is there.
  assert.deepEqual((await importText(workspace, text, targets)).guessedTypes, [])
})

test('a confirmed type makes a new field of it; a field that is there keeps its own', async () => {
  const workspace = await api.workspace('confirmed')
  const typed = {
    ...targets,
    Born: 'fields.born:date',
    Score: 'fields.score:number',
    Member: 'fields.member:boolean',
  } as const
  const wrong = `${text}d@example.com,29/11/1990,,,,\ne@example.com,,"1,5",,,\nf@example.com,,,maybe,,\n`
  const refused = { 5: 'fields.born.date', 6: 'fields.score.number', 7: 'fields.member.boolean' }
  const expected = { guessedTypes: [], stored: 3, refused }
  assert.deepEqual(await importText(workspace, wrong, typed, true), expected)
  assert.deepEqual(await typesOf(workspace), {})
  assert.deepEqual(await importText(workspace, wrong, typed), expected)
  assert.deepEqual(await typesOf(workspace), {
    ...{ born: 'date', score: 'number', member: 'boolean' },
    ...{ zip: 'text', city: 'text' },
  })
  assert.deepEqual(await valuesOf(workspace), [
    { born: '1990-11-29', score: '12.5', member: 'true', zip: '01234', city: 'Lyon' },
    { born: '1991-01-31', score: '-3', member: 'false', zip: '75001' },
    { city: 'Paris' },
  ])
  await importText(workspace, text, { City: 'fields.city:number' })
  assert.equal((await typesOf(workspace))['city'], 'text')
  assert.equal(
    explainReason('fields.born.date').en,
    'fields.born is a date: write it as 2026-11-29',
  )
})

test('a choice is read without regard to case and accents, by attributes too; another value is refused with its line', async () => {
  const workspace = await api.workspace('choices')
  await importText(workspace, 'email,City\nz@example.com,x\n', { City: 'fields.city' })
  await callVerb(api.service, workspace.id, 'changeSubscriberFieldType', {
    params: { key: 'city' },
    body: { type: 'choice', choices: ['Évry', 'Paris'] },
  })
  const lines = [
    'email,City,attributes',
    'a@example.com,evry,',
    'b@example.com,PARIS,',
    'c@example.com,Rome,',
    'd@example.com,,"{""city"":""paris""}"',
    'e@example.com,,"{""city"":""Oslo""}"',
  ]
  const { refused } = await importText(workspace, `${lines.join('\n')}\n`, { City: 'fields.city' })
  assert.deepEqual(refused, { 4: 'fields.city.choice', 6: 'fields.city.choice' })
  assert.deepEqual(await valuesOf(workspace), [
    { city: 'Évry' },
    { city: 'Paris' },
    { city: 'Paris' },
    { city: 'x' },
  ])
})

test('whatever a cell holds, what is stored of it fits its type', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('Yes', 'NON', 'vrai', '0', 'm', 'été', 'ETE', '1e5', '2026-02-30', '01'),
  )
  fc.assert(
    fc.property(cell, fc.constantFrom(...fieldTypes), (value, type) => {
      const choices = type === 'choice' ? ['S', 'M', 'Été'] : []
      const field: TypedField = { key: 'it', type, choices }
      const stored = readFileValue(field, value)
      assert.ok(stored === null ? !fits(field, value) : fits(field, stored))
    }),
    { numRuns: 2_000 },
  )
})

test('a type is guessed of two values and more that all fit; zeros and ones are numbers, leading zeros texts', () => {
  const guesses: [string[], string][] = [
    [['1', '0'], 'number'],
    [['yes', 'no', ''], 'boolean'],
    [['01', '02'], 'text'],
    [['2026-11-29', '2026-11-30'], 'date'],
    [['2026-11-29', 'soon'], 'text'],
    [['12', ''], 'text'],
    [[], 'text'],
  ]
  for (const [values, type] of guesses) assert.equal(guessType(values), type, values.join())
})
