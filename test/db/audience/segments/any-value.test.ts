/** Values of conditions are values: no text of theirs is ever a part of a statement or a pattern. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../../../../src/contract/errors.ts'
import { readDefinition } from '../../../../src/core/audience/segments/read-definition.ts'
import { freshDatabase } from '../../../support/database.ts'
import { compareSets } from '../../../support/segments/compare-sets.ts'
import { drawContact, storeContacts, worldFields } from '../../../support/segments/segment-world.ts'
import { createDraw } from '../../../support/fault-draw.ts'

const { url, connection: db } = await freshDatabase()

const city = worldFields[0].id

/** What a statement or a pattern would read as more than a text. */
const signs = ["'", "''", '"', '%', '_', '\\', '\\%', '$1', '--', '/*', ';', '\0', '\ud83d', '😀']
const letters = ['É', 'é', 'ß', 'ẞ', 'İ', 'ı', '\u212a', 'k', 'Σ', 'σ', 'ς', 'ǅ', '𐐀', '𐐨', 'A']
const anyText = fc.oneof(
  fc
    .array(fc.constantFrom(...signs, ...letters), { minLength: 1, maxLength: 6 })
    .map((all) => all.join('')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
)
const storable = anyText.filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text))

test('any text is refused with its path, or selects the evaluator’s contacts', async () => {
  const texts = fc.sample(storable, { numRuns: 120, seed: 7 })
  const draw = createDraw(7)
  const contacts = texts.map((value) => {
    const contact = drawContact(draw)
    return {
      ...contact,
      tags: [value],
      fields: { ...contact.fields, [city]: { type: 'text', choices: [], value } },
    }
  })
  await storeContacts(url, 1, contacts)
  const text = fc.oneof(anyText, fc.constantFrom(...texts))
  const operator = fc.constantFrom('is', 'is_not', 'contains', 'tag')
  let selected = 0
  await fc.assert(
    fc.asyncProperty(text, operator, async (value, name) => {
      const isTag = name === 'tag'
      const definition = { any: [isTag ? { tag: value } : { field: city, [name]: value }] }
      if (!value.isWellFormed() || /\p{Cc}/u.test(value)) {
        const path = `definition.any.0.${name}`
        assert.throws(
          () => readDefinition(definition),
          (error) => error instanceof ApiError && error.details['path'] === path,
        )
        return
      }
      const share = await compareSets(db, { workspaceId: 1, contacts }, readDefinition(definition))
      if (share > 0 && share < 1) selected++
    }),
    { numRuns: 300, seed: 7 },
  )
  assert.ok(selected > 100, `${selected} of 300 selected some`)
})
