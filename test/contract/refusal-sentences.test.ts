/**
 * A refusal's message is a whole sentence in both languages: the field, its rule, what was found,
 * what is allowed. SDKs show nothing else.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseMailbox } from '../../src/ground/address.ts'
import { ApiError, errorBody } from '../../src/contract/errors.ts'
import {
  exampleOf,
  plainSchema,
  type Json,
  type JsonSchema,
} from '../../src/contract/json-schema.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { validateShape } from '../../src/core/input/validate-shape.ts'
import { refuseMisleading } from '../../src/core/input/check-values.ts'
import { texts } from '../../src/ground/texts/texts.ts'

const languages = ['en', 'fr'] as const

/** No leftovers of the code that a reader would notice. */
function assertSentence(message: string, what: string): void {
  assert.match(message, /^(?:`[^`]+`|The body|Le corps|[A-Z])[^]*[.…]$/, what)
  assert.doesNotMatch(
    message,
    /undefined|\[object|NaN|\{\{(?!firstName|lastName|email|fields\.key|unsubscribe_url|view_url| '…' )/,
    what,
  )
  assert.doesNotMatch(
    message,
    /incomplete or malformed|incomplète ou mal formée|breaks the rule|ne respecte pas la règle/,
    what,
  )
}

/**
 * Values that break a schema, with the rule that each breaks and the words that the sentence has to
 * name beside the field.
 */
function* wrongs(schema: JsonSchema): Generator<[rule: string, value: Json, named: string[]]> {
  const {
    type,
    anyOf,
    minLength,
    maxLength,
    minItems,
    maxItems,
    maxProperties,
    minimum,
    maximum,
    enum: words,
  } = schema
  const example = exampleOf(schema)
  // A closed set lists its values, for any type of the given one.
  const isClosed = words !== undefined || schema.const !== undefined
  if (type === 'string' && !isClosed) yield ['type', 7, ['a whole number was given']]
  if ((type === 'integer' || type === 'number' || type === 'boolean') && !isClosed)
    yield ['type', 'many', ['a text was given']]
  if (type === 'array') yield ['type', 7, ['a list', 'a whole number was given']]
  if (type === 'object') yield ['type', 7, ['an object', 'a whole number was given']]
  if (words)
    yield ['enum', 'nonsense', [...words.map((word) => `\`${word}\``), '`"nonsense"` was given']]
  if (type === 'string' && minLength)
    yield ['minLength', '', minLength === 1 ? ['is empty'] : [String(minLength), '(given: 0)']]
  if (maxLength !== undefined && maxLength < 10_000)
    yield [
      'maxLength',
      'x'.repeat(maxLength + 1),
      [maxLength, maxLength + 1].map((number) => number.toLocaleString('en')),
    ]
  if (minItems)
    yield ['minItems', [], minItems === 1 ? ['is empty'] : [String(minItems), '(given: 0)']]
  if (maxItems !== undefined && Array.isArray(example))
    yield [
      'maxItems',
      Array.from({ length: maxItems + 1 }, () => example[0] ?? ''),
      [String(maxItems), String(maxItems + 1)],
    ]
  if (maxProperties !== undefined) {
    const [value = '']: Json[] = Object.values(Object(example))
    const many = Object.fromEntries(
      Array.from({ length: maxProperties + 1 }, (_, index) => [`key${index}`, value]),
    )
    yield ['maxProperties', many, [String(maxProperties), `(given: ${maxProperties + 1})`]]
  }
  if (minimum !== undefined) yield ['minimum', minimum - 1, [String(minimum), `\`${minimum - 1}\``]]
  if (maximum !== undefined)
    yield ['maximum', maximum + 1, [maximum.toLocaleString('en'), `\`${maximum + 1}\``]]
  for (const branch of anyOf ?? []) if (branch.type !== 'null') yield* wrongs(branch)
}

/** How often a value was refused by the very rule that it was to break. */
const observed = new Map<string, number>()

for (const id of operationIds) {
  const operation: Operation = operations[id]
  test(`${id}: each kind of refusal of its schema is a whole sentence`, () => {
    for (const part of ['params', 'query', 'headers', 'body'] as const) {
      const schema = operation[part] && plainSchema(operation[part])
      for (const [name, property] of Object.entries(schema?.properties ?? {})) {
        // A verb checks what the schema only describes: its own test has the refusals.
        if ('x-described' in Object(Object(operation[part]).properties?.[name])) continue
        if (schema?.required?.includes(name) && part !== 'params')
          assertRefusal(
            id,
            part,
            { name, value: undefined },
            { rule: 'required', named: ['required'] },
          )
        for (const [rule, value, named] of wrongs(property)) {
          // A query is text: nothing else comes there.
          if (
            part === 'query' &&
            typeof value !== 'string' &&
            !['minimum', 'maximum'].includes(rule)
          )
            continue
          assertRefusal(id, part, { name, value }, { rule, named })
        }
      }
    }
  })
}

test('each kind of rule was broken, and refused by that rule', () => {
  const least = {
    ...{ type: 200, required: 60, enum: 25, minLength: 30, maxLength: 100 },
    ...{ minItems: 5, maxItems: 15, maxProperties: 1, minimum: 15, maximum: 12 },
  }
  for (const [rule, count] of Object.entries(least))
    assert.ok((observed.get(rule) ?? 0) >= count, `${rule}: ${observed.get(rule) ?? 0} refusals`)
})

/** Holds the operation's example with one wrong member, and looks at what is said. */
function assertRefusal(
  id: (typeof operationIds)[number],
  part: 'params' | 'query' | 'headers' | 'body',
  { name, value }: { name: string; value: Json | undefined },
  { rule, named }: { rule: string; named: string[] },
): void {
  const operation: Operation = operations[id]
  const example = (schema: Parameters<typeof plainSchema>[0]): object =>
    Object(exampleOf(plainSchema(schema)))
  const { [name]: _, ...others } = Object(operation[part] && example(operation[part]))
  const details = {
    params: example(operation.params),
    query: {},
    headers: {},
    body: operation.body && example(operation.body),
  }
  const raw = { ...details, [part]: { ...others, ...(value !== undefined && { [name]: value }) } }
  const refused = refusalOf(() => validateShape(id, Object(raw)))
  const what = `${id} ${part}.${name} = ${JSON.stringify(value)?.slice(0, 60)}`
  assert.ok(refused, `${what} was taken`)
  if (refused.details['rule'] === rule) observed.set(rule, (observed.get(rule) ?? 0) + 1)
  for (const language of languages)
    assertSentence(errorBody(refused.code, refused.details, language).message, what)
  const english = errorBody(refused.code, refused.details, 'en').message
  if (!String(refused.details['path']).startsWith(name)) return
  for (const text of named) assert.ok(english.includes(text), `${what}: no ${text} in: ${english}`)
}

function refusalOf(work: () => unknown): ApiError | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

const root = join(import.meta.dirname, '../../src')
const sources = globSync('**/*.ts', { cwd: root }).map((file) =>
  readFileSync(join(root, file), 'utf8'),
)

test('every rule that the source names has a sentence in both languages', () => {
  // The page of an import shows why it failed.
  const elsewhere = new Set(['internal', 'refused', 'status_words'])
  const literal = sources.flatMap((source) =>
    [...source.matchAll(/\brule: '([\w.-]+)'/g)].map(([, rule = '']) => rule),
  )
  const typed = sources.flatMap((source) =>
    [
      ...source.matchAll(
        /export type (?:LinkAddress|Address|Domain|Html)Rule =\n((?:\s+(?:\/\*\*.*\*\/|\| .*)\n)+)/g,
      ),
    ].flatMap(([, body = '']) =>
      [...body.matchAll(/^\s+\| '(\w+)'/gm)].map(([, rule = '']) => rule),
    ),
  )
  assert.ok(literal.length > 80 && typed.length > 25)
  for (const rule of new Set([...literal, ...typed])) {
    if (elsewhere.has(rule)) continue
    for (const language of languages) {
      const known: Record<string, string> = texts[language].rules
      assert.ok(
        Object.hasOwn(known, rule.replace(/^address\./, '')),
        `${rule} has no sentence in ${language}`,
      )
      const details = {
        path: 'field',
        rule,
        limit: 7,
        allowed: ['a', 'b'],
        expected: 'string',
        found: 9,
        value: '{{x}}',
      }
      assertSentence(
        errorBody('validation_error', details, language).message.replaceAll('{{x}}', 'x'),
        rule,
      )
    }
  }
})

test('every reason of a campaign’s refusal has its own sentence, with the numbers', () => {
  const reported = (reason: string, more: object, language: 'en' | 'fr'): string =>
    errorBody('validation_error', { reason, ...more }, language).message
  for (const language of languages) {
    for (const reason of ['no_recipients', 'no_sender', 'reputation_blocked'])
      assertSentence(reported(reason, {}, language), reason)
    assert.match(
      reported('recipients_differ', { confirmed: 3, recipients: 2 }, language),
      /\b3\b.*\b2\b/,
    )
    assert.match(
      reported('quota_exceeded', { needed: 1_200, remaining: 10 }, language),
      /1.?200.*\b10\b/,
    )
  }
  assert.match(reported('no_recipients', {}, 'en'), /at least one subscriber/)
})

test('one is written as one; a kind agrees with its sentence; field names are quoted one way', () => {
  const output = (details: object, language: 'en' | 'fr') =>
    errorBody('validation_error', { path: 'x', ...details }, language).message
  assert.equal(
    output({ rule: 'maxItems', limit: 1, found: 2 }, 'en'),
    '`x` takes at most one entry (given: 2).',
  )
  assert.equal(
    output({ rule: 'maxLength', limit: 1, found: 2 }, 'fr'),
    '`x` accepte au plus un caractère (donné\u00a0: 2).',
  )
  assert.equal(
    output({ rule: 'type', expected: 'string', found: 'array' }, 'fr'),
    '`x` doit être un texte\u00a0; reçu\u00a0: une liste.',
  )
  for (const language of languages) {
    const { errors, cases, rules, hints, ruleWords } = texts[language]
    assert.doesNotMatch(JSON.stringify(texts[language]), /’/, 'one apostrophe')
    for (const text of Object.values({
      ...errors,
      ...rules,
      ...hints,
      ...ruleWords,
      ...Object.assign({}, ...Object.values(cases)),
    }))
      assert.doesNotMatch(
        String(text),
        /[«»"]|(?<!`)\b(?:html|bcc|template|topic_id|content_id)\b(?!`)/,
        String(text),
      )
  }
})

test('U+202E and its kin are one rule in names and files, with its code and its name', () => {
  const kin = [
    '\u202a',
    '\u202b',
    '\u202c',
    '\u202d',
    '\u202e',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
  ]
  for (const language of languages) {
    const messages = kin.map((character) => {
      const address = parseMailbox(`Jean${character} <a@b.fr>`)
      assert.ok('rule' in address)
      const ofName = { ...address, path: 'from', rule: `address.${address.rule}` }
      const ofFile =
        refusalOf(() => refuseMisleading(`cv${character}fdp.exe`, 'from'))?.details ?? {}
      const message = errorBody('validation_error', ofFile, language).message
      assert.equal(errorBody('validation_error', ofName, language).message, message)
      assert.ok(
        message.includes(`U+${character.charCodeAt(0).toString(16).toUpperCase()} (`),
        message,
      )
      assertSentence(message, message)
      return message
    })
    assert.equal(new Set(messages).size, kin.length)
  }
  const english = errorBody(
    'validation_error',
    { path: 'from', rule: 'address.misleading_character', found: 'U+202E' },
    'en',
  ).message
  assert.equal(
    english,
    '`from` holds U+202E (right-to-left override), which changes the direction of text: leave it out.',
  )
})

test('the sentences of a merge tag and of a field’s key name the allowed forms; no refusal holds a given secret', () => {
  const output = (details: object) => errorBody('validation_error', { ...details }, 'en').message
  assert.match(
    output({ path: 'subject', rule: 'merge_tag', value: '{{name}}' }),
    /^`subject` holds `\{\{name\}\}`.*\{\{firstName\}\}.*\{\{fields\.key\}\}/,
  )
  assert.match(
    output({ path: 'fields.City', rule: 'field_key' }),
    /^`fields\.City` .*small letter.*59/,
  )
  const body = { password: 'hunter2' }
  const refused = refusalOf(() =>
    validateShape('resetPassword', { params: { token: 'x' }, query: {}, headers: {}, body }),
  )
  assert.equal(refused?.details['rule'], 'minLength')
  assert.doesNotMatch(JSON.stringify(refused?.details), /hunter2/)
})
