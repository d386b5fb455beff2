/** One text is one mailbox or a named problem; nothing in between. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  formatMailbox,
  parseMailbox,
  type AddressRule,
  type Mailbox,
} from '../../src/ground/address.ts'
import { readDomain } from '../../src/ground/domain-name.ts'

const accepted: Array<[text: string, name: string | null, address: string, key: string]> = [
  ['a@b.fr', null, 'a@b.fr', 'a@b.fr'],
  ['  a@b.fr ', null, 'a@b.fr', 'a@b.fr'],
  ['<a@b.fr>', null, 'a@b.fr', 'a@b.fr'],
  [
    'Jean.Dupont+news@EXAMPLE.com',
    null,
    'Jean.Dupont+news@example.com',
    'jean.dupont+news@example.com',
  ],
  ['Jean Dupont <a@b.fr>', 'Jean Dupont', 'a@b.fr', 'a@b.fr'],
  ['Jean   Dupont<a@b.fr> ', 'Jean Dupont', 'a@b.fr', 'a@b.fr'],
  ["J. R. O'Neil & Cie <a@b.fr>", "J. R. O'Neil & Cie", 'a@b.fr', 'a@b.fr'],
  ['"Dupont, Jean" <a@b.fr>', 'Dupont, Jean', 'a@b.fr', 'a@b.fr'],
  ['"say \\"hi\\" \\\\o/" <a@b.fr>', 'say "hi" \\o/', 'a@b.fr', 'a@b.fr'],
  ['"" <a@b.fr>', null, 'a@b.fr', 'a@b.fr'],
  ['"x@y.z" <a@b.fr>', 'x@y.z', 'a@b.fr', 'a@b.fr'],
  ['Zoé 😀 <a@b.fr>', 'Zoé 😀', 'a@b.fr', 'a@b.fr'],
  ['=?utf-8?q?Zo=C3=A9?= <a@b.fr>', '=?utf-8?q?Zo=C3=A9?=', 'a@b.fr', 'a@b.fr'],
  ['"john"@b.fr', null, 'john@b.fr', 'john@b.fr'],
  ['"john.doe" <"john.doe"@b.fr>', 'john.doe', 'john.doe@b.fr', 'john.doe@b.fr'],
  ['"john doe"@b.fr', null, '"john doe"@b.fr', '"john doe"@b.fr'],
  ['"a\\"b"@b.fr', null, '"a\\"b"@b.fr', '"a\\"b"@b.fr'],
  ['"\\a@"@b.fr', null, '"a@"@b.fr', '"a@"@b.fr'],
  ['<"a:b"@c.fr>', null, '"a:b"@c.fr', '"a:b"@c.fr'],
  ['É@exämple.de', null, 'É@xn--exmple-cua.de', 'é@xn--exmple-cua.de'],
  ['a@例え。jp', null, 'a@xn--r8jz45g.jp', 'a@xn--r8jz45g.jp'],
  ['a@XN--EXMPLE-CUA.de', null, 'a@xn--exmple-cua.de', 'a@xn--exmple-cua.de'],
  ['a@faß.de', null, 'a@xn--fa-hia.de', 'a@xn--fa-hia.de'],
  [`${'é'.repeat(32)}@b.fr`, null, `${'é'.repeat(32)}@b.fr`, `${'é'.repeat(32)}@b.fr`],
  [`a@${'l'.repeat(63)}.fr`, null, `a@${'l'.repeat(63)}.fr`, `a@${'l'.repeat(63)}.fr`],
  ['a@نامه\u200cای.com', null, 'a@xn--mgba3gch31f060k.com', 'a@xn--mgba3gch31f060k.com'],
  ['a@1.b2.3c', null, 'a@1.b2.3c', 'a@1.b2.3c'],
]

test('accepted: one mailbox, normalised', () => {
  for (const [text, name, address, key] of accepted) {
    const mailbox = parseMailbox(text)
    assert.ok(!('rule' in mailbox), `${text}: ${JSON.stringify(mailbox)}`)
    assert.deepEqual([mailbox.name, mailbox.address, mailbox.key], [name, address, key])
    assert.equal(`${mailbox.local}@${mailbox.domain}`, address)
  }
})

const refused: Array<[text: string, rule: AddressRule, at: number]> = [
  ['', 'empty', 0],
  ['   ', 'empty', 0],
  ['a', 'missing_at', 1],
  ['Jean', 'missing_at', 4],
  ['<a>', 'missing_at', 2],
  ['"a"', 'missing_at', 3],
  ['@b.fr', 'empty_local_part', 0],
  ['""@b.fr', 'empty_local_part', 0],
  ['a@', 'empty_domain', 2],
  ['a@b', 'domain_without_dot', 2],
  ['a@b.fr, c@d.fr', 'more_than_one_address', 6],
  ['a@b.fr;c@d.fr', 'more_than_one_address', 6],
  ['<a@b.fr>, <c@d.fr>', 'more_than_one_address', 8],
  ['"a" <a@b.fr>, "c" <c@d.fr>', 'more_than_one_address', 12],
  ['Dupont, Jean <a@b.fr>', 'more_than_one_address', 6],
  ['😀😀, x <a@b.fr>', 'more_than_one_address', 2],
  ['<a@b.fr,c@d.fr>', 'domain_character', 7],
  ['a@b.fr c@d.fr', 'domain_character', 6],
  ['a@b@c.fr', 'domain_character', 3],
  ['friends: a@b.fr, c@d.fr;', 'group', 7],
  ['undisclosed-recipients:;', 'group', 22],
  ['Jean (work) <a@b.fr>', 'comment', 5],
  ['a@b.fr (work)', 'comment', 7],
  ['a(x)@b.fr', 'comment', 1],
  ['<@relay.fr:a@b.fr>', 'source_route', 1],
  ['a@b.fr <a@b.fr>', 'name_needs_quotes', 0],
  ['[ACME] <a@b.fr>', 'name_needs_quotes', 0],
  ['Jean "J" Dupont <a@b.fr>', 'name_needs_quotes', 5],
  ['"J" Dupont <a@b.fr>', 'name_needs_quotes', 4],
  ['"Jean <a@b.fr>', 'unclosed_quote', 0],
  ['"a\\', 'unclosed_quote', 0],
  ['Jean <a@b.fr', 'unclosed_angle', 5],
  ['<"a>@b.fr>', 'unclosed_angle', 0],
  ['<a@b.fr> x', 'text_after_address', 9],
  ['<a@b.fr>>', 'text_after_address', 8],
  ['a b@c.fr', 'local_part_character', 1],
  ['< a@b.fr>', 'local_part_character', 1],
  ['a\u00a0b@c.fr', 'local_part_character', 1],
  // Header parsers that skip the quotes would read another address out of these.
  ['"a<b"@c.fr', 'local_part_character', 2],
  ['"a>b"@c.fr', 'local_part_character', 2],
  ['"a,b"@c.fr', 'local_part_character', 2],
  ['"a\\>@"@b.fr', 'local_part_character', 3],
  ['Jean <"a>b"@c.fr>', 'local_part_character', 8],
  ['"Dupont, Jean" <"x@evil.test>,"@c.fr>', 'local_part_character', 28],
  ['a\u200bb@c.fr', 'local_part_character', 1],
  ['.a@b.fr', 'local_part_dot', 0],
  ['a.@b.fr', 'local_part_dot', 1],
  ['a..b@b.fr', 'local_part_dot', 1],
  [`${'a'.repeat(65)}@b.fr`, 'local_part_too_long', 0],
  [`${'é'.repeat(33)}@b.fr`, 'local_part_too_long', 0],
  ['a@[192.0.2.1]', 'ip_address', 2],
  ['a@192.0.2.1', 'ip_address', 2],
  ['a@0x7f.1', 'ip_address', 2],
  ['a@b.0x1f', 'ip_address', 2],
  ['a@b.123', 'ip_address', 2],
  ['a@１９２.０.２.１', 'ip_address', 2],
  ['a@b_c.fr', 'domain_character', 3],
  ['a@b%41.fr', 'domain_character', 3],
  ['a@b#.fr', 'domain_character', 3],
  ['a@b/c.fr', 'domain_character', 3],
  ['a@b:25.fr', 'domain_character', 3],
  ['a@b\u00ad.fr', 'domain_character', 3],
  ['a@b\u200b.fr', 'domain_character', 3],
  ['a@b.fr.', 'domain_label', 2],
  ['a@.b.fr', 'domain_label', 2],
  ['a@b..fr', 'domain_label', 2],
  ['a@-b.fr', 'domain_label', 2],
  ['a@b-.fr', 'domain_label', 2],
  [`a@${'l'.repeat(64)}.fr`, 'domain_label', 2],
  [`a@${'l.'.repeat(126)}fr`, 'domain_too_long', 2],
  [`a@${'é'.repeat(5000)}.fr`, 'domain_too_long', 2],
  ['a@xn--a.fr', 'domain_not_idna', 2],
  ['a@xn--.fr', 'domain_label', 2],
  ['a@אa.fr', 'domain_not_idna', 2],
  ['a@b\u200dc.fr', 'domain_not_idna', 2],
  ['a@b.fr\r\nBcc: c@d.fr', 'control_character', 6],
  ['a@b.fr\n', 'control_character', 6],
  ['Jean\tDupont <a@b.fr>', 'control_character', 4],
  ['"Jean\u0000" <a@b.fr>', 'control_character', 5],
  ['Jean\u0085 <a@b.fr>', 'control_character', 4],
  ['Jean\u2028 <a@b.fr>', 'control_character', 4],
  ['Jean\u202e <a@b.fr>', 'misleading_character', 4],
  ['Jean <a\u2066@b.fr>', 'misleading_character', 7],
  ['Jean\n\u202e <a@b.fr>', 'control_character', 4],
  ['Jean\ud800 <a@b.fr>', 'control_character', 4],
]

test('refused: the rule and the place show the correction', () => {
  for (const [text, rule, at] of refused) {
    const { found: result, ...problem } = Object(parseMailbox(text))
    assert.deepEqual(problem, { rule, at }, text)
    assert.equal(result !== undefined, rule === 'misleading_character', text)
  }
})

test('written out: quotes only where a name needs them', () => {
  assert.equal(formatMailbox({ name: null, address: 'a@b.fr' }), 'a@b.fr')
  assert.equal(formatMailbox({ name: 'Zoé D.', address: 'a@b.fr' }), 'Zoé D. <a@b.fr>')
  assert.equal(formatMailbox({ name: 'D, "Z"', address: 'a@b.fr' }), '"D, \\"Z\\"" <a@b.fr>')
})

test('a domain alone: A-labels, or a problem', () => {
  assert.equal(readDomain('Exämple.DE'), 'xn--exmple-cua.de')
  for (const text of [
    '',
    'de',
    'a.b.',
    'a b.de',
    '127.0.0.1',
    'a%2e.de',
    '[::1]',
    'user@example.com',
  ])
    assert.notEqual(typeof readDomain(text), 'string', text)
})

/** Made of what addresses are made of, so that many are accepted and many nearly. */
const nearAddress = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          '@',
          '<',
          '>',
          '"',
          '\\',
          '.',
          ',',
          ';',
          ':',
          '(',
          ')',
          '[',
          ']',
          ' ',
          '-',
          '\t',
          '\r\n',
          '\u0000',
          '%',
        ],
        ...[
          'a',
          'Jean ',
          'a@b.fr',
          '<a@b.fr>',
          '"Jean, D" ',
          'é',
          'İ',
          '例え.jp',
          'xn--',
          '127.0.0.1',
          '0x7f',
          '\ud800',
          '😀',
          '\u200b',
        ],
      ),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))
const anyText = fc.oneof(
  nearAddress,
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ maxLength: 3000 }),
)

const isMailbox = (result: ReturnType<typeof parseMailbox>): result is Mailbox =>
  !('rule' in result)

test('any text: a mailbox fit for SMTP and for a header, or a problem with a place inside the text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const result = parseMailbox(text)
      if (!isMailbox(result)) {
        assert.ok(result.at >= 0 && result.at <= Array.from(text).length)
        return
      }
      assert.match(result.local, /^(?:[^\s"(),:;<>@[\\\]\p{Cc}]+|"(?:[^"\\\p{Cc}]|\\["\\])+")$/u)
      assert.ok(Buffer.byteLength(result.local) <= 64)
      assert.match(
        result.domain,
        /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9-]*[a-z0-9]$/,
      )
      assert.equal(result.address, `${result.local}@${result.domain}`)
      assert.ok(
        result.name === null || (result.name.length > 0 && !/[\p{Cc}\p{Cs}]/u.test(result.name)),
      )
    }),
    { numRuns: 3000 },
  )
})

/** Always accepted: a name in any form, a local part in any form, any domain. */
const address = fc
  .tuple(
    fc.constantFrom('', 'Jean ', 'Jean D. ', 'Zoé 😀 ', '"Dupont, \\"J\\"" ', '"a@b.fr" '),
    fc.constantFrom('a', 'A.b+c', '"a b"', '"x@y"', '"\\:"', '"plain"', 'é', "o'neil"),
    fc.constantFrom('b.fr', 'Exämple.DE', 'a-b.c.museum', '例え。jp'),
  )
  .map(([name, local, domain]) => `${name}<${local}@${domain}>`.replace(/^<(.*)>$/, '$1'))

test('any accepted text: written out and read again, it is the same mailbox; its address alone too', () => {
  fc.assert(
    fc.property(fc.oneof(address, nearAddress), (text) => {
      const mailbox = parseMailbox(text)
      fc.pre(isMailbox(mailbox))
      assert.deepEqual(parseMailbox(formatMailbox(mailbox)), mailbox)
      assert.deepEqual(parseMailbox(mailbox.address), { ...mailbox, name: null })
      assert.equal(mailbox.key, mailbox.key.toLowerCase().normalize('NFC'))
    }),
    { numRuns: 500 },
  )
})

test('any two texts joined by a comma, a semicolon, a space or a line end: never one mailbox', () => {
  fc.assert(
    fc.property(
      address,
      address,
      fc.constantFrom(',', ', ', ';', '\r\n', '\n', ' '),
      (first, second, joint) => {
        assert.ok(isMailbox(parseMailbox(first)) && isMailbox(parseMailbox(second)))
        assert.equal(isMailbox(parseMailbox(first + joint + second)), false)
      },
    ),
    { numRuns: 300 },
  )
})

test('any name without control characters, quoted: the name comes back, trimmed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const name = text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '')
      const mailbox = parseMailbox(`"${name.replace(/["\\]/g, '\\$&')}" <a@b.fr>`)
      assert.ok(isMailbox(mailbox))
      assert.equal(mailbox.name, name.trim() || null)
    }),
  )
})

test('the key ignores case and Unicode composition', () => {
  const keys = ['Zo\u00e9@Example.COM', 'ZOE\u0301@example.com', 'zoé@EXAMPLE.com'].map((text) => {
    const mailbox = parseMailbox(text)
    return isMailbox(mailbox) ? mailbox.key : mailbox
  })
  assert.deepEqual(keys, Array(3).fill('zo\u00e9@example.com'))
})
