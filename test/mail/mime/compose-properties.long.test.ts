/** Two parsers that others wrote read back the values of any composed mail, and no more. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import PostalMime, { decodeWords } from 'postal-mime'
import {
  composeMessage,
  type Attachment,
  type MessageToCompose,
} from '../../../src/mail/mime/compose.ts'
import type { HeaderMailbox } from '../../../src/mail/mime/header-lines.ts'
import {
  anyLine,
  anyMailbox,
  anyText,
  arbitraryMessage,
  asciiMailbox,
  unquotedMailbox,
} from '../../support/arbitrary-message.ts'

const decentMessage = arbitraryMessage({ line: anyLine, mailbox: anyMailbox })
/** Lines that no entry point would admit: the composer must still write well-formed mail. */
const hostileMessage = arbitraryMessage({ line: anyText, mailbox: anyMailbox })

test('any message: CRLF line ends only, no line beyond 998 octets, ASCII unless utf8, no line of white space alone in the headers', () => {
  fc.assert(
    fc.property(hostileMessage, (message) => {
      const { bytes, utf8 } = composeMessage(message)
      const text = bytes.toString('latin1')
      assert.ok(text.endsWith('\r\n'))
      assert.equal(/\r(?!\n)|(?<!\r)\n/.test(text), false)
      const lines = text.split('\r\n')
      assert.ok(lines.every((line) => line.length <= 998))
      const head = lines.slice(0, lines.indexOf(''))
      assert.equal(
        head.some((line) => line.trim() === ''),
        false,
      )
      const outside = /\P{ASCII}/u
      const addresses = [message.from, ...message.to, ...message.cc, ...message.replyTo].map(
        (mailbox) => mailbox.address,
      )
      assert.equal(
        utf8,
        addresses.some((address) => outside.test(address)),
      )
      assert.equal(outside.test(text), utf8)
      assert.equal(outside.test(lines.slice(head.length).join('')), false)
    }),
    { numRuns: 500 },
  )
})

test('any message: header lines are the expected ones, each once, in order', () => {
  fc.assert(
    fc.property(hostileMessage, (message) => {
      assert.deepEqual(headerNames(composeMessage(message).bytes), expectedHeaderNames(message))
    }),
    { numRuns: 500 },
  )
})

test('the same message twice: the same bytes', () => {
  fc.assert(
    fc.property(decentMessage, (message) => {
      const first = composeMessage(message).bytes
      composeMessage({ ...message, subject: 'another between them', html: 'é'.repeat(3000) })
      assert.ok(first.equals(composeMessage({ ...message }).bytes))
    }),
    { numRuns: 100 },
  )
})

test('any message read by postal-mime: the same addresses, subject, headers, bodies and files', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryMessage({ line: anyLine, mailbox: unquotedMailbox }),
      async (message) => {
        const mail = await PostalMime.parse(composeMessage(message).bytes, {
          maxHeadersSize: 10_000_000,
        })
        assert.deepEqual(
          mail.headers.map(({ key }) => key),
          expectedHeaderNames(message).map((name) => name.toLowerCase()),
        )
        assert.deepEqual(
          seenMailboxes(mail.from === undefined ? [] : [mail.from]),
          expectedMailboxes([message.from]),
        )
        assert.deepEqual(seenMailboxes(mail.to ?? []), expectedMailboxes(message.to))
        assert.deepEqual(seenMailboxes(mail.cc ?? []), expectedMailboxes(message.cc))
        assert.deepEqual(seenMailboxes(mail.replyTo ?? []), expectedMailboxes(message.replyTo))
        assert.equal(mail.subject ?? '', message.subject)
        for (const [name, value] of message.headers) {
          assert.equal(
            decodeWords(mail.headers.find(({ key }) => key === name.toLowerCase())?.value ?? ''),
            value,
          )
        }
        // It adds a line end to each body.
        assert.equal(
          toLf(mail.html ?? '').replace(/\n*$/, ''),
          toLf(message.html ?? '').replace(/\n*$/, ''),
        )
        assert.equal(
          toLf(mail.text ?? '').replace(/\n*$/, ''),
          toLf(message.text ?? '').replace(/\n*$/, ''),
        )
        assert.deepEqual(
          mail.attachments.map(({ filename, content }) => ({
            filename,
            content: Buffer.from(content as ArrayBuffer),
          })),
          // It decodes encoded words wherever it meets them.
          inOrder(message).map(({ filename, content }) => ({
            filename: filename ? decodeWords(filename) : null,
            content,
          })),
        )
      },
    ),
    { numRuns: 500 },
  )
})

test("any message read by Python's strict parser: the same addresses, subject, headers, bodies and files, no defect", (t) => {
  if (spawnSync('python3', ['--version']).status !== 0) return t.skip('no python3 on the PATH')
  const seed = fc.sample(fc.nat(), 1)[0] ?? 0
  const messages = fc.sample(arbitraryMessage({ line: anyLine, mailbox: asciiMailbox }), {
    numRuns: 400,
    seed,
  })
  const input = JSON.stringify(
    messages.map((message) => composeMessage(message).bytes.toString('base64')),
  )
  const python = spawnSync('python3', [`${import.meta.dirname}/../../support/read-mails.py`], {
    input,
    maxBuffer: 1e9,
    encoding: 'utf8',
  })
  assert.equal(python.status, 0, python.stderr)
  for (const [i, sighting] of readSightings(python.stdout).entries()) {
    const message = messages[i] ?? assert.fail('more mails than messages')
    assert.deepEqual(sighting, expectedSighting(message), `seed ${seed}, message ${i}`)
  }
})

/**
 * The header lines as they stand in the bytes, split by nothing but "a line that does not begin
 * with white space".
 */
function headerNames(bytes: Buffer): string[] {
  const text = bytes.toString('utf8')
  const lines = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n')
  return lines
    .filter((line) => !/^[ \t]/.test(line))
    .map((line) => line.slice(0, line.indexOf(':')))
}

function expectedHeaderNames(message: MessageToCompose): string[] {
  const { cc, replyTo, headers, html, text, attachments } = message
  const single = attachments.length === 0 && (html === null || text === null)
  return [
    'From',
    'To',
    ...(cc.length > 0 ? ['Cc'] : []),
    ...(replyTo.length > 0 ? ['Reply-To'] : []),
    'Subject',
    'Date',
    'Message-ID',
    ...headers.map(([name]) => name),
    'MIME-Version',
    'Content-Type',
    ...(single ? ['Content-Transfer-Encoding'] : []),
  ]
}

interface NameAndAddress {
  name?: string | undefined
  address?: string | undefined
}

const seenMailboxes = (list: readonly NameAndAddress[]): unknown =>
  list.map(({ name, address }) => ({ name, address }))

const expectedMailboxes = (list: readonly HeaderMailbox[]): NameAndAddress[] =>
  list.map(({ name, address }) => ({ name: name ?? '', address }))

/**
 * Python before 3.14 leaves the space between two encoded words of a phrase, and loses other white
 * space there, so its names are compared without any. Its `username` is what the quotes of a local
 * part hold.
 */
const asPythonSees = (list: readonly HeaderMailbox[]): unknown =>
  list.map(({ name, address }) => {
    const local = address.slice(0, address.lastIndexOf('@'))
    return {
      name: name?.replaceAll(/[\s\u0085]/g, '') ?? '',
      username: local.startsWith('"') ? local.slice(1, -1).replace(/\\(.)/g, '$1') : local,
      domain: address.slice(local.length + 1),
    }
  })

const toLf = (text: string): string => text.replace(/\r\n?/g, '\n')

/** Files as they stand in the mail: the ones shown inside the html first. */
function inOrder({ html, attachments }: MessageToCompose): Attachment[] {
  const inline = attachments.filter(
    ({ contentId }) => html !== null && contentId !== null && isSoundContentId(contentId),
  )
  return [...inline, ...attachments.filter((attachment) => !inline.includes(attachment))]
}

const isSoundContentId = (text: string): boolean =>
  /^[\x21-\x7e]+$/.test(text) && !/[<>]/.test(text)

function expectedSighting(message: MessageToCompose): unknown {
  const { from, to, cc, replyTo, subject, date, html, text, headers } = message
  // A body that is the whole mail gains a line end where it has none.
  const body = (type: string, content: string | null): unknown[] =>
    content === null
      ? []
      : [
          {
            type,
            disposition: null,
            filename: null,
            contentId: null,
            content: toLf(content).replace(/\n$/, ''),
          },
        ]
  return {
    names: expectedHeaderNames(message),
    // A long name leaves its first line empty; Python takes the fold after it for a part of the
    // value.
    headers: headers.map(([, value]) => value.replace(/^ +/, '')),
    from: asPythonSees([from]),
    to: asPythonSees(to),
    cc: asPythonSees(cc),
    replyTo: asPythonSees(replyTo),
    subject,
    date: new Date(date).getTime() / 1000,
    parts: [
      ...body('text/plain', text),
      ...body('text/html', html),
      ...inOrder(message).map(({ filename, contentType, contentId, content }) => ({
        type:
          ['image/png', 'application/x-ticket'].find((type) => contentType?.startsWith(type)) ??
          'application/octet-stream',
        disposition:
          html !== null && contentId !== null && isSoundContentId(contentId)
            ? 'inline'
            : 'attachment',
        filename: filename || null,
        contentId: contentId !== null && isSoundContentId(contentId) ? `<${contentId}>` : null,
        content: content.toString('base64'),
      })),
    ],
    defects: [],
  }
}

/**
 * The output of `read-mails.py`. The test compares whole sightings, so this assumes nothing of
 * their shape.
 */
function readSightings(json: string): unknown[] {
  const sightings: unknown = JSON.parse(json)
  return Array.isArray(sightings) ? sightings : assert.fail('not a list')
}
