/** The contract's builders make what TypeBox makes of the same words. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Typebox from 'typebox'
import { Type } from '../../src/contract/type.ts'

/** One of everything, with options and without, built by either. */
const built = (by: typeof Type): unknown => [
  by.String(),
  by.String({ format: 'date-time', examples: ['2026-11-21T08:30:00.000Z'] }),
  by.Integer({ minimum: 1, maximum: 100, default: 20 }),
  by.Number({ description: 'A share.' }),
  by.Boolean(),
  by.Null(),
  by.Unknown({ description: 'Anything.' }),
  by.Literal('list'),
  by.Literal(true, { description: 'Always.' }),
  by.Literal(3),
  by.Array(by.String({ maxLength: 3 }), { maxItems: 2, $id: 'List' }),
  by.Union([by.String(), by.Null()], { examples: [null] }),
  by.Union([by.String()]),
  by.Unsafe<string>({ type: 'string', enum: ['a', 'b'] }),
  by.Optional(by.String({ description: 'Perhaps.' })),
  by.Object({}),
  by.Object({}, { additionalProperties: true }),
  by.Object({ perhaps: by.Optional(by.Integer()) }),
  by.Object(
    {
      here: by.String(),
      perhaps: by.Optional(by.Object({ within: by.Optional(by.Null()), always: by.Boolean() })),
    },
    { $id: 'Both', additionalProperties: false },
  ),
]

test('our builders make the schemas of TypeBox, key by key and in order', () => {
  assert.equal(JSON.stringify(built(Type), null, 1), JSON.stringify(built(Typebox), null, 1))
})

test('a schema that was made optional once stays required elsewhere', () => {
  const name = Type.String()
  Type.Object({ name: Type.Optional(name) })
  assert.deepEqual(Type.Object({ name }).required, ['name'])
})
