/**
 * For any subscriber's name, each recipient's mail is sound, has exactly the expected headers, and
 * reads back as it was meant.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import type { MergeRecipient } from '../../../src/mail/merge/compiled-campaign.ts'
import { anyLine, anyMailbox, anyText, asciiMailbox } from '../../support/arbitrary-message.ts'
import { camille, templateOf, type Content } from '../../support/campaign-samples.ts'

/** Names and values may be any text: the API is not the only source of subscribers. */
const anyContact = fc.record({
  email: asciiMailbox.map(({ address }) => address),
  firstName: fc.option(anyText),
  lastName: fc.option(anyText),
  fields: fc.record(
    { city: anyText, constructor: anyText, to_string: anyText },
    { requiredKeys: [] },
  ),
})
type AnyContact = typeof anyContact extends fc.Arbitrary<infer T> ? T : never

const recipientOf = (contact: AnyContact): MergeRecipient => ({
  ...camille,
  ...contact,
  fields: Object.fromEntries(
    Object.entries(contact.fields).filter(([, value]) => value !== undefined),
  ),
})

const controls = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
const shown = (value: string | null | undefined): string => (value ?? '').replace(controls, '')

/** Texts of authors without what means something in them. */
const plainWords = anyLine.map((text) => text.replace(/[{}\\*[\]()<>&\ufdd0-\ufdef]|https?:/g, ''))

interface Case {
  before: string
  behind: string
  contact: AnyContact
}
const anyCase: fc.Arbitrary<Case> = fc.record({
  before: plainWords,
  behind: plainWords,
  contact: anyContact,
})

const contents: Record<string, (item: Case) => Content> = {
  text: ({ before, behind }) => ({
    text: `Hi ${before}{{firstName}}${behind}\n{{ fields.city | default: "no city" }}`,
  }),
  content: ({ before, behind }) => ({
    content: [
      {
        type: 'paragraph',
        text: `Hi ${before}{{firstName}}${behind}\n{{fields.city|default:'no city'}}`,
      },
    ],
  }),
  html: ({ before, behind }) => ({
    html: `<p>Hi ${before}{{firstName}}${behind}<br>{{fields.city | default: &quot;no city&quot;}}</p>`,
  }),
}

/** The first two lines of the plain part, computed from the case alone. */
function expectedLines({ before, behind, contact }: Case): [string, string] {
  return [
    `Hi ${before}${shown(contact.firstName)}${behind}`,
    shown(contact.fields.city) || 'no city',
  ]
}

/** A renderer of text may change spaces, but no letters. */
const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim()

const headerNames = [
  'From',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'List-Id',
  'Feedback-ID',
  'Precedence',
  'MIME-Version',
  'Content-Type',
]

for (const [kind, contentOf] of Object.entries(contents)) {
  test(`any recipient of a ${kind} campaign: CRLF only, lines of at most 76 in bodies and 998 in headers, ASCII unless utf8, the expected headers once`, () => {
    fc.assert(
      fc.property(anyCase, anyMailbox, (item, { address }) => {
        const template = templateOf({ subject: 'For {{firstName}}', ...contentOf(item) })
        const recipient = { ...recipientOf(item.contact), email: address }
        const { bytes, utf8 } = template.fill(recipient)
        const text = bytes.toString('utf8')
        assert.equal(/\r(?!\n)|(?<!\r)\n/.test(text), false)
        assert.equal(utf8, /\P{ASCII}/u.test(address))
        assert.equal(/\P{ASCII}/u.test(text), utf8)
        const lines = text.split('\r\n')
        const head = lines.slice(0, lines.indexOf(''))
        assert.ok(head.every((line) => line.length <= 998 && line.trim() !== ''))
        assert.ok(lines.slice(head.length).every((line) => line.length <= 76))
        assert.equal(
          lines.slice(head.length).some((line) => line.startsWith('From ')),
          false,
        )
        assert.deepEqual(
          head
            .filter((line) => !/^[ \t]/.test(line))
            .map((line) => line.slice(0, line.indexOf(':'))),
          headerNames,
        )
      }),
      { numRuns: 150 },
    )
  })

  test(`any recipient of a ${kind} campaign, read by postal-mime: the merged text, and the same words in the page`, async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async (item) => {
        const recipient = recipientOf(item.contact)
        const template = templateOf({ subject: 'S', ...contentOf(item) })
        const mail = await PostalMime.parse(template.fill(recipient).bytes)
        const [first, second] = expectedLines(item)
        const plain = mail.text ?? ''
        assert.ok(
          squeeze(plain).startsWith(squeeze(`${first} ${second}`)),
          `${JSON.stringify(plain)} ≠ ${JSON.stringify([first, second])}`,
        )
        const withPixel = template.renderHtml(recipient, recipient.tokens)
        assert.equal(
          toLf(mail.html ?? '')
            .replace(/<img src="https:\/\/mail\.example\.com\/o\/T{64}"[^>]*>/, '')
            .trimEnd(),
          toLf(withPixel).trimEnd(),
        )
        assert.equal(
          toLf(plain).trimEnd(),
          toLf(template.renderText(recipient, recipient.tokens)).trimEnd(),
        )
        assert.ok(withPixel.includes(escapeHtml(shown(item.contact.firstName))))
      }),
      { numRuns: 100 },
    )
  })
}

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')

const toLf = (text: string): string => text.replaceAll('\r\n', '\n')

test("any recipient read by Python's strict parser: no defect, one of each header, subject, recipient and texts as merged", (t) => {
  if (spawnSync('python3', ['--version']).status !== 0) return t.skip('no python3 on the PATH')
  const seed = fc.sample(fc.nat(), 1)[0] ?? 0
  const kinds = Object.values(contents)
  const mails = fc.sample(anyCase, { numRuns: 300, seed }).map((item, i) => {
    const template = templateOf({
      subject: 'For {{firstName | default: "you"}}: ŷ',
      ...kinds[i % kinds.length]?.(item),
    })
    return { one: item, template, bytes: template.fill(recipientOf(item.contact)).bytes }
  })
  const input = JSON.stringify(mails.map(({ bytes }) => bytes.toString('base64')))
  const python = spawnSync('python3', [`${import.meta.dirname}/../../support/read-mails.py`], {
    input,
    maxBuffer: 1e9,
    encoding: 'utf8',
  })
  assert.equal(python.status, 0, python.stderr)
  const sightings: unknown = JSON.parse(python.stdout)
  assert.ok(Array.isArray(sightings) && sightings.length === mails.length)
  for (const [i, { one: item, template }] of mails.entries()) {
    const { headers, to, parts, ...rest } = asSighting(sightings[i])
    const context = `seed ${seed}, mail ${i}`
    assert.deepEqual(
      { defects: rest.defects, names: rest.names },
      { defects: [], names: headerNames },
      context,
    )
    assert.equal(rest.subject, `For ${shown(item.contact.firstName) || 'you'}: ŷ`, context)
    assert.deepEqual(
      to.map(({ domain }) => domain),
      [item.contact.email.slice(item.contact.email.lastIndexOf('@') + 1)],
      context,
    )
    const name = shown(`${item.contact.firstName ?? ''} ${item.contact.lastName ?? ''}`).trim()
    // Python's parser may lose white space of any kind between encoded words.
    assert.equal(to[0]?.name, name.replaceAll(/[\s\u0085]/g, ''), context)
    assert.equal(headers[1], 'List-Unsubscribe=One-Click', context)
    const recipient = recipientOf(item.contact)
    assert.equal(
      parts[0]?.content,
      template.renderText(recipient, recipient.tokens).replace(/\n$/, ''),
      context,
    )
    assert.deepEqual(
      parts.map(({ type }) => type),
      ['text/plain', 'text/html'],
      context,
    )
  }
})

interface Sighting {
  names: string[]
  headers: string[]
  to: { name: string; domain: string }[]
  subject: string
  parts: { type: string; content: string }[]
  defects: string[]
}

/** The output of `read-mails.py`. */
function asSighting(value: unknown): Sighting {
  assert.ok(
    typeof value === 'object' && value !== null && 'defects' in value,
    JSON.stringify(value),
  )
  return value as Sighting
}
