/**
 * A holder of a token chooses the bytes of a mail to it: no parser holds up or ends the service.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { systemClock, type Clock } from '../../src/ground/clock.ts'
import { createMailReader } from '../../src/entrypoints/inbound/read-in-threads.ts'
import { readIncomingMail } from '../../src/mail/smtp-server/read-incoming-mail.ts'
import { startSender } from './hand-in-thread.ts'
import { quietly } from './quietly.ts'
import { deliveryReport, noSuchUser, recipientsNow, relayedTo, startRelayedWorld } from './world.ts'

const quiet = (): void => undefined
const world = await startRelayedWorld({
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
})
const shop = await world.workspace('Hostile returns')
const ours = await relayedTo(world, shop, ['person@example.com'])
const to = ours.returnPaths[0] ?? ''

const lines = (count: number, line: string): string => line.repeat(count)
const nested = Array.from(
  { length: 400 },
  (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
).join('')

/** Each is below 2 MB. */
const mails: Record<string, string> = {
  'a hundred thousand parts': `MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${lines(100_000, '--b\r\n\r\nx\r\n')}`,
  '400 multiparts in each other': `MIME-Version: 1.0\r\n${nested}`,
  '499 parts in base64': `Content-Type: multipart/mixed; boundary=b\r\n\r\n${lines(499, `--b\r\nContent-Transfer-Encoding: base64\r\n\r\n${'QUJD'.repeat(800)}\r\n`)}`,
  '300 mails in each other': `Content-Type: message/rfc822\r\n\r\n${lines(300, 'Content-Type: message/rfc822\r\n\r\n')}`,
  'a line of two million letters': `Subject: x\r\n\r\n${'a'.repeat(1_900_000)}`,
  'a header of two million letters': `Subject: ${'a'.repeat(1_900_000)}\r\n\r\n`,
  'two hundred thousand headers': `${lines(200_000, 'X: a\r\n')}\r\n`,
  'a folded header without end': `Subject: x${lines(200_000, '\r\n a')}\r\n\r\n`,
  'encoded words without end': `Subject: ${lines(15_000, '=?utf-8?b?QQ==?= ')}\r\n\r\n`,
  'comments in comments': `To: ${'('.repeat(200_000)}\r\n\r\n`,
  'html in base64': `Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n${'PGRpdj48Yj4='.repeat(150_000)}`,
  'entities without end': `Content-Type: text/html\r\n\r\n${'&amp'.repeat(450_000)}`,
  'dots at each line': `Subject: x\r\n\r\n${lines(30_000, '.\r\n')}`,
  'a hundred thousand recipients in a report': deliveryReport(
    lines(20_000, 'Final-Recipient: rfc822; a@b.test\nAction: failed\nStatus: 5.7.1\n\n'),
  ),
  'a report that is one long status': deliveryReport(
    `Action: failed\nDiagnostic-Code: smtp; ${'5.1.'.repeat(300_000)}`,
  ),
  'replies without end': `From: MAILER-DAEMON\r\nSubject: failure notice\r\n\r\n${lines(100_000, '550 5.7.1 x\r\n ')}`,
  'addresses without end': `From: MAILER-DAEMON\r\nSubject: failure notice\r\n\r\n${'a@'.repeat(900_000)}`,
  'blanks without end': `From: MAILER-DAEMON\r\nSubject: failure notice\r\n\r\n${' '.repeat(1_900_000)}`,
}

test('hostile mails: each is answered, none holds up the event loop, and a notice among them is read', async () => {
  const among = await relayedTo(world, shop, ['among@example.com'])
  const senders = [startSender(), startSender()]
  try {
    for (const [name, bytes] of Object.entries(mails)) {
      assert.ok(bytes.length <= 2_000_000, name)
      await quietly(name, async () => {
        assert.match(
          (await senders[0]?.handIn(world.port, { to, bytes })) ?? '',
          /^(?:250|554) /,
          name,
        )
      })
    }
    // One sender's mails keep both threads busy; the other's comes through.
    const flood = (async () => {
      for (const bytes of Object.values(mails).slice(0, 6))
        await senders[0]?.handIn(world.port, { to, bytes })
    })()
    const reply = await senders[1]?.handIn(world.port, {
      to: among.returnPaths[0] ?? '',
      bytes: deliveryReport(noSuchUser),
    })
    assert.match(reply ?? '', /^250/)
    await flood
  } finally {
    await Promise.all(senders.map((sender) => sender.close()))
  }
  assert.equal((await recipientsNow(world, shop, among.id))[0]?.status, 'bounced')
  // A holder of the token of their own mail can harm only themself.
  assert.notEqual((await recipientsNow(world, shop, ours.id))[0]?.status, 'bounced')
})

test('a mail in crumbs is copied as it comes: kept by themselves, they would take a hundred times its bytes', async () => {
  const whole = Buffer.from(Array.from({ length: 50_000 }, (_, n) => n % 251))
  const crumb = Buffer.alloc(1)
  async function* crumbs(): AsyncGenerator<Buffer> {
    for (const octet of whole) {
      crumb[0] = octet
      yield crumb
    }
  }
  let retained = 0
  const memory = {
    retain: (byteCount: number) => (retained += byteCount) > 0,
    release: (byteCount: number) => void (retained -= byteCount),
  }
  assert.deepEqual(
    await readIncomingMail(Object.assign(Readable.from(crumbs()), { sizeExceeded: false }), {
      memory,
      bytesMax: 2_000_000,
    }),
    whole,
  )
  assert.equal(retained, whole.length)
})

test('a mail beyond the memory limit is read to its end, and nothing of it is held', async () => {
  const pieces = [Buffer.alloc(10), Buffer.alloc(10), Buffer.alloc(10)]
  let left = pieces.length
  async function* coming(): AsyncGenerator<Buffer> {
    for (const piece of pieces) {
      left--
      yield piece
    }
  }
  let retained = 0
  const retain = (byteCount: number): boolean =>
    retained + byteCount <= 20 && (retained += byteCount) > 0
  const memory = { retain, release: (byteCount: number) => void (retained -= byteCount) }
  assert.equal(
    await readIncomingMail(Object.assign(Readable.from(coming()), { sizeExceeded: false }), {
      memory,
      bytesMax: 2_000_000,
    }),
    'busy',
  )
  assert.deepEqual([left, retained], [0, 0])
})

test('a mail that takes too long is given up, and its thread with it; the next is read by another', async () => {
  const reader = createMailReader({ clock: systemClock, threads: 1, withinMs: 1 })
  const slow = Buffer.from(mails['html in base64'] ?? '')
  assert.deepEqual(await reader.read(slow, 'returned', '192.0.2.1'), {
    unreadable: 'reading it took too long',
  })
  const patient = createMailReader({ clock: systemClock, threads: 1 })
  const answers = await Promise.all(
    [slow, Buffer.from(deliveryReport(noSuchUser))].map((raw) =>
      patient.read(raw, 'returned', '192.0.2.1'),
    ),
  )
  assert.partialDeepStrictEqual(answers[1], {
    mail: { kind: 'status', action: 'failed', code: '5.1.1' },
  })
  assert.deepEqual(await reader.read(slow, 'returned', '192.0.2.1'), {
    unreadable: 'reading it took too long',
  })
  await Promise.all([reader.close(), patient.close()])
  assert.equal(await reader.read(slow, 'returned', '192.0.2.1'), null)
})

test('a mail that waits for a processor is not given up: only the time counts in which it is read', async () => {
  let sleeps = 0
  // Time passes at once while the thread begins, and then not any more.
  const sleep: Clock['sleep'] = async (_ms, signal) => {
    if (++sleeps > 1 && signal) await once(signal, 'abort')
  }
  const reader = createMailReader({ clock: { now: systemClock.now, sleep }, threads: 1 })
  const answer = await reader.read(Buffer.from(deliveryReport(noSuchUser)), 'returned', '192.0.2.1')
  assert.partialDeepStrictEqual(answer, {
    mail: { kind: 'status', action: 'failed', code: '5.1.1' },
  })
  await reader.close()
})

test('more mails than may wait are not taken: the sender comes again', async () => {
  const reader = createMailReader({ clock: systemClock, threads: 1, waitingMax: 2 })
  const raw = Buffer.from(deliveryReport(noSuchUser))
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => reader.read(raw, 'returned', '192.0.2.1')),
  )
  assert.equal(answers.filter((answer) => answer === null).length, 2)
  await reader.close()
})

test('networks take turns: none ever has all threads, and its waiting mails give way to those of another', async () => {
  const reader = createMailReader({ clock: systemClock, threads: 2, waitingMax: 4 })
  const raw = Buffer.from(deliveryReport(noSuchUser))
  const order: string[] = []
  const read = async (address: string): Promise<void> => {
    const answer = await reader.read(raw, 'returned', address)
    order.push(`${address} ${answer === null ? 'gives way' : 'is read'}`)
  }
  // One begins and four wait; then the same network, by another address of it, may add none.
  const flood = Array.from({ length: 5 }, () => read('2001:db8::1'))
  await read('2001:db8::2')
  assert.deepEqual(order, ['2001:db8::2 gives way'])
  // The second thread is free for others: the first of them begins at once, and one waits in the
  // place of a mail of the flood.
  await Promise.all([...flood, read('192.0.2.1'), read('192.0.2.1')])
  const outcomes = order.slice(1)
  assert.equal(outcomes.filter((outcome) => outcome === '2001:db8::1 gives way').length, 1)
  assert.equal(outcomes.filter((outcome) => outcome === '192.0.2.1 is read').length, 2)
  await reader.close()

  // With one thread the turns are visible: after the mail that is being read, one of each network.
  const single = createMailReader({ clock: systemClock, threads: 1 })
  const turns: string[] = []
  const take = (address: string): Promise<void> =>
    single.read(raw, 'returned', address).then(() => void turns.push(address))
  await Promise.all([...Array.from({ length: 5 }, () => take('192.0.2.2')), take('192.0.2.3')])
  assert.equal(turns.indexOf('192.0.2.3'), 2)
  await single.close()
})
