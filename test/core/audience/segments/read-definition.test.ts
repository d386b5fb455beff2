/** A definition is read whole, or refused with the path of its wrong part. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../../src/contract/errors.ts'
import { readDefinition } from '../../../../src/core/audience/segments/read-definition.ts'

/** The first problem of a definition. */
function refusalOf(definition: unknown): { path: unknown; rule: unknown } {
  try {
    readDefinition(definition)
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'validation_error')
    return { path: error.details['path'], rule: error.details['rule'] }
  }
  return assert.fail(`${JSON.stringify(definition)} was read`)
}

const nested = (levels: number): unknown =>
  levels === 0 ? { tag: 'vip' } : { all: [nested(levels - 1)] }

test('each condition is read as it is written', () => {
  for (const definition of [
    { all: [{ tag: 'vip' }, { any: [] }, { none: [{ status: 'pending' }] }] },
    { field: 'city', is: 'Paris' },
    { field: 'city', is_not: 'Paris' },
    { field: 'city', contains: '%' },
    { field: 'birthday', before: '2000-02-29' },
    { field: 'birthday', after: '2000-02-29' },
    { field: 'last_order', within_days: 90 },
    { field: 'orders', above: '12.5' },
    { field: 'orders', below: '-3' },
    { field: 'orders', empty: false },
    { source: 'form', form: 'AAAA' },
    { language: 'fr' },
    { created: { before: '2026-01-01' } },
    { subscribed: { after: '2026-01-01' } },
    { confirmed: { within_days: 30 } },
    { consented: { never: true } },
    { unsubscribed: { within_days: 1 } },
    { received: { campaign: '01900000-0000-7000-8000-000000000001' } },
    { opened: { within_days: 90, by: 'any' } },
    { clicked: { never: true } },
    nested(3),
  ])
    assert.deepEqual(readDefinition(definition), definition)
})

test('an open is by a person unless it says otherwise; numbers and booleans may be JSON’s own', () => {
  assert.deepEqual(readDefinition({ opened: { within_days: 90 } }), {
    opened: { within_days: 90, by: 'person' },
  })
  assert.deepEqual(readDefinition({ field: 'orders', above: 12.5 }), {
    field: 'orders',
    above: '12.5',
  })
  assert.deepEqual(readDefinition({ field: 'member', is: true }), { field: 'member', is: 'true' })
})

test('422 names the path of the wrong part', () => {
  const cases: [definition: unknown, path: string, rule: string][] = [
    [null, 'definition', 'type'],
    ['vip', 'definition', 'type'],
    [[], 'definition', 'type'],
    [{}, 'definition', 'one_condition'],
    [{ tag: 'a', status: 'pending' }, 'definition', 'one_condition'],
    [{ all: [{ any: [] }, { tags: 'vip' }] }, 'definition.all.1', 'one_condition'],
    [{ tag: 'vip', not: true }, 'definition.not', 'additionalProperties'],
    [{ all: [], any: [] }, 'definition', 'one_condition'],
    [{ all: {} }, 'definition.all', 'type'],
    [{ none: [{ segment: 'x' }] }, 'definition.none.0.segment', 'segment_in_segment'],
    [{ tag: 7 }, 'definition.tag', 'type'],
    [{ tag: '' }, 'definition.tag', 'minLength'],
    [{ tag: 'a'.repeat(501) }, 'definition.tag', 'maxLength'],
    [{ field: 'city' }, 'definition', 'one_of'],
    [{ field: 'city', is: 'a', is_not: 'b' }, 'definition', 'one_of'],
    [{ field: 'city', like: 'a' }, 'definition.like', 'additionalProperties'],
    [{ field: 'city', is: ['a'] }, 'definition.is', 'type'],
    [{ field: 'birthday', before: '2026-02-30' }, 'definition.before', 'field_date'],
    [{ field: 'birthday', within_days: 0 }, 'definition.within_days', 'minimum'],
    [{ field: 'birthday', within_days: 3_651 }, 'definition.within_days', 'maximum'],
    [{ field: 'birthday', within_days: '90' }, 'definition.within_days', 'type'],
    [{ field: 'orders', above: 'many' }, 'definition.above', 'field_number'],
    [{ field: 'city', empty: 'yes' }, 'definition.empty', 'type'],
    [{ status: 'gone' }, 'definition.status', 'enum'],
    [{ source: 'api', form: 'AAAA' }, 'definition.form', 'form_of_source'],
    [{ language: 'da' }, 'definition.language', 'enum'],
    [{ created: {} }, 'definition.created', 'one_of'],
    [{ created: { within_days: 0 } }, 'definition.created.within_days', 'minimum'],
    [{ created: { within_days: 1.5 } }, 'definition.created.within_days', 'type'],
    [{ created: { within_days: 3_651 } }, 'definition.created.within_days', 'maximum'],
    [{ created: { campaign: 'x' } }, 'definition.created.campaign', 'additionalProperties'],
    [{ clicked: { never: false } }, 'definition.clicked.never', 'const'],
    [{ clicked: { never: true, by: 'any' } }, 'definition.clicked.by', 'additionalProperties'],
    [{ opened: { never: true, by: 'robot' } }, 'definition.opened.by', 'enum'],
    [{ received: { campaign: '7' } }, 'definition.received.campaign', 'format'],
    [nested(4), 'definition.all.0.all.0.all.0.all', 'levels'],
    [
      { any: Array.from({ length: 51 }, () => ({ tag: 'vip' })) },
      'definition.any.50',
      'conditions',
    ],
    [{ any: Array.from({ length: 50 }, () => ({ all: [] })) }, 'definition.any.49', 'conditions'],
  ]
  for (const [definition, path, rule] of cases)
    assert.deepEqual(refusalOf(definition), { path, rule }, JSON.stringify(definition))
})

test('422 for texts that no row can hold: NUL, control characters and half surrogates', () => {
  for (const text of ['a\0b', 'a\nb', '\ud800', 'a\udc00'])
    for (const definition of [{ tag: text }, { field: 'city', is: text }, { field: text, is: 'a' }])
      assert.match(String(refusalOf({ all: [definition] }).path), /^definition\.all\.0\./)
})
