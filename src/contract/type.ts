/**
 * The builders of TypeBox that the contract is written with: its types, and the JSON Schema that it makes, key by key.
 *
 * Its own come with what makes values, mends them and reads TypeScript: 440 files, which each command and each worker would
 * load at every start (docs/decisions/0024). Schemas are held against values by TypeBox itself (core/dispatch/judge-shape).
 */
import type Typebox from 'typebox'

type Schema = Record<string, unknown>

/** A property that may be left out; the mark is none of JSON Schema's. */
const optional = new WeakSet<Schema>()

const ofType =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options })

const builders = {
  Array: (items: Schema, options: Schema = {}) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Integer: ofType('integer'),
  Literal: (value: string | number | boolean, options: Schema = {}) => ({ type: typeof value, const: value, ...options }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object(properties: Record<string, Schema>, options: Schema = {}) {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name] ?? {}))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
  Optional(schema: Schema) {
    const copy = { ...schema }
    optional.add(copy)
    return copy
  },
  String: ofType('string'),
  Union: (anyOf: Schema[], options: Schema = {}) => ({ anyOf, ...options }),
  Unknown: (options: Schema = {}) => ({ ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
}

/** As `import Type from 'typebox'`, of which the contract needs no more. */
export const Type = builders as unknown as Pick<typeof Typebox, keyof typeof builders>
