/** Values of custom fields by their types: JavaScript and PostgreSQL say the same of any text. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fieldTypes, type TypedField } from '../../../src/contract/field-types.ts'
import { fits } from '../../../src/core/audience/fields/field-values.ts'
import { rowList } from '../../../src/database/client/fragment.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { typedValue } from '../../../src/db/audience/typed-values.ts'
import { freshDatabase } from '../../support/database.ts'

const { connection: db } = await freshDatabase()

const choices = ['S', 'M', 'Très grand', 'a"b\\c', '%_']
const fieldOf = (type: TypedField['type'], key = 'it'): TypedField => ({
  key,
  type,
  choices: type === 'choice' ? choices : [],
})

/** As PostgreSQL reads each text in the type. Null if it does not fit. */
async function readBy(field: TypedField, texts: string[]): Promise<(string | null)[]> {
  const rows = texts.map((text) => ({ fields: JSON.stringify({ [field.key]: text }) }))
  return db.column<string | null>(sql`
    select ${typedValue(field)}::text as value
    from (select fields::jsonb as fields, place from ${rowList(rows, 'n', { text: ['fields'] }, 'place')}) s
    order by place`)
}

/** Texts that are nearly a value, beside any that JSON and PostgreSQL hold. */
const anyText = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.stringMatching(/^[-+]?[0-9]{0,17}[.,e]?[0-9]{0,12}$/),
    fc.stringMatching(/^[0-9]{4}-[01][0-9]-[0-3][0-9][ \n]?$/),
    fc.date({ noInvalidDate: true }).map((day) => day.toISOString().slice(0, 10)),
    fc.constantFrom('true', 'false', 'TRUE', 't', 'yes', '1', '0', '-0', '', ' ', 'true\n', 'null'),
    fc.constantFrom('0000-01-01', '0001-01-01', '9999-12-31', '2026-02-29', '2024-02-29'),
    fc.constantFrom('1900-02-29', '2000-02-29', '2026-04-31', 'infinity', 'now', 'NaN', '1e5'),
    fc.constantFrom(...choices, 's', 'M '),
  )
  .filter((text) => text.isWellFormed() && !text.includes('\0'))

test('any text fits a type in PostgreSQL exactly if it does at every entry point, and none makes a statement fail', async () => {
  const lists = fc.array(anyText, { minLength: 200, maxLength: 200 })
  await fc.assert(
    fc.asyncProperty(lists, fc.constantFrom(...fieldTypes), async (texts, type) => {
      const field = fieldOf(type)
      const read = await readBy(field, texts)
      assert.deepEqual(
        texts.filter((_, index) => read[index] !== null),
        texts.filter((text) => fits(field, text)),
      )
    }),
    { numRuns: 60 },
  )
})

test('what a type prints, it reads again: numbers, days, booleans and choices', async () => {
  const numbers = fc
    .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.stringMatching(/^[0-9]{0,10}$/))
    .map(([whole, parts]) => (parts === '' ? String(whole) : `${whole}.${parts}`))
  const days = fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10))
  const values: [TypedField['type'], fc.Arbitrary<string>][] = [
    ['number', numbers],
    ['date', days],
    ['boolean', fc.constantFrom('true', 'false')],
    ['choice', fc.constantFrom(...choices)],
    ['text', fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))],
  ]
  for (const [type, arbitrary] of values)
    await fc.assert(
      fc.asyncProperty(fc.array(arbitrary, { minLength: 50, maxLength: 50 }), async (texts) => {
        assert.deepEqual(await readBy(fieldOf(type), texts), texts)
      }),
      { numRuns: 20 },
    )
})

test('numbers and days compare by their values, beside rows that hold anything else', async () => {
  const above = async (field: TypedField, texts: string[], than: string): Promise<string[]> => {
    const rows = texts.map((text) => ({ fields: JSON.stringify({ [field.key]: text }) }))
    return db.column<string>(sql`
      select s.fields ->> ${field.key}::text as value
      from (select fields::jsonb as fields from ${rowList(rows, 'n', { text: ['fields'] })}) s
      where ${typedValue(field)} > ${than} order by ${typedValue(field)}`)
  }
  const texts = ['9', '10', '-3', '2.5', 'ten', '', '2026-02-30', '2025-12-31', '2026-11-29', 'x']
  assert.deepEqual(await above(fieldOf('number'), texts, '2.4'), ['2.5', '9', '10'])
  assert.deepEqual(await above(fieldOf('date'), texts, '2025-12-31'), ['2026-11-29'])
  assert.deepEqual(await above(fieldOf('number', `o'"; --%`), ['1', '3'], '2'), ['3'])
})
