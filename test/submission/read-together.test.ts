/** Mails that a thread reads together: each has its own result, and none suffers for another. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createSubmissionReader,
  type SubmissionFound,
} from '../../src/entrypoints/submission/read-together.ts'
import { createIncomingMails } from '../../src/entrypoints/submission/incoming-mails.ts'
import { createMailsUnderWay } from '../../src/core/sending/mails-under-way.ts'
import { systemClock, type Clock } from '../../src/ground/clock.ts'

const underWay = createMailsUnderWay()
const incoming = createIncomingMails(underWay.begin)

const mail = (subject: string, body = 'Hello'): Buffer =>
  Buffer.from(`From: a@example.com\r\nSubject: ${subject}\r\n\r\n${body}\r\n`)
const subjectOf = (result: SubmissionFound): string => {
  if (result === null) return 'busy'
  if ('mail' in result) return result.mail.subject
  return 'kind' in result ? result.kind : result.unreadable
}
/** Its first naps end at once, as those before threads that take too long do; no other ends. */
const late = (count: number): Pick<Clock, 'sleep'> => {
  let left = count
  return { sleep: () => (left-- > 0 ? Promise.resolve() : new Promise(() => undefined)) }
}

test('each mail has its own result in its place, with its files, whatever came with it', async (t) => {
  const reader = createSubmissionReader(systemClock, incoming)
  t.after(() => reader.close())
  const file = (text: string): Buffer =>
    mail(
      `with ${text}`,
      ['--b', 'Content-Disposition: attachment; filename=a.bin', '', text, '--b--'].join('\r\n'),
    )
  const withFile = (text: string): Buffer =>
    Buffer.from(
      file(text)
        .toString()
        .replace('\r\n\r\n', '\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n'),
    )
  const mails = [
    ...Array.from({ length: 70 }, (_, index) => mail(`mail ${index}`)),
    Buffer.from('no header\r\n\r\n'),
    mail('large', 'x'.repeat(100_000)),
    withFile('one'),
    withFile('two'),
  ]
  const result = await Promise.all(mails.map((raw, index) => reader.read(raw, index % 2)))
  assert.deepEqual(result.map(subjectOf), [
    ...Array.from({ length: 70 }, (_, index) => `mail ${index}`),
    ...['malformed', 'large', 'with one', 'with two'],
  ])
  for (const [location, text] of [
    [72, 'one'],
    [73, 'two'],
  ] as const) {
    const item = result[location]
    const content = item && 'mail' in item ? item.mail.files[0]?.content : undefined
    assert.equal(
      Buffer.from(content ?? [])
        .toString()
        .trim(),
      text,
    )
  }
})

test('mails that took too long together are read alone, and only the one that takes too long is refused', async (t) => {
  // Two sleeps to a reading: of its answer, and of its processor time.
  const reader = createSubmissionReader(late(4), incoming)
  t.after(() => reader.close())
  const texts = ['one', 'two', 'three']
  const mails = texts.map(() => incoming.begin(1))
  for (const { whole } of mails) whole()
  const result = await Promise.all(texts.map((text) => reader.read(mail(text), 1)))
  for (const { answered } of mails) answered()
  assert.deepEqual(result.map(subjectOf), ['reading it took too long', 'two', 'three'])
})

test('null once the service stops', async () => {
  const reader = createSubmissionReader(systemClock, incoming)
  await reader.close()
  const result = await Promise.all([reader.read(mail('one'), 1), reader.read(mail('two'), 1)])
  assert.deepEqual(result, [null, null])
})

test('a mail is counted until it is answered, whatever became of it, and each step once', () => {
  const counts = () => [incoming.all(1), incoming.coming(1), underWay.all(1)]
  const [accepted, refused] = [incoming.begin(1), incoming.begin(1)]
  assert.deepEqual(counts(), [2, 2, 2])
  for (const step of [accepted.whole, accepted.read, accepted.whole, accepted.read]) step()
  assert.deepEqual(counts(), [2, 1, 1])
  for (const { answered } of [refused, accepted, accepted]) answered()
  assert.deepEqual(counts(), [0, 0, 0])
})

test('a mail that waits for one which never comes whole is read all the same', async (t) => {
  const reader = createSubmissionReader(systemClock, incoming)
  t.after(() => reader.close())
  const [silent, sent] = [incoming.begin(2), incoming.begin(2)]
  sent.whole()
  assert.equal(subjectOf(await reader.read(mail('one'), 2)), 'one')
  for (const { answered } of [silent, sent]) answered()
})
