/**
 * The OpenAPI description is as strict as the service: bodies and queries just inside and just
 * outside of each bound and pattern get the same verdict from an independent validator (Ajv) and
 * from the service.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ValidateFunction } from 'ajv'
import fc from 'fast-check'
import { operations, type OperationId } from '../../src/contract/operations.ts'
import { parseMailbox } from '../../src/ground/address.ts'
import { ajv, compileIn, description } from '../support/answer-referee.ts'
import { startApi } from '../support/api.ts'
import { ask, type Answer } from '../support/ask.ts'
import { at, keysAt } from '../support/json.ts'

const api = await startApi()
const shop = await api.workspace('shop', { ratePerMinute: 1_000_000 })

/**
 * Rules that no schema can say: about the clock, about what the workspace holds, about two fields
 * together, about octets, and about which names IDNA knows (docs/decisions/0036). The service may
 * refuse by these what the schema admits; never the reverse.
 */
const beyondSchema = new Set([
  ...[
    'in_the_past',
    'too_far',
    'known_id',
    'event',
    'cursor',
    'captured_since',
    'captured_filter',
    'alias_differs',
    'recipients',
    'fields_max',
    'webhooks',
  ],
  ...[
    'text_bytes',
    'attachment_bytes',
    'attachment_fetch',
    'fetched_files',
    'depth',
    'values',
    'header_value',
    'header_repeated',
    'headers_too_long',
  ],
  ...[
    'address.domain_not_idna',
    'address.domain_too_long',
    'uri',
    'https_url',
    'url.address',
    'url.port',
    'url.http',
    'merge_tag',
    'links',
  ],
  'template_syntax',
])

/** Rules of addresses that only characters beyond ASCII take beyond the schema. */
const beyondAscii =
  /^address\.(?:local_part_too_long|local_part_character|domain_character|domain_label|domain_without_dot|ip_address)$/

interface Verdict {
  admits: boolean
  /** By a rule that no schema can say. */
  beyond: boolean
  rule: string
}

function verdictOf({ status, body }: Answer, sent: unknown): Verdict {
  const code = at(body, 'error', 'code')
  // The service checks the shape before the data of the workspace, so such a refusal means that the
  // shape is valid.
  if (status < 300 || code !== 'validation_error')
    return { admits: true, beyond: false, rule: typeof code === 'string' ? code : String(status) }
  const rule = String(
    at(body, 'error', 'details', 'rule') ?? at(body, 'error', 'details', 'reason'),
  )
  const isAscii = /^[\x00-\x7f]*$/.test(JSON.stringify(sent)) && !/\\u/.test(JSON.stringify(sent))
  return {
    admits: false,
    beyond: beyondSchema.has(rule) || (beyondAscii.test(rule) && !isAscii),
    rule,
  }
}

/** Texts at which some rule turns; each is tried in every place. */
const turning = [
  ...[
    '',
    ' ',
    '\t',
    'a',
    'Bonjour',
    '\ud800',
    'é',
    '😀',
    'a\u0000b',
    'a\nb',
    'a\u007fb',
    'a\u0085b',
    'a\u2028b',
    'a\u202eb',
  ],
  ...[
    'camille@example.com',
    'Camille <camille@example.com>',
    '"Dupont, C." <camille@example.com>',
    '<a@b.co>',
    ' a@b.co ',
  ],
  ...[
    '"a b"@example.com',
    '"a<b"@example.com',
    'élan@bücher.example',
    'a@1.2.3.4',
    'a@0x7f.0x1',
    'a@b',
    'a@-b.com',
    'a@b-.com',
  ],
  ...[
    'Name<a@b.co>',
    'Na(me <a@b.co>',
    'a@b.co, c@d.co',
    '@b.co',
    'a@',
    'a..b@c.de',
    '.a@c.de',
    'a.@c.de',
    '<@x:a@b.co>',
    '<a@b.co',
    'a@b.co>',
  ],
  ...[
    `${'x'.repeat(64)}@example.com`,
    `${'x'.repeat(65)}@example.com`,
    `a@${'y'.repeat(63)}.com`,
    `a@${'y'.repeat(64)}.com`,
    'x\u200by@b.co',
  ],
  ...[
    '2026-12-24T08:00:00Z',
    '2026-12-24 08:00:00.123456789+01:00',
    '2026-12-24T08:00:00',
    '2026-02-29T08:00:00Z',
    '2028-02-29T08:00:00z',
  ],
  ...[
    '2026-04-31T08:00:00Z',
    '2026-12-24T24:00:00Z',
    '2026-12-24T08:00:60Z',
    '2026-12-24t08:00:00.1234567890Z',
    '2026-12-24T08:00:00+24:00',
  ],
  ...[
    '0000-01-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-1-01T00:00:00Z',
    '2026-12-24T08:00:00+0100',
    'tomorrow',
    '2100-02-29T00:00:00Z',
  ],
  ...[
    'https://shop.example/hook',
    'HTTPS://shop.example',
    'https://u:p@shop.example/',
    'https://shop.example/a@b',
    'ftp://shop.example/',
  ],
  ...[
    'https:shop.example',
    'https://',
    'https:///x',
    '//shop.example/',
    ' https://shop.example/',
    'https://bücher.example/?q=é#f',
    'https://a b/',
  ],
  ...[
    'evt_019aa5a17f007c319a5e3b1f6c2d8e40',
    'evt_019aa5a17f007c319a5e3b1f6c2d8e4',
    '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
    'WzEsMl0',
    'W==',
    'a.b',
  ],
  ...[
    'SGVsbG8=',
    'SGVsbG8',
    'SGVsb',
    'SGVs\r\nbG8=',
    'SGVs!',
    'SGVsbG8===',
    '<logo>',
    'lo go',
    'delivered',
    'bounce',
    'all',
    '1',
    '0',
    '101',
    '-1',
    '1.5',
  ],
]

/** One place in a text, changed; what stands at the edges of patterns is put there. */
const edges = [
  '',
  ' ',
  '\u0000',
  '\n',
  '\u007f',
  '\u009f',
  '\u00a0',
  '\u2029',
  '\u2066',
  '\udc00',
  '😀',
  '"',
  '\\',
  '<',
  '>',
  '@',
  '.',
  ',',
  ':',
  '-',
  '0',
  'Z',
  '%',
  '{',
]
const near = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(Math.max(0, text.length)), fc.constantFrom(...edges), fc.nat(1))
    .map(([index, edge, cut]) => {
      const points = [...text]
      return [...points.slice(0, index), edge, ...points.slice(index + cut)].join('')
    })
/** Code points, some of which are two units of UTF-16. */
const ofLength = (length: number): fc.Arbitrary<string> =>
  fc
    .constantFrom('a', '😀', 'é')
    .map((point) => (length < 0 ? '' : length > 500_000 ? '' : point.repeat(length)))

type Part = Record<string, unknown>

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null
const follow = (schema: unknown): Part => {
  const read =
    isPart(schema) && '$ref' in schema
      ? at(description, ...String(schema['$ref']).slice(2).split('/'))
      : schema
  return isPart(read) ? read : {}
}

/**
 * Values of a part: most of them about right, some at the edges of its bounds, some of another
 * kind.
 */
function valuesOf(described: unknown): fc.Arbitrary<unknown> {
  const schema = follow(described)
  const {
    type,
    minLength,
    maxLength,
    minItems,
    maxItems,
    minimum,
    maximum,
    anyOf,
    properties,
    items,
    additionalProperties,
  } = schema
  const odd = fc.constantFrom<unknown>(null, 3, true, [], {}, 'x')
  if (Array.isArray(schema['enum']))
    return fc.oneof({ arbitrary: fc.constantFrom(...schema['enum']), weight: 6 }, odd)
  if (Array.isArray(anyOf) && type === undefined) return fc.oneof(...anyOf.map(valuesOf))
  if (type === 'string') {
    const bounds = [minLength, maxLength].filter((bound) => typeof bound === 'number')
    const lengths = bounds.flatMap((bound) => [bound - 1, bound, bound + 1]).map(ofLength)
    const texts = fc.constantFrom(...turning)
    return fc.oneof(
      { arbitrary: texts, weight: 6 },
      { arbitrary: texts.chain(near), weight: 6 },
      ...lengths,
      odd,
    )
  }
  if (type === 'integer') {
    const bounds = [minimum, maximum].filter((bound) => typeof bound === 'number')
    return fc.oneof(
      fc.constantFrom(...bounds.flatMap((bound) => [bound - 1, bound, bound + 1]), 1, 1.5),
      odd,
    )
  }
  if (type === 'array') {
    const sizes = [minItems, maxItems].flatMap((bound) =>
      typeof bound === 'number' ? [bound - 1, bound, bound + 1] : [],
    )
    const size = fc.constantFrom(1, 2, ...sizes.filter((count) => count >= 0))
    return fc.oneof(
      {
        arbitrary: fc
          .tuple(valuesOf(items), size)
          .map(([value, count]) => Array.from({ length: count }, () => value)),
        weight: 6,
      },
      odd,
    )
  }
  if (type === 'object' && isPart(properties) && Object.keys(properties).length > 0)
    return fc.oneof(
      {
        arbitrary: fc.record(
          Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [name, valuesOf(inner)]),
          ),
          {
            requiredKeys: [],
          },
        ),
        weight: 6,
      },
      odd,
    )
  if (type === 'object')
    return fc.oneof(
      {
        arbitrary: fc
          .dictionary(
            fc.oneof(fc.constantFrom(...turning), fc.constantFrom('city', 'X-Order', 'a_1')),
            valuesOf(additionalProperties),
            {
              maxKeys: 3,
            },
          )
          .map((map) => withoutBadNulls(map, schema['propertyNames'])),
        weight: 6,
      },
      odd,
    )
  return odd
}

/**
 * Null means absent, so the service validates no name whose value is null. No schema can say that
 * of names and values together.
 */
function withoutBadNulls(map: Part, names: unknown): Part {
  const pattern = isPart(names) ? new RegExp(String(names['pattern']), 'u') : /^/
  return Object.fromEntries(
    Object.entries(map).filter(([name, value]) => value !== null || pattern.test(name)),
  )
}

/** A call that passes, with one part of it changed, taken out or added. */
function around(good: Part, schema: unknown): fc.Arbitrary<Part> {
  const { properties } = follow(schema)
  const parts = isPart(properties) ? Object.entries(properties) : []
  const changed = parts.map(([name, inner]) =>
    valuesOf(inner).map((value): Part => ({ ...good, [name]: value })),
  )
  const without = Object.keys(good).map((name) =>
    fc.constant(Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))),
  )
  const twice =
    changed.length < 2
      ? []
      : [
          fc
            .tuple(fc.oneof(...changed), fc.oneof(...changed))
            .map(([a, b]): Part => ({ ...a, ...b })),
        ]
  return fc.oneof(
    { arbitrary: fc.oneof(...changed), weight: 12 },
    ...without,
    ...twice,
    fc.constant({ ...good, stranger: '\u0000' }),
  )
}

const mail = { from: 'hello@shop.test', to: 'a@example.com', subject: 'Bonjour', text: 'Bonjour' }
const bodies: [OperationId, Part][] = [
  ['sendEmail', mail],
  ['updateEmail', { scheduled_at: '2026-12-24T08:00:00Z' }],
  ['addSubscriber', { email: 'ines@example.com', double_opt_in: false }],
  ['addSuppression', { email: 'gone@example.com' }],
  ['createCampaign', { name: 'News', subject: 'News', text: 'News' }],
  ['createWebhook', { url: 'https://shop.example/hook', events: ['email.sent'], enabled: false }],
  ['updateWebhook', {}],
  ['replayWebhookEvents', { from: '2026-11-21T08:00:00Z' }],
]

const check = (location: string, schema: unknown): ValidateFunction =>
  ajv.getSchema(location) ?? compileIn('open', schema)
const absent = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'

/**
 * The service's answer and the schema's are the same, or differ by a rule that no schema can say.
 */
function compare(sent: unknown, admits: boolean, answer: Answer): void {
  const verdict = verdictOf(answer, sent)
  if (verdict.admits === admits || (admits && verdict.beyond)) return
  assert.fail(
    `${JSON.stringify(sent)}: the schema ${admits ? 'admits' : 'refuses'} it, the service says ${verdict.rule}: ${JSON.stringify(answer.body).slice(0, 300)}`,
  )
}

for (const [id, good] of bodies) {
  const { method, path } = operations[id]
  const schema = at(
    description,
    'paths',
    path,
    method.toLowerCase(),
    'requestBody',
    'content',
    'application/json',
    'schema',
  )
  test(
    `${id}: bodies at the edge of each rule are admitted and refused alike`,
    { timeout: 120_000 },
    async () => {
      const validate = check(id, schema)
      const holder =
        id === 'updateEmail'
          ? await scheduled()
          : id.includes('Webhook') && id !== 'createWebhook'
            ? await webhook()
            : absent
      assert.ok(validate(good), JSON.stringify(validate.errors))
      await fc.assert(
        fc.asyncProperty(around(good, schema), async (body) => {
          const answer = await ask(api.baseUrl, `${method} ${path.replace('{id}', holder)}`, {
            key: shop.key,
            body,
          })
          if (answer.status === 201 && id === 'createWebhook') await api.run('delete from webhook')
          compare(body, validate(body), answer)
        }),
        { numRuns: 250 },
      )
    },
  )
}

for (const path of keysAt(description, 'paths'))
  for (const method of keysAt(description, 'paths', path)) {
    const where = ['paths', path, method, 'parameters']
    const named = keysAt(description, ...where).map((index) =>
      follow(at(description, ...where, index)),
    )
    for (const { name, schema, in: location } of named) {
      if (location !== 'query') continue
      test(`${method.toUpperCase()} ${path}?${String(name)}: values at the edge of each rule are admitted and refused alike`, async () => {
        const validate = compileIn('open', schema)
        const isNumber = follow(schema)['type'] === 'integer'
        const holder = path.includes('webhooks') ? await webhook() : absent
        const texts = valuesOf(schema)
          .filter((value) => typeof value === 'string' || typeof value === 'number')
          .map(String)
        await fc.assert(
          fc.asyncProperty(
            texts.filter((text) => text.isWellFormed()),
            async (text) => {
              const line = `${method.toUpperCase()} ${path.replace('{id}', holder)}?${String(name)}=${encodeURIComponent(text)}`
              const value = isNumber && /^-?\d+$/.test(text) ? Number(text) : text
              compare(
                { [String(name)]: value },
                validate(value),
                await ask(api.baseUrl, line, { key: shop.key }),
              )
            },
          ),
          { numRuns: 80 },
        )
      })
    }
  }

test('a colour of a block is admitted and refused alike', async () => {
  const validate = compileIn('open', at(description, 'components', 'schemas', 'CampaignRequest'))
  for (const color of [
    '#fff',
    '#A1b2C3',
    ' #123 ',
    '#12',
    '#1234',
    '#ggg',
    'red',
    '',
    null,
    '#123\n',
    '##123',
  ]) {
    const body = { name: 'n', subject: 's', content: [{ type: 'paragraph', text: 't', color }] }
    compare(
      body,
      validate(body),
      await ask(api.baseUrl, 'POST /api/v1/campaigns', { key: shop.key, body }),
    )
  }
})

test('every character of the Basic Multilingual Plane stands alike in a name, a local part and a subject', async () => {
  const from = compileIn(
    'open',
    at(description, 'components', 'schemas', 'EmailRequest', 'properties', 'from'),
  )
  const wrong: string[] = []
  for (let code = 0; code <= 0xffff; code++) {
    const sign = String.fromCharCode(code)
    for (const text of [
      `a${sign}b@example.com`,
      `N${sign}n <a@example.com>`,
      `"a${sign}b"@example.com`,
      `"a\\${sign}b" <a@example.com>`,
    ])
      if (from(text) !== !('rule' in parseMailbox(text))) wrong.push(JSON.stringify(text))
  }
  assert.deepEqual(wrong, [])
})

async function scheduled(): Promise<string> {
  const answer = await ask(api.baseUrl, 'POST /api/v1/emails', {
    key: shop.key,
    body: { ...mail, scheduled_at: '2026-12-24T08:00:00Z' },
  })
  return String(at(answer.body, 'id'))
}

async function webhook(): Promise<string> {
  await api.run('delete from webhook')
  const body = { url: 'https://shop.example/hook', events: ['email.sent'], enabled: false }
  return String(
    at((await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body })).body, 'id'),
  )
}
