/**
 * Writes tables of fields for the reference: one row for each field, nested ones with dotted names.
 */
import type { JsonSchema } from '../json-schema.ts'
import { table } from './markdown.ts'

/**
 * Returns the table of an object's fields, or of a list's entries; undefined when there are none.
 */
export function fieldTable(schema: JsonSchema): string | undefined {
  const rows = rowsOf(schema.type === 'array' && schema.items ? schema.items : schema, '')
  if (rows.length === 0) return undefined
  return table(['Field', 'Type', 'Rules'], rows)
}

function rowsOf({ properties = {}, required = [] }: JsonSchema, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const rules = [boundsOf(schema), descriptionOf(schema)].filter((text) => text !== '').join('. ')
    const mark = required.includes(name) ? '' : ' (optional)'
    const row = [`\`${prefix}${name}\`${mark}`, typeOf(schema), rules]
    return [
      row,
      ...innerObjects(schema).flatMap(([suffix, inner]) =>
        rowsOf(inner, `${prefix}${name}${suffix}.`),
      ),
    ]
  })
}

/** The objects inside a field, with the suffix of the name that leads to them. */
function innerObjects(schema: JsonSchema): [suffix: string, schema: JsonSchema][] {
  if (schema.properties) return [['', schema]]
  if (schema.items)
    return innerObjects(schema.items).map(([suffix, inner]) => [`[]${suffix}`, inner])
  return (schema.anyOf ?? []).flatMap(innerObjects)
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map((word) => `\`${word}\``).join(', ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.items) return `array of ${typeOf(schema.items)}`
  if (typeof schema.additionalProperties === 'object')
    return `object of ${typeOf(schema.additionalProperties)}s`
  if (schema.format === 'date-time') return 'date-time'
  return schema.type ?? 'any'
}

function boundsOf(schema: JsonSchema): string {
  const own = [
    range(schema.minItems, schema.maxItems, 'entries'),
    range(schema.minLength, schema.maxLength, 'characters'),
    range(schema.minimum, schema.maximum, ''),
    schema.default === undefined ? '' : `default \`${schema.default}\``,
  ]
  const inner = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])].map(boundsOf)
  const parts = [...own, ...inner].flatMap((text) => text.split(', ')).filter((text) => text !== '')
  return [...new Set(parts)].join(', ')
}

function range(least: number | undefined, max: number | undefined, unit: string): string {
  const [low, high] = [least, max].map((number) => number?.toLocaleString('en-US'))
  if (low === undefined && high === undefined) return ''
  const numbers =
    low === undefined
      ? `at most ${high}`
      : high === undefined
        ? `at least ${low}`
        : `${low} to ${high}`
  return `${numbers} ${unit}`.trim()
}

const descriptionOf = (schema: JsonSchema): string =>
  schema.description ??
  [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]
    .map(descriptionOf)
    .find((text) => text !== '') ??
  ''
