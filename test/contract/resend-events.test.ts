/**
 * Each event that Resend has too carries the fields of its SDK, as its types declare them, beside
 * ours.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventKinds, isEventType } from '../../src/contract/events.ts'
import { plainSchema } from '../../src/contract/json-schema.ts'

const types = readFileSync('node_modules/resend/dist/index.d.mts', 'utf8')

interface Shape {
  type?: string
  anyOf?: Shape[]
  const?: unknown
  properties?: Record<string, Shape>
}

/** The fields that are always there, and their types. */
function fieldsOf(name: string): [string, string][] {
  const [, body = ''] = new RegExp(`^interface ${name} \\{\\n(.*?)^\\}`, 'ms').exec(types) ?? []
  const fields = Array.from(
    body.matchAll(/^ {2}(\w+): (.+);$/gm),
    ([, field = '', type = '']): [string, string] => [field, type],
  )
  assert.ok(fields.length > 0, `${name} was read`)
  return fields
}

const eventsOfSdk = Array.from(
  types.matchAll(
    /^interface \w+Event \{\n {2}type: '([\w.]+)';\n.*\n {2}data: (\w+)(?: & \{\n {4}(\w+): (\w+);\n {2}\})?;/gm,
  ),
  ([, type = '', data = '', part, ofPart]) => ({ type, data, part, ofPart }),
)

const kindsOf = ({ type, anyOf = [] }: Shape): string[] =>
  type === undefined ? anyOf.flatMap(kindsOf) : [type]

/** The declared fields that the shape lacks, or has with another type. */
function missing(name: string, shape: Shape | undefined): string[] {
  return fieldsOf(name).flatMap(([field, type]) => {
    const declared = shape?.properties?.[field]
    if (!declared) return [`${field}: absent`]
    const kind = type.endsWith('[]') ? 'array' : type.replace(' | null', '')
    return kindsOf(declared).includes(kind) ? [] : [`${field}: ${type}`]
  })
}

test('each event that Resend has too carries the fields of its SDK', () => {
  const shared = eventsOfSdk.filter(({ type }) => isEventType(type))
  assert.deepEqual(shared.map(({ type }) => type).toSorted(), [
    ...['contact.created', 'contact.updated', 'email.bounced', 'email.clicked'],
    ...['email.complained', 'email.delivered', 'email.delivery_delayed', 'email.failed'],
    ...['email.opened', 'email.scheduled', 'email.sent', 'email.suppressed'],
  ])
  for (const { type, data, part, ofPart } of shared) {
    if (!isEventType(type)) continue
    const shape = plainSchema(eventKinds[type].data) as Shape
    assert.deepEqual(missing(data, shape), [], type)
    if (part && ofPart) assert.deepEqual(missing(ofPart, shape.properties?.[part]), [], type)
  }
})

test('a field that is absent, or of another type, is noticed', () => {
  const { email_id: _, ...properties } = (
    plainSchema(eventKinds['email.sent'].data) as Required<Shape>
  ).properties
  const changed = { properties: { ...properties, to: { type: 'string' } } }
  assert.deepEqual(missing('BaseEmailEventData', changed), ['email_id: absent', 'to: string[]'])
})
