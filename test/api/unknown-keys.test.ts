/**
 * Property: keys that nobody knows change nothing of any operation, and each of the closed list is
 * refused by its name (spec: EmailRequest; seeded, replayable).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exampleOf, plainSchema } from '../../src/contract/json-schema.ts'
import { apiOperationIds, operations, type ApiOperationId } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { validateShape } from '../../src/core/input/validate-shape.ts'
import { ApiError } from '../../src/contract/errors.ts'

const seed = 20_261_129
const keyed: [ApiOperationId, Operation][] = apiOperationIds.map((id) => [id, operations[id]])

const read = (id: ApiOperationId, body: unknown) => {
  const { params, query, headers } = operations[id]
  return validateShape(id, {
    params: Object(exampleOf(plainSchema(params))),
    query: Object(exampleOf(plainSchema(query))),
    headers: Object(exampleOf(plainSchema(headers))),
    body,
  })
}

/** Whether any part of the body, or of what it may not hold, has this name. */
const isKnown = ({ body, foreign = {} }: Operation, name: string): boolean =>
  JSON.stringify(body ?? {}).includes(JSON.stringify(name)) ||
  Object.values(foreign).some((keys) => Object.hasOwn(keys, name))

const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.constantFrom('__proto__', 'constructor', 'Segment_ID', 'utm_source', 'folder', 'metadata'),
)

test('a body with unknown keys is read as one without them, for every operation', () => {
  const added = fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, maxKeys: 5 })
  fc.assert(
    fc.property(fc.constantFrom(...keyed), added, ([id, operation], keys) => {
      const example = operation.body ? exampleOf(plainSchema(operation.body)) : {}
      const unknown = Object.fromEntries(
        Object.entries(keys).filter(([key]) => !isKnown(operation, key)),
      )
      // Of a list, each entry has them.
      const grown = Array.isArray(example)
        ? example.map((entry) => ({ ...structuredClone(Object(entry)), ...unknown }))
        : { ...structuredClone(Object(example)), ...unknown }
      const plain = read(id, structuredClone(example))
      const more = read(id, grown)
      assert.deepEqual(Object.keys(more), Object.keys(plain))
      const entries = [more.body].flat()
      for (const [index, entry] of [plain.body].flat().entries())
        for (const known of Object.keys(Object(entry)))
          assert.deepEqual(
            Reflect.get(Object(entries[index]), known),
            Reflect.get(Object(entry), known),
          )
    }),
    { numRuns: 500, seed },
  )
})

for (const [id, operation] of keyed) {
  const keys = Object.keys(operation.foreign?.[''] ?? {})
  if (keys.length === 0) continue
  test(`${id}: each key of the closed list is refused by name, and none without a value`, () => {
    const example = Object([operation.body ? exampleOf(plainSchema(operation.body)) : {}].flat()[0])
    const bodyWith = (key: string, value: unknown) => {
      const body = { ...structuredClone(example), [key]: value }
      return id === 'sendEmailBatch' ? [body] : body
    }
    for (const key of keys) {
      assert.throws(
        () => read(id, bodyWith(key, 'x')),
        (error) =>
          error instanceof ApiError &&
          error.code === 'validation_error' &&
          error.details['rule'] === 'not_supported' &&
          String(error.details['path']).endsWith(key),
        key,
      )
      for (const nothing of [null, '']) read(id, bodyWith(key, nothing))
    }
  })
}
