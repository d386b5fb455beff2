/** Provides the few schema pieces that every part of the contract uses. */
import { Type } from './type.ts'
import type { Static, TObject, TSchema } from 'typebox'
import { limits } from './limits.ts'
import { cursor } from './text-rules.ts'

/** RFC 3339 in UTC with milliseconds and `Z` (semantics 4). */
export const DateTime = Type.String({ format: 'date-time', examples: ['2026-11-21T08:30:00.000Z'] })

/** A number of things, from 0. */
export const count = (description: string) => Type.Integer({ minimum: 0, description })

/** Either the schema or null. */
export const nullable = <S extends TSchema>(schema: S, options: { examples?: unknown[] } = {}) =>
  Type.Union([schema, Type.Null()], options)

/** An object that documents and the client know by its name. */
export const named = <P extends Record<string, TSchema>>($id: string, properties: P) =>
  Type.Object(properties, { $id })

/** May be absent, and may be null. */
export const optionalOrNull = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema))

export const objectOrNull = <P extends Record<string, TSchema>>(properties: P) =>
  nullable(Type.Object(properties))

type TextOptions = Parameters<typeof Type.String>[0]

/** Texts that may be missing. */
export const Text = {
  optional: (options?: TextOptions) => Type.Optional(Type.String(options)),
  orNull: (options?: TextOptions) => nullable(Type.String(options)),
  optionalOrNull: (options?: TextOptions) => optionalOrNull(Type.String(options)),
}

/** An instant that its description explains; documents show no example of it. */
export const instant = (description: string) => Type.String({ format: 'date-time', description })
export const instantOrNull = (description: string) => nullable(instant(description))

/** The same properties, each of which may be absent. */
export const eachOptional = <P extends Record<string, TSchema>>(properties: P) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as {
    [N in keyof P]: ReturnType<typeof Type.Optional<P[N]>>
  }

/** A closed set of words. */
export const oneOf = <const T extends string>(
  values: readonly T[],
  options: { description?: string; default?: T } = {},
) => Type.Unsafe<T>({ type: 'string', enum: [...values], ...options })

/**
 * An object with free names and text values. A pattern property would let names with a line feed
 * pass unread.
 */
export const textMap = (
  options: {
    description?: string
    examples?: unknown[]
    maxProperties?: number
    'x-rules'?: object
  } = {},
  value: { maxLength?: number } = {},
) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', ...value },
    ...options,
  })

/** Query parameters of every list. */
export const PageQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.pageMax,
      default: limits.pageDefault,
      description: 'How many entries a page holds.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 1000,
      ...cursor,
      description: 'The `next_cursor` of the previous answer.',
    }),
  ),
})

/**
 * The envelope of every list (spec: Envelope of list responses). The published lists have a name,
 * `$id`.
 */
export const listOf = <S extends TSchema>(entry: S, $id?: string) =>
  Type.Object(
    {
      object: Type.Literal('list'),
      data: Type.Array(entry),
      has_more: Type.Boolean(),
      next_cursor: Type.String({
        description: 'Give it as `cursor` for the next page; empty at the end.',
        examples: [''],
      }),
    },
    $id === undefined ? {} : { $id },
  )

/** The envelope of a list that is always answered whole. */
export const wholeListOf = <S extends TSchema>(entry: S) =>
  Type.Object({ object: Type.Literal('list'), data: Type.Array(entry) })

export const ErrorSchema = named('Error', {
  error: Type.Object({
    code: Type.String({ description: 'Machine code: what logic reads.' }),
    message: Type.String({ description: 'Text for people; may be rephrased.' }),
    details: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'The values that a program needs to fix the problem.',
      },
    ),
  }),
  statusCode: Type.Integer({ description: 'Same as the HTTP status.' }),
  message: Type.String({ description: 'Same as `error.message`.' }),
  name: Type.String({ description: 'Same as `error.code`.' }),
})

export { Type }
export type { Static, TObject, TSchema }
