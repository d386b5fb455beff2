/**
 * Provides the TypeBox builders that the contract uses: their types, and the JSON Schema that they
 * make, key by key.
 *
 * TypeBox's own builders load 440 files at every start of a command or worker, for features that
 * are not used here. TypeBox itself validates against the schemas
 * (core/input/validate-shape.ts).
 */
import type Typebox from 'typebox'

type Schema = Record<string, unknown>

/** Marks an optional property; the mark is not part of JSON Schema. */
const optional = new WeakSet<Schema>()

const ofType =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options })

const builders = {
  Array: (items: Schema, options: Schema = {}) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Integer: ofType('integer'),
  Literal: (value: string | number | boolean, options: Schema = {}) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
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

/** The subset of `import Type from 'typebox'` that the contract needs. */
export const Type = builders as unknown as Pick<typeof Typebox, keyof typeof builders>
