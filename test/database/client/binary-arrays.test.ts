/** Arrays in PostgreSQL's binary form: any text arrives as it was sent, and null stays null. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  booleans,
  integers,
  jsonbs,
  jsons,
  smallints,
  textArray,
  uuids,
} from '../../../src/database/client/binary-arrays.ts'
import { connect } from '../../../src/database/client/connect.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { freshDatabase } from '../../support/database.ts'

const of = <Value>(values: Value[]) => values.map((each) => ({ each }))

test('every kind comes back as it went, also empty and with nulls', async (t) => {
  const db = connect({ connectionString: (await freshDatabase(t)).url, poolSize: 1 })
  t.after(() => db.end())
  const text = fc
    .string({ unit: 'grapheme' })
    .filter((value) => !value.includes('\0') && value.isWellFormed())
  const json = fc
    .jsonValue()
    .map((value) => JSON.parse(JSON.stringify(value).replaceAll(String.raw`\u0000`, '')) as unknown)
  const some = <Value>(value: fc.Arbitrary<Value>) => fc.array(fc.option(value), { maxLength: 20 })
  const arrays = fc.record({
    texts: some(text),
    uuids: some(fc.uuid()),
    integers: some(fc.integer()),
    smallints: fc.array(fc.integer({ min: -32_768, max: 32_767 })),
    booleans: fc.array(fc.boolean()),
    jsons: fc.array(json),
    jsonbs: some(json),
  })
  const written = (values: unknown[]): string[] => values.map((value) => JSON.stringify(value))
  await fc.assert(
    fc.asyncProperty(arrays, async (value) => {
      const pressed = value.jsonbs.map((jsonb) => (jsonb === null ? null : JSON.stringify(jsonb)))
      const [row] = await db.rows<Record<keyof typeof value, unknown>>(sql`
        select ${textArray(of(value.texts), 'each')}::text[] as texts, ${uuids(of(value.uuids), 'each')}::uuid[]::text[] as uuids,
          ${integers(of(value.integers), 'each')}::int[] as integers, ${smallints(of(value.smallints), 'each')}::smallint[] as smallints,
          ${booleans(of(value.booleans), 'each')}::boolean[] as booleans,
          ${jsons(of(written(value.jsons)), 'each')}::json[]::text[] as jsons, ${jsonbs(of(pressed), 'each')}::jsonb[] as jsonbs`)
      assert.deepEqual(row, { ...value, jsons: written(value.jsons) })
    }),
    { numRuns: 200 },
  )
})

test('a text that is no UUID is refused, and no stale memory is sent in its place', () => {
  for (const text of [
    '',
    'none',
    '0190f3a1-0000-7000-8000-00000000000',
    '0190f3a1-0000-7000-8000-00000000000g',
  ])
    assert.throws(() => uuids(of([text]), 'each'), /No UUID/, text)
})
