/**
 * `POST /emails` at the public API: every field, rule and limit of the specification, and the order
 * of their checks.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { startApi } from '../support/api.ts'

const api = await startApi()
const shop = await api.workspace('shop')
await shop.addDomain('xn--bcher-kva.test')

const mail = {
  from: 'hello@shop.test',
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
}
const send = (body: unknown, headers: Record<string, string> = {}, key = shop.key) =>
  ask(api.baseUrl, 'POST /api/v1/emails', { key, body, headers })
const read = (id: string, key = shop.key) => ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key })

/**
 * Outside the basic plane: two UTF-16 units, one code point, so a limit counted in units is found
 * out.
 */
const wide = (length: number): string => '😀'.repeat(length)
/** An address with its name, of exactly this many code points. */
const named = (length: number, address = 'hello@shop.test'): string =>
  `${wide(length - address.length - 3)} <${address}>`

test('202: the answer is an Email, and nothing else', async () => {
  const answer = await send(mail)
  assertAnswered(answer, 202, { object: 'email', to: ['camille@example.com'], subject: 'Bonjour' })
  assert.deepEqual(Object.keys(Object(answer.body)).toSorted(), [
    'created_at',
    'from',
    'id',
    'object',
    'subject',
    'to',
  ])
  assert.match(textAt(answer, 'from'), /hello@shop\.test/)
  assert.match(textAt(answer, 'created_at'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('202: to is answered as a list, whether one address or several were given', async () => {
  assertAnswered(await send({ ...mail, to: 'a@example.com' }), 202, { to: ['a@example.com'] })
  assertAnswered(await send({ ...mail, to: ['a@example.com', 'b@example.com'] }), 202, {
    to: ['a@example.com', 'b@example.com'],
  })
})

const accepted: [situation: string, body: object][] = [
  ['from with a name', { from: 'Boutique <hello@shop.test>' }],
  ['from of 320 code points', { from: named(320) }],
  ['from on the verified domain in capitals', { from: 'hello@SHOP.TEST' }],
  ['from on the verified internationalised domain', { from: 'hello@bücher.test' }],
  ['to entry of 320 code points', { to: named(320, 'camille@example.com') }],
  ['50 recipients', { to: Array.from({ length: 50 }, (_, n) => `r${n}@example.com`) }],
  [
    '50 recipients over to, cc and bcc',
    {
      to: Array.from({ length: 20 }, (_, n) => `t${n}@example.com`),
      cc: Array.from({ length: 20 }, (_, n) => `c${n}@example.com`),
      bcc: Array.from({ length: 10 }, (_, n) => `b${n}@example.com`),
    },
  ],
  ['one cc and one bcc as text', { cc: 'c@example.com', bcc: 'B <b@example.com>' }],
  ['empty cc and bcc', { cc: [], bcc: [] }],
  ['a subject of one character', { subject: 'é' }],
  ['a subject of 998 code points', { subject: wide(998) }],
  ['html alone', { text: undefined, html: '<p>Bonjour</p>' }],
  ['html and an empty text', { text: '', html: '<p>Bonjour</p>' }],
  ['html of 400,000 code points', { html: wide(400_000) }],
  ['text of 400,000 code points', { text: wide(400_000) }],
  [
    'null for fields that are absent',
    {
      html: null,
      cc: null,
      bcc: null,
      replyTo: null,
      headers: null,
      tags: null,
      attachments: null,
      scheduled_at: null,
    },
  ],
  ['replyTo as text', { replyTo: 'answers@example.com' }],
  ['10 entries in replyTo', { replyTo: Array.from({ length: 10 }, (_, n) => `r${n}@example.com`) }],
  ['reply_to, the alias', { reply_to: ['A <a@example.com>', 'b@example.com'] }],
  [
    'replyTo and reply_to that say the same',
    { replyTo: 'a@example.com', reply_to: ['a@example.com'] },
  ],
  ['free headers', { headers: { 'X-Order': '1042', 'X-Campaign': 'spring' } }],
  [
    'headers of identity, which are ignored',
    {
      headers: {
        From: 'x@evil.test',
        Bcc: 'x@evil.test',
        'List-Unsubscribe': '<https://x.test>',
        'Reply-To': 'x@y.test',
      },
    },
  ],
  ['no headers at all', { headers: {} }],
  [
    'tags as an object of more than 10',
    { tags: Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`t${n}`, 'x'])) },
  ],
  [
    'tags as a list of 10',
    { tags: Array.from({ length: 10 }, (_, n) => ({ name: `t${n}`, value: 'x' })) },
  ],
  ['no tags at all', { tags: [] }],
  ['unknown keys', { colour: 'blue', audience: 'x', nested: { deep: [1, 2, 3] } }],
  ['a key named __proto__', JSON.parse('{"__proto__":{"subject":"not this"}}')],
  ['a key named constructor', { constructor: { prototype: { subject: 'not this' } } }],
  [
    'an attachment in base64',
    { attachments: [{ filename: 'a.txt', content: Buffer.from('bonjour').toString('base64') }] },
  ],
  [
    'an attachment as Node.js writes a Buffer',
    { attachments: [{ filename: 'a.txt', content: Buffer.from('bonjour') }] },
  ],
  [
    'an inline attachment',
    {
      attachments: [
        { filename: 'a.png', content: 'AAAA', content_type: 'image/png', content_id: 'logo' },
      ],
    },
  ],
]
for (const [situation, body] of accepted) {
  test(`202: ${situation}`, async () => {
    const answer = await send({ ...mail, ...body })
    assertAnswered(answer, 202, { object: 'email' })
    assert.ok(textAt(answer, 'subject') !== 'not this')
  })
}

const without = (name: keyof typeof mail) =>
  Object.fromEntries(Object.entries(mail).filter(([key]) => key !== name))
const with50 = Array.from({ length: 50 }, (_, n) => `r${n}@example.com`)

const ruleOf = (character: string, prefix = ''): object =>
  /[\u202a-\u202e\u2066-\u2069]/.test(character)
    ? {
        rule: `${prefix}misleading_character`,
        found: `U+${character.charCodeAt(0).toString(16).toUpperCase()}`,
      }
    : { rule: `${prefix}control_character` }

/** Files of `test/cases`, and the field of the mail that left. */
const idCases = {
  'two-spaces': 'References: <a1@example.org> <b2@example.org>',
  tab: 'References: <a1@example.org> <b2@example.org>',
  leading: 'References: <a1@example.org>',
  trailing: 'In-Reply-To: <a1@example.org>',
  question: 'In-Reply-To: <abc=?def@example.org>',
}
for (const [name, field] of Object.entries(idCases)) {
  test(`202: message ids stay as they are, ${name}`, async () => {
    const file = join(import.meta.dirname, `../cases/ids-encoded--${name}.json`)
    const answer = await send({ ...JSON.parse(readFileSync(file, 'utf8')), from: mail.from })
    const [raw] = await shop.capturedMails(textAt(answer, 'id'), 1)
    assert.ok(raw?.includes(`\r\n${field}\r\n`), String(raw))
  })
}

const refused: [situation: string, body: unknown, details: object][] = [
  ['no from', without('from'), { path: 'from', rule: 'required' }],
  ['no to', without('to'), { path: 'to', rule: 'required' }],
  ['no subject', without('subject'), { path: 'subject', rule: 'required' }],
  ['neither html nor text', without('text'), { rule: 'html_or_text' }],
  ['empty html and empty text', { ...mail, html: '', text: '' }, { rule: 'html_or_text' }],
  ['null html and null text', { ...mail, html: null, text: null }, { rule: 'html_or_text' }],
  ['a template', { ...mail, template: { id: 'x' } }, { path: 'template', rule: 'not_supported' }],
  [
    'a template instead of a text',
    { ...without('text'), template: { id: 'x' } },
    { path: 'template', rule: 'not_supported' },
  ],
  [
    'a template instead of a subject',
    { ...without('subject'), template: {} },
    { path: 'template', rule: 'not_supported' },
  ],
  ['a topic', { ...mail, topic_id: 'b6d24b8e' }, { path: 'topic_id', rule: 'not_supported' }],
  [
    'a React element that nobody rendered',
    { ...mail, react: { type: 'p' } },
    { path: 'react', rule: 'not_supported' },
  ],
  ...[
    'http://example.com/a.pdf',
    'ftp://example.com/a.pdf',
    'file:///etc/passwd',
    'data:text/plain,a',
    'https://user@example.com/a.pdf',
    'https://user:secret@example.com/a.pdf',
    'https://:secret@example.com/a.pdf',
    'https://',
    '//example.com/a.pdf',
    '/tmp/a.pdf',
  ].map((path): [string, object, object] => [
    `a file at ${path}`,
    { ...mail, attachments: [{ filename: 'a', content: 'AA==' }, { path }] },
    { path: 'attachments.1.path', rule: 'https_url' },
  ]),
  [
    'a file with its content and its address',
    { ...mail, attachments: [{ content: 'AA==', path: 'https://example.com/a.pdf' }] },
    { path: 'attachments.0.path', rule: 'content_and_path' },
  ],
  [
    'an address of 4,097 characters',
    { ...mail, attachments: [{ path: `https://example.com/${'a'.repeat(4_077)}` }] },
    { path: 'attachments.0.path', rule: 'maxLength', limit: 4_096 },
  ],
  [
    'eleven files by their addresses',
    {
      ...mail,
      attachments: Array.from({ length: 11 }, (_, n) => ({ path: `https://example.com/${n}` })),
    },
    { path: 'attachments', rule: 'fetched_files', limit: 10 },
  ],
  [
    'the former name of content_id',
    { ...mail, attachments: [{ content: 'AA==', inline_content_id: 'logo' }] },
    { path: 'attachments.0.inline_content_id', rule: 'not_supported' },
  ],
  ...['a b', 'a\u00e9', '<a><b>', '<>', 'a"b', '<a', 'a>', 'a\r\nb', 'a\u0007'].map(
    (content_id): [string, object, object] => [
      `content_id ${JSON.stringify(content_id)}`,
      { ...mail, attachments: [{ filename: 'a.png', content: 'AA==', content_id }] },
      { path: 'attachments.0.content_id', rule: 'content_id' },
    ],
  ),
  ...['\u202e', '\u202a', '\u2066', '\u2069', '\u2028', '\u0085', '\n'].map(
    (character): [string, object, object] => [
      `${JSON.stringify(character)} in the name of a file`,
      { ...mail, attachments: [{ filename: `cv${character}fdp.exe`, content: 'AA==' }] },
      { path: 'attachments.0.filename', ...ruleOf(character) },
    ],
  ),
  ...['\u202e', '\u202a', '\u2066', '\u2069', '\u2028', '\u0085'].map(
    (character): [string, object, object] => [
      `${JSON.stringify(character)} in a display name`,
      { ...mail, from: `Jean${character} <${mail.from}>` },
      { path: 'from', at: 4, ...ruleOf(character, 'address.') },
    ],
  ),
  [
    'a byte that is none',
    { ...mail, attachments: [{ content: [1, 256] }] },
    { path: 'attachments.0.content.1', rule: 'maximum' },
  ],
  [
    'a byte that is a text',
    { ...mail, attachments: [{ content: [1, '2'] }] },
    { path: 'attachments.0.content.1', rule: 'type' },
  ],
  ['from that is a number', { ...mail, from: 3 }, { path: 'from', rule: 'type' }],
  [
    'from of two characters',
    { ...mail, from: 'a@' },
    { path: 'from', rule: 'minLength', limit: 3 },
  ],
  [
    'from of 321 code points',
    { ...mail, from: named(321) },
    { path: 'from', rule: 'maxLength', limit: 320 },
  ],
  [
    'from without an @',
    { ...mail, from: 'hello' },
    { path: 'from', rule: 'address.missing_at', at: 5 },
  ],
  ['two addresses in from', { ...mail, from: 'hello@shop.test, x@shop.test' }, { path: 'from' }],
  ['to that is a number', { ...mail, to: 3 }, { path: 'to' }],
  ['to that is null', { ...mail, to: null }, { path: 'to' }],
  ['to that is empty', { ...mail, to: '' }, { path: 'to', rule: 'minLength', limit: 3 }],
  ['to without an entry', { ...mail, to: [] }, { path: 'to', rule: 'minItems', limit: 1 }],
  [
    '51 entries in to',
    { ...mail, to: [...with50, 'x@example.com'] },
    { path: 'to', rule: 'maxItems', limit: 50 },
  ],
  [
    '51 recipients over to, cc and bcc',
    { ...mail, to: with50, bcc: 'x@example.com' },
    { rule: 'recipients', limit: 50 },
  ],
  [
    'an entry of to that is a number',
    { ...mail, to: ['a@example.com', 3] },
    { path: 'to.1', rule: 'type' },
  ],
  [
    'an entry of to of 321 code points',
    { ...mail, to: [named(321, 'a@example.com')] },
    { path: 'to.0', rule: 'maxLength', limit: 320 },
  ],
  [
    'an entry of to that is no address',
    { ...mail, to: ['a@example.com', 'b@example..com'] },
    { path: 'to.1', rule: 'address.domain_label' },
  ],
  [
    'two addresses in one entry',
    { ...mail, to: 'a@example.com, b@example.com' },
    { path: 'to', rule: 'address.more_than_one_address' },
  ],
  [
    'a line feed in an address',
    { ...mail, to: 'a@example.com\r\nRCPT TO:<b@example.com>' },
    { path: 'to', rule: 'address.control_character' },
  ],
  ['a group', { ...mail, to: 'All: a@example.com;' }, { path: 'to', rule: 'address.group' }],
  [
    'an address without a domain',
    { ...mail, cc: 'root@localhost' },
    { path: 'cc', rule: 'address.domain_without_dot' },
  ],
  [
    'an entry of bcc that is no address',
    { ...mail, bcc: ['nobody'] },
    { path: 'bcc.0', rule: 'address.missing_at' },
  ],
  ['an empty subject', { ...mail, subject: '' }, { path: 'subject', rule: 'minLength', limit: 1 }],
  [
    'a subject of 999 code points',
    { ...mail, subject: wide(999) },
    { path: 'subject', rule: 'maxLength', limit: 998 },
  ],
  [
    'a subject with a line feed',
    { ...mail, subject: 'a\nBcc: x@evil.test' },
    { path: 'subject', rule: 'control_character' },
  ],
  ['a subject that is a list', { ...mail, subject: ['a'] }, { path: 'subject', rule: 'type' }],
  [
    'html of 400,001 code points',
    { ...mail, html: wide(400_001) },
    { path: 'html', rule: 'maxLength', limit: 400_000 },
  ],
  [
    'text of 400,001 code points',
    { ...mail, text: wide(400_001) },
    { path: 'text', rule: 'maxLength', limit: 400_000 },
  ],
  [
    'replyTo without an entry',
    { ...mail, replyTo: [] },
    { path: 'replyTo', rule: 'minItems', limit: 1 },
  ],
  [
    '11 entries in replyTo',
    { ...mail, replyTo: with50.slice(0, 11) },
    { path: 'replyTo', rule: 'maxItems', limit: 10 },
  ],
  [
    '11 entries in reply_to',
    { ...mail, reply_to: with50.slice(0, 11) },
    { path: 'reply_to', rule: 'maxItems', limit: 10 },
  ],
  [
    'reply_to that is no address',
    { ...mail, reply_to: 'nobody' },
    { path: 'reply_to', rule: 'address.missing_at' },
  ],
  [
    'replyTo and reply_to that differ',
    { ...mail, replyTo: 'a@example.com', reply_to: 'b@example.com' },
    { path: 'reply_to', rule: 'alias_differs' },
  ],
  ['headers that are a list', { ...mail, headers: ['a'] }, { path: 'headers' }],
  [
    'a header that is a number',
    { ...mail, headers: { 'X-A': 3 } },
    { path: 'headers.X-A', rule: 'type' },
  ],
  ['a header name with a line feed', { ...mail, headers: { 'X-A\nBcc': 'x' } }, {}],
  ['a header name with a colon', { ...mail, headers: { 'X:A': 'x' } }, {}],
  ['a header name of 77 characters', { ...mail, headers: { ['X'.repeat(77)]: 'x' } }, {}],
  [
    'a header with a line feed',
    { ...mail, headers: { 'X-A': 'x\r\nBcc: y@evil.test' } },
    { path: 'headers.X-A' },
  ],
  [
    '11 tags in a list',
    { ...mail, tags: Array.from({ length: 11 }, () => ({ name: 'a', value: 'b' })) },
    { path: 'tags', rule: 'maxItems', limit: 10 },
  ],
  [
    'an empty scheduled_at',
    { ...mail, scheduled_at: '' },
    { path: 'scheduled_at', rule: 'date-time' },
  ],
  [
    'a NUL in a header named as the tags are',
    { ...mail, headers: { tags: 'x\0' } },
    { path: 'headers.tags', rule: 'control_character' },
  ],
  ['a tag that is a number', { ...mail, tags: { order: 3 } }, { path: 'tags.order' }],
  [
    'a tag without a value',
    { ...mail, tags: [{ name: 'order' }] },
    { path: 'tags.0.value', rule: 'required' },
  ],
  [
    '101 attachments',
    { ...mail, attachments: Array.from({ length: 101 }, () => ({ content: 'AA==' })) },
    { path: 'attachments', rule: 'maxItems', limit: 100 },
  ],
  ['attachments that are no list', { ...mail, attachments: {} }, { path: 'attachments' }],
  [
    'an attachment without content',
    { ...mail, attachments: [{ filename: 'a.txt' }] },
    { path: 'attachments.0.content', rule: 'required' },
  ],
  [
    'an attachment that is not base64',
    { ...mail, attachments: [{ content: '***' }] },
    { path: 'attachments.0.content', rule: 'base64' },
  ],
  [
    'a file name with a line feed',
    { ...mail, attachments: [{ filename: 'a\nb', content: 'AAAA' }] },
    { path: 'attachments.0.filename' },
  ],
  [
    'scheduled_at in words that are not understood',
    { ...mail, scheduled_at: 'next week' },
    { path: 'scheduled_at', rule: 'date-time' },
  ],
  [
    'scheduled_at without a zone',
    { ...mail, scheduled_at: '2027-01-01T00:00:00' },
    { path: 'scheduled_at', rule: 'date-time' },
  ],
  [
    'scheduled_at on a day that does not exist',
    { ...mail, scheduled_at: '2027-02-30T00:00:00Z' },
    { path: 'scheduled_at', rule: 'date-time' },
  ],
  [
    'scheduled_at more than a year ahead',
    { ...mail, scheduled_at: '2099-01-01T00:00:00Z' },
    { path: 'scheduled_at', rule: 'too_far' },
  ],
  [
    'scheduled_at in the year 0, which PostgreSQL has not',
    { ...mail, scheduled_at: '0000-06-01T00:00:00Z' },
    { path: 'scheduled_at', rule: 'date-time' },
  ],
  [
    'scheduled_at beyond the year 9999 in UTC',
    { ...mail, scheduled_at: '9999-12-31T23:59:59-01:00' },
    { path: 'scheduled_at', rule: 'date-time' },
  ],
  [
    'scheduled_at long past',
    { ...mail, scheduled_at: '2020-01-01T00:00:00Z' },
    { path: 'scheduled_at', rule: 'in_the_past' },
  ],
  ['U+0000 in a text', { ...mail, text: 'a\0b' }, { path: 'text', rule: 'control_character' }],
  ['half a character in a text', { ...mail, text: 'a\ud83d' }, { path: 'text', rule: 'unicode' }],
  [
    'half a character in the name of a header',
    { ...mail, headers: { 'X-\udc00': 'a' } },
    { rule: 'unicode' },
  ],
  ['a body that is a list', [mail], { path: '', rule: 'type' }],
  ['a body that is a text', 'hello', { path: '', rule: 'type' }],
  ['a body that is null', null, { path: '', rule: 'type' }],
]
for (const [situation, body, details] of refused) {
  test(`422 validation_error: ${situation}`, async () => {
    assertRefused(await send(body), 'validation_error', details)
  })
}

test('422 validation_error: the refusal lists every problem of the shape, and leads with one path and rule', async () => {
  const answer = await send({ ...mail, to: [3], subject: '' })
  assertRefused(answer, 'validation_error', { path: 'to.0', rule: 'type' })
  assert.match(JSON.stringify(answer.body), /"path":"subject"/)
})

test('422 validation_error: attachments of more than 20 MB in all, and 202 at exactly 20 MB', async () => {
  const half = Buffer.alloc(10 * 1024 * 1024).toString('base64')
  const attachments = [
    { filename: 'a', content: half },
    { filename: 'b', content: half },
  ]
  assertAnswered(await send({ ...mail, attachments }), 202)
  const more = [...attachments, { filename: 'c', content: 'AA==' }]
  assertRefused(await send({ ...mail, attachments: more }), 'validation_error', {
    path: 'attachments',
    limit: 20 * 1024 * 1024,
  })
})

test('422 validation_error: nested deeper than 20 where something is known', async () => {
  const nested = (levels: number): unknown => (levels === 0 ? 'end' : { in: nested(levels - 1) })
  assertRefused(await send({ ...mail, headers: nested(20) }), 'validation_error', {
    rule: 'depth',
    limit: 20,
  })
})

test('202: unknown keys are ignored with any value, at the top, in a batch, in a file and in a tag', async () => {
  const deep = (levels: number): string => '{"in":['.repeat(levels) + ']}'.repeat(levels)
  const withheld = [
    ...[
      deep(10),
      deep(5_000),
      '"a\\u0000b"',
      '"\\ud800"',
      '{"\\udc00":"\\u0000"}',
      'null',
      '1e400',
      '-0',
      'true',
      '""',
      '{}',
      '[]',
    ],
    ...[
      `"${'x'.repeat(5_000_000)}"`,
      `[${'1,'.repeat(300_000)}1]`,
      '{"type":"Buffer","data":[1,2,"x"]}',
      '{"length":1e9}',
    ],
  ]
  const names = [
    'x',
    'cC',
    '__proto__',
    'constructor',
    'toString',
    'templates',
    'Template',
    'a\\u0000',
    '\\ud800',
    '',
    'path',
  ]
  const start = JSON.stringify(mail).slice(0, -1)
  for (const [index, value] of [...withheld, ...names.map(() => '[{}]')].entries()) {
    const name = index < withheld.length ? 'x' : (names[index - withheld.length] ?? '')
    const extra = `"${name}":${value}`
    const nested = `${start},"attachments":[{"content":"AA==",${name === 'path' ? '"x":1' : extra}}],"tags":[{"name":"a","value":"b",${extra}}]}`
    for (const [raw, path] of [
      [`${start},${extra}}`, ''],
      [`[${start},${extra}}]`, '/batch'],
      [nested, ''],
    ]) {
      const answer = await ask(api.baseUrl, `POST /api/v1/emails${path}`, {
        key: shop.key,
        raw: raw ?? '',
      })
      assert.equal(
        answer.status,
        202,
        `${extra.slice(0, 60)} ${path}: ${JSON.stringify(answer.body).slice(0, 300)}`,
      )
    }
  }
})

const mailWithHtml = {
  from: mail.from,
  to: mail.to,
  subject: mail.subject,
  html: '<p>Votre <a href="https://example.com/a">colis</a></p>',
}
const typesIn = (raw: Buffer | undefined): string[] =>
  [...(raw?.toString() ?? '').matchAll(/^Content-Type: ([\w/]+)/gm)].map(([, type = '']) => type)

test('202: html alone gets a text part made from it; an empty text leaves it off; the read shows what was given', async () => {
  for (const [text, types] of [
    [undefined, ['multipart/alternative', 'text/plain', 'text/html']],
    [null, ['multipart/alternative', 'text/plain', 'text/html']],
    ['', ['text/html']],
    ['Mine', ['multipart/alternative', 'text/plain', 'text/html']],
  ] as const) {
    const answer = await send({ ...mailWithHtml, ...(text !== undefined && { text }) })
    assertAnswered(answer, 202)
    const [raw] = await shop.capturedMails(textAt(answer, 'id'), 1)
    assert.deepEqual(typesIn(raw), types)
    if (types.length === 3)
      assert.ok(
        raw
          ?.toString()
          .includes(text ? `\r\n\r\n${text}` : '\r\n\r\nVotre colis (https://example.com/a)\r\n'),
      )
    assertAnswered(await read(textAt(answer, 'id')), 200, {
      html: mailWithHtml.html,
      text: text || null,
    })
  }
})

test('202: the text part of a tracked message has the links as they were written', async () => {
  const answer = await send({ ...mailWithHtml, track_clicks: true, track_opens: true })
  const [raw] = await shop.capturedMails(textAt(answer, 'id'), 1)
  const [, plain = '', page = ''] =
    raw?.toString().split(/^Content-Type: text\/(?:plain|html)/m) ?? []
  assert.ok(plain.includes('colis (https://example.com/a)') && !plain.includes('/c/'), plain)
  assert.ok(page.includes('/c/'), page)
})

test('409 idempotency_key_reused: html alone, and the same with its text part left off', async () => {
  const key = { 'idempotency-key': 'text-part' }
  const first = await send(mailWithHtml, key)
  assertAnswered(await send({ ...mailWithHtml, text: null }, key), 202, { id: textAt(first, 'id') })
  assertRefused(await send({ ...mailWithHtml, text: '' }, key), 'idempotency_key_reused')
})

test('202: foreign keys that hold nothing are absent', async () => {
  const attachments = [{ content: 'AA==', path: null, inline_content_id: '' }]
  assertAnswered(
    await send({ ...mail, template: null, topic_id: '', react: null, attachments }),
    202,
  )
})

test('202: the same content_id with and without its brackets, and the html shows the picture', async () => {
  for (const content_id of ['logo', '<logo>', '<logo.1@shop.test>']) {
    const html = '<img src="cid:logo">'
    const answer = await send({
      ...mail,
      html,
      attachments: [{ filename: 'a.png', content: [1, 2, 3], content_id }],
    })
    assertAnswered(answer, 202)
    const [raw] = await shop.capturedMails(textAt(answer, 'id'), 1)
    assert.ok(
      raw?.toString().includes(`\r\nContent-ID: <${content_id.replaceAll(/[<>]/g, '')}>\r\n`),
      content_id,
    )
  }
})

test('422: the refusal names only the errors of the form that the value has, not those of its other forms', async () => {
  for (const [body, errors] of [
    [
      { to: [...with50, 'x@example.com'] },
      [{ path: 'to', rule: 'maxItems', limit: 50, found: 51 }],
    ],
    [
      { html: wide(400_001) },
      [{ path: 'html', rule: 'maxLength', limit: 400_000, found: 400_001 }],
    ],
    [
      { replyTo: 3 },
      [{ path: 'replyTo', rule: 'type', expected: ['string', 'array'], found: 'integer' }],
    ],
    [
      { to: [], cc: [3], subject: '' },
      [
        { path: 'cc.0', rule: 'type', expected: ['string'], found: 'integer' },
        { path: 'to', rule: 'minItems', limit: 1, found: 0 },
        { path: 'subject', rule: 'minLength', limit: 1, found: 0 },
      ],
    ],
  ] as const) {
    const answer = await ask(api.baseUrl, 'POST /api/v1/emails', {
      key: shop.key,
      body: { ...mail, ...body },
    })
    const reported = at(answer.body, 'error', 'details', 'errors')
    assert.deepEqual(
      new Set(Array.isArray(reported) ? reported.map((item) => JSON.stringify(item)) : []),
      new Set(errors.map((error) => JSON.stringify(error))),
    )
  }
})

test('202: tags may hold what no other text may', async () => {
  const tags = { 'a\0': 'x\0y', b: '\ud800', c: 'ok' }
  const answer = await ask(api.baseUrl, 'POST /api/v1/emails', {
    key: shop.key,
    body: { ...mail, tags },
  })
  assertAnswered(answer, 202)
  const { body } = await ask(api.baseUrl, `GET /api/v1/emails/${textAt(answer, 'id')}`, {
    key: shop.key,
  })
  assert.deepEqual(at(body, 'tags'), { a_: 'x_y', b: '_', c: 'ok' })
})

test('202: tags come back rewritten, cut at 256, the last of equal names winning', async () => {
  const value = `${'v'.repeat(255)}é${'w'.repeat(50)}`
  const answer = await send({
    ...mail,
    tags: [
      { name: 'order id', value: 'n° 1042\n' },
      { name: 'long', value },
      { name: 'a b', value: 'first' },
      { name: 'a.b', value: 'last' },
      { name: 'face', value: '😀' },
    ],
  })
  const detail = await read(textAt(answer, 'id'))
  assertAnswered(detail, 200)
  const { tags } = Object(detail.body)
  assert.deepEqual(
    { ...tags },
    { order_id: 'n__1042_', long: `${'v'.repeat(255)}_`, a_b: 'last', face: '_' },
  )
})

test('202: a tag named __proto__ is plain data', async () => {
  const answer = await send(
    JSON.parse(
      `{"from":"hello@shop.test","to":"a@b.test","subject":"s","text":"t","tags":{"__proto__":"x","constructor":"y"}}`,
    ),
  )
  const detail = await read(textAt(answer, 'id'))
  assert.match(JSON.stringify(detail.body), /"__proto__":"x"/)
  assert.match(JSON.stringify(detail.body), /"constructor":"y"/)
})

test('422 unverified_from_domain: the domain is not one of the workspace; details name it and those that are', async () => {
  assertRefused(
    await send({ ...mail, from: 'Elsewhere <hello@elsewhere.test>' }),
    'unverified_from_domain',
    {
      verifiedDomains: ['shop.test', 'xn--bcher-kva.test'],
    },
  )
  const answer = await send({ ...mail, from: 'hello@elsewhere.test' })
  assertRefused(answer, 'unverified_from_domain', { from: 'hello@elsewhere.test' })
})

test('422 unverified_from_domain: a subdomain of a verified domain, a domain that waits for its proof, and one of another workspace', async () => {
  const other = await api.workspace('domain-owner')
  await shop.addDomain('pending.test', { verified: false })
  for (const from of ['a@mail.shop.test', 'a@pending.test', `a@${other.domain}`]) {
    assertRefused(await send({ ...mail, from }), 'unverified_from_domain')
  }
})

test('422 suppressed_recipient: the whole call fails and names address, reason and path', async () => {
  await shop.suppress('gone@example.com', 'bounce')
  const before = await shop.messages()
  for (const field of [
    { to: ['fine@example.com', 'Gone <GONE@Example.com>'] },
    { cc: 'gone@example.com' },
    { bcc: ['gone@example.com'] },
  ]) {
    assertRefused(await send({ ...mail, ...field }), 'suppressed_recipient', {
      recipients: [{ email: 'gone@example.com', reason: 'bounce', scope: 'organization' }],
      email: 'gone@example.com',
      reason: 'bounce',
    })
  }
  await api.suppressOnPlatform('nobodys@example.com')
  assertRefused(await send({ ...mail, to: 'Nobodys@example.com' }), 'suppressed_recipient', {
    recipients: [{ email: 'nobodys@example.com', reason: 'manual', scope: 'platform' }],
  })
  assert.equal(await shop.messages(), before)
})

test('202: an address suppressed in another workspace is not suppressed in this one', async () => {
  const other = await api.workspace('suppressor')
  await other.suppress('theirs@example.com', 'complaint')
  assertAnswered(await send({ ...mail, to: 'theirs@example.com' }), 202)
})

test('402 quota_exceeded: one recipient more than is left; the whole month can be used up', async () => {
  const small = await api.workspace('small', { monthlyQuota: 3 })
  const from = `hello@${small.domain}`
  assertRefused(
    await send({ ...mail, from, to: with50.slice(0, 4) }, {}, small.key),
    'quota_exceeded',
  )
  assertAnswered(
    await send({ ...mail, from, cc: 'c@example.com', bcc: 'b@example.com' }, {}, small.key),
    202,
  )
  assertRefused(await send({ ...mail, from }, {}, small.key), 'quota_exceeded')
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: small.key }), 200, {
    quota: { limit: 3, used: 3, remaining: 0 },
    remaining: 0,
  })
})

test('403 reputation_blocked: too many bounces', async () => {
  const damaged = await api.workspace('damaged')
  await damaged.setReputation({ handOffs: 100, bounces: 6, complaints: 0 })
  assertRefused(
    await send({ ...mail, from: `hello@${damaged.domain}` }, {}, damaged.key),
    'reputation_blocked',
  )
})

test('403 reputation_blocked: too many complaints', async () => {
  const damaged = await api.workspace('complained')
  await damaged.setReputation({ handOffs: 1000, bounces: 0, complaints: 2 })
  assertRefused(
    await send({ ...mail, from: `hello@${damaged.domain}` }, {}, damaged.key),
    'reputation_blocked',
  )
})

test('202: exactly 5 % of bounces, or too few hand-offs for a rate', async () => {
  const even = await api.workspace('even')
  await even.setReputation({ handOffs: 100, bounces: 5, complaints: 0 })
  assertAnswered(await send({ ...mail, from: `hello@${even.domain}` }, {}, even.key), 202)
  const young = await api.workspace('young')
  await young.setReputation({ handOffs: 99, bounces: 50, complaints: 0 })
  assertAnswered(await send({ ...mail, from: `hello@${young.domain}` }, {}, young.key), 202)
})

test('502 send_failed: the provider refuses; the quota is given back and the message is not among the accepted', async () => {
  const exact = await api.workspace('exact', { monthlyQuota: 1 })
  const from = `hello@${exact.domain}`
  assertRefused(
    await send({ ...mail, from, to: 'refused@simulator.test' }, {}, exact.key),
    'send_failed',
  )
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: exact.key }), 200, {
    quota: { used: 0, remaining: 1 },
  })
  assertAnswered(await send({ ...mail, from }, {}, exact.key), 202)
})

test('refusals come in order: shape, domain, reputation, suppression, quota', async () => {
  const bad = await api.workspace('all-wrong', { monthlyQuota: 0 })
  await bad.suppress('gone@example.com', 'manual')
  await bad.setReputation({ handOffs: 100, bounces: 50, complaints: 0 })
  const wrong = { ...mail, from: 'hello@elsewhere.test', to: 'gone@example.com', subject: '' }
  assertRefused(await send(wrong, {}, bad.key), 'validation_error')
  assertRefused(await send({ ...wrong, subject: 's' }, {}, bad.key), 'unverified_from_domain')
  const from = `hello@${bad.domain}`
  assertRefused(await send({ ...wrong, subject: 's', from }, {}, bad.key), 'reputation_blocked')
  await bad.setReputation({ handOffs: 0, bounces: 0, complaints: 0 })
  assertRefused(await send({ ...wrong, subject: 's', from }, {}, bad.key), 'suppressed_recipient')
  assertRefused(
    await send({ ...wrong, subject: 's', from, to: 'fine@example.com' }, {}, bad.key),
    'quota_exceeded',
  )
})

test('202: the same Idempotency-Key and content answer the same message, with Idempotent-Replay, and debit once', async () => {
  const once = await api.workspace('once', { monthlyQuota: 1 })
  const body = { ...mail, from: `hello@${once.domain}` }
  const first = await send(body, { 'idempotency-key': 'order-1042' }, once.key)
  assertAnswered(first, 202)
  assert.equal(first.headers.get('idempotent-replay'), null)
  const second = await send(body, { 'idempotency-key': 'order-1042' }, once.key)
  assertAnswered(second, 202)
  assert.equal(second.headers.get('idempotent-replay'), 'true')
  assert.deepEqual(second.body, first.body)
  assert.equal(await once.messages(), 1)
})

test('202: a replay in any order of keys, aliases and unknown keys', async () => {
  const first = await send(
    { ...mail, replyTo: 'r@example.com', tags: { a: '1', b: '2' } },
    { 'idempotency-key': 'spelling' },
  )
  const tags = [
    { name: 'b', value: '2' },
    { name: 'a', value: '1' },
  ]
  const again = {
    unknown: true,
    tags,
    reply_to: ['r@example.com'],
    text: 'Bonjour',
    subject: 'Bonjour',
    to: ['camille@example.com'],
    from: 'hello@shop.test',
  }
  const second = await send(again, { 'idempotency-key': 'spelling' })
  assert.equal(second.headers.get('idempotent-replay'), 'true')
  assert.deepEqual(second.body, first.body)
})

const changes: object[] = [
  { to: 'other@example.com' },
  { cc: 'other@example.com' },
  { bcc: 'other@example.com' },
  { subject: 'Other' },
  { text: 'Other' },
  { html: 'Other' },
  { from: 'Other <hello@shop.test>' },
  { replyTo: 'other@example.com' },
  { headers: { 'X-Other': '1' } },
  { tags: { other: '1' } },
  { attachments: [{ filename: 'other', content: 'AAAA' }] },
  { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() },
]
for (const change of changes) {
  test(`409 idempotency_key_reused: another ${Object.keys(change).join()}`, async () => {
    const headers = { 'idempotency-key': `reused-${Object.keys(change).join()}` }
    assertAnswered(await send(mail, headers), 202)
    assertRefused(await send({ ...mail, ...change }, headers), 'idempotency_key_reused')
  })
}

test('202: two workspaces may use the same Idempotency-Key', async () => {
  const other = await api.workspace('same-key')
  const first = await send(mail, { 'idempotency-key': 'shared' })
  const second = await send(
    { ...mail, from: `hello@${other.domain}` },
    { 'idempotency-key': 'shared' },
    other.key,
  )
  assertAnswered(second, 202)
  assert.equal(second.headers.get('idempotent-replay'), null)
  assert.notEqual(textAt(second, 'id'), textAt(first, 'id'))
})

test('422 validation_error: an Idempotency-Key of 201 characters, and 202 of 200', async () => {
  assertRefused(await send(mail, { 'idempotency-key': 'k'.repeat(201) }), 'validation_error', {
    path: 'idempotency-key',
    rule: 'maxLength',
    limit: 200,
  })
  assertAnswered(await send(mail, { 'idempotency-key': 'k'.repeat(200) }), 202)
})

test('202: an empty Idempotency-Key is none', async () => {
  const first = await send(mail, { 'idempotency-key': '' })
  const second = await send(mail, { 'idempotency-key': '' })
  assert.notEqual(textAt(first, 'id'), textAt(second, 'id'))
  assert.equal(second.headers.get('idempotent-replay'), null)
})

test('202: a refusal does not use the key up: 422, 402, 403 and 502 may be tried again with it', async () => {
  const retried = await api.workspace('retried', { monthlyQuota: 1 })
  const headers = { 'idempotency-key': 'again' }
  const from = `hello@${retried.domain}`
  await retried.suppress('gone@example.com', 'manual')
  assertRefused(
    await send({ ...mail, from, subject: '' }, headers, retried.key),
    'validation_error',
  )
  assertRefused(
    await send({ ...mail, from: 'x@elsewhere.test' }, headers, retried.key),
    'unverified_from_domain',
  )
  assertRefused(
    await send({ ...mail, from, to: 'gone@example.com' }, headers, retried.key),
    'suppressed_recipient',
  )
  assertRefused(
    await send({ ...mail, from, cc: 'c@example.com' }, headers, retried.key),
    'quota_exceeded',
  )
  assertRefused(
    await send({ ...mail, from, to: 'refused@simulator.test' }, headers, retried.key),
    'send_failed',
  )
  const answer = await send({ ...mail, from }, headers, retried.key)
  assertAnswered(answer, 202)
  assert.equal(answer.headers.get('idempotent-replay'), null)
})

test('202: a replay wins though the quota, the reputation and the domain are gone since, and the recipient is suppressed', async () => {
  const since = await api.workspace('since', { monthlyQuota: 1 })
  const body = { ...mail, from: `hello@${since.domain}` }
  const first = await send(body, { 'idempotency-key': 'early' }, since.key)
  await since.suppress('camille@example.com', 'manual')
  await since.setReputation({ handOffs: 100, bounces: 50, complaints: 0 })
  const second = await send(body, { 'idempotency-key': 'early' }, since.key)
  assertAnswered(second, 202)
  assert.equal(textAt(second, 'id'), textAt(first, 'id'))
})

test('202: 50 concurrent twins get one message, and 49 of them a replay', async () => {
  const twins = await api.workspace('twins', { monthlyQuota: 1 })
  const body = { ...mail, from: `hello@${twins.domain}` }
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => send(body, { 'idempotency-key': 'twins' }, twins.key)),
  )
  for (const answer of answers) assertAnswered(answer, 202)
  assert.equal(new Set(answers.map((answer) => textAt(answer, 'id'))).size, 1)
  assert.equal(
    answers.filter(({ headers }) => headers.get('idempotent-replay') === 'true').length,
    49,
  )
  assert.equal(await twins.messages(), 1)
})

test('202: a replay of a scheduled message wins though its time has passed, and 422 without the key', async () => {
  // The tolerance for clocks that differ is a minute.
  const stopAt = await api.stopTime()
  const body = { ...mail, scheduled_at: new Date(Date.now() - 59_000).toISOString() }
  const headers = { 'idempotency-key': 'in-time' }
  const first = await send(body, headers)
  assertAnswered(first, 202)
  await stopAt(60)
  assertRefused(await send(body), 'validation_error', { path: 'scheduled_at', rule: 'in_the_past' })
  const second = await send(body, headers)
  assertAnswered(second, 202)
  assert.deepEqual(second.body, first.body)
  assertRefused(await send({ ...body, subject: 'Other' }, headers), 'idempotency_key_reused')
  await api.moveClock('0')
})

test('202: a slow provider is waited for, and a twin waits with it for the same answer', async () => {
  const body = { ...mail, to: 'slow@simulator.test' }
  const headers = { 'idempotency-key': 'slow' }
  const [first, second] = await Promise.all([send(body, headers), send(body, headers)])
  assertAnswered(first, 202)
  assertAnswered(second, 202)
  assert.equal(textAt(first, 'id'), textAt(second, 'id'))
  assert.equal(
    [first, second].filter((answer) => answer.headers.get('idempotent-replay') === 'true').length,
    1,
  )
})

test('202 or 502: twins of a message that the provider refuses: none of them is a replay of a refusal', async () => {
  const body = { ...mail, to: 'refused+twins@simulator.test' }
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => send(body, { 'idempotency-key': 'refused-twins' })),
  )
  for (const answer of answers) assertRefused(answer, 'send_failed')
})

test('202 exactly as often as the quota allows, and 402 quota_exceeded for the rest of a burst', async () => {
  const burst = await api.workspace('burst', { monthlyQuota: 30 })
  const body = { ...mail, from: `hello@${burst.domain}`, cc: 'cc@example.com' }
  const answers = await Promise.all(Array.from({ length: 40 }, () => send(body, {}, burst.key)))
  assert.equal(answers.filter(({ status }) => status === 202).length, 15)
  for (const answer of answers) if (answer.status !== 202) assertRefused(answer, 'quota_exceeded')
  assert.equal(await burst.messages(), 15)
  assertAnswered(await send({ ...body, cc: [] }, {}, burst.key), 402)
})

test('202 and 422 beside each other: one caller’s refusal does not affect the others in its statement', async () => {
  await shop.suppress('beside@example.com', 'manual')
  const bodies = Array.from({ length: 60 }, (_, n) => {
    if (n % 3 === 1) return { ...mail, to: 'beside@example.com' }
    return n % 3 === 2 ? { ...mail, from: 'x@elsewhere.test' } : { ...mail, subject: `Beside ${n}` }
  })
  const answers = await Promise.all(bodies.map((body) => send(body)))
  for (const [n, answer] of answers.entries()) {
    if (n % 3 === 0) assertAnswered(answer, 202, { subject: `Beside ${n}` })
    else assertRefused(answer, n % 3 === 1 ? 'suppressed_recipient' : 'unverified_from_domain')
  }
})

test('202: an address named twice gets one copy and counts once', async () => {
  const twice = await api.workspace('twice', { monthlyQuota: 1 })
  const body = {
    ...mail,
    from: `hello@${twice.domain}`,
    to: ['camille@example.com', 'Camille <CAMILLE@example.com>'],
    cc: 'camille@example.com',
  }
  const answer = await send(body, {}, twice.key)
  assertAnswered(answer, 202)
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: twice.key }), 200, {
    quota: { used: 1 },
  })
})

test('402 quota_exceeded until the next month (UTC) begins, and the window of reputation clears', async () => {
  const monthly = await api.workspace('monthly', { monthlyQuota: 1 })
  const body = { ...mail, from: `hello@${monthly.domain}` }
  assertAnswered(await send(body, {}, monthly.key), 202)
  assertRefused(await send(body, {}, monthly.key), 'quota_exceeded', {
    limit: 1,
    used: 1,
    remaining: 0,
    needed: 1,
  })
  await monthly.setReputation({ handOffs: 100, bounces: 50, complaints: 0 })
  assertRefused(await send(body, {}, monthly.key), 'reputation_blocked', { bounces: 50 })
  await api.moveClock('32 days')
  try {
    assertAnswered(await send(body, {}, monthly.key), 202)
  } finally {
    await api.moveClock('0 seconds')
  }
})

test('202: recipients of single messages do not become subscribers', async () => {
  await send({ ...mail, to: 'stranger@example.com' })
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: shop.key }), 200, {
    subscribers: 0,
  })
})

test('422 validation_error: the hint is in the language of the message', async () => {
  const reported = async (body: object, language: string): Promise<string> =>
    textAt(await send(body, { 'accept-language': language }), 'message')
  const empty = { ...mail, text: undefined, html: undefined }
  assert.match(await reported(empty, 'fr'), /^`html` manque\s: .*\. Donnez `html` ou `text`\.$/)
  assert.match(await reported(empty, 'en'), /^`html` is missing: .*\. Give `html` or `text`\.$/)
  assert.match(
    await reported({ ...empty, template: { id: 'x' } }, 'fr'),
    /Il n'y a pas de modèles ici/,
  )
  assert.match(
    await reported({ ...empty, template: { id: 'x' } }, 'en'),
    /There are no templates here/,
  )
  assert.match(
    await reported({ ...mail, scheduled_at: 'tomorrow' }, 'fr'),
    /Écrivez la date selon la RFC 3339/,
  )
})
