/**
 * The client's outcomes against the referee's disk: no accepted mail is missing, and doubts are
 * reported as doubts.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import type { SmtpOutcome } from '../../../src/mail/smtp-client/outcome.ts'
import { readReferee } from '../../support/referee-sink.ts'
import { clientFor, envelopeTo, freeLease } from './phase-table.ts'

const MESSAGES = 2_000

for (const dropAfterDot of [0, 0.05]) {
  test(`${MESSAGES} envelopes, a drop after the dot with probability ${dropAfterDot}: accepted and in doubt are exactly the stored mails`, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'facteur-referee-'))
    t.after(() => rmSync(dir, { recursive: true, force: true }))
    const port = await startReferee(t, [
      '--dir',
      dir,
      '--drop-after-dot',
      String(dropAfterDot),
      '--seed',
      '7',
    ])
    const client = clientFor(port, { connections: 8 })
    t.after(() => client.close(0))
    const outcomes = new Map<string, SmtpOutcome>()
    await Promise.all(
      Array.from({ length: MESSAGES }, async (_, at) => {
        const to = `r${at}@example.test`
        outcomes.set(
          to,
          await client.handOff(
            envelopeTo(to, Buffer.from(`Subject: ${at}\r\n\r\n.${at}\r\n`)),
            freeLease,
          ),
        )
      }),
    )
    const stored = readReferee(dir)
    const ofKind = (kind: SmtpOutcome['kind']): string[] =>
      [...outcomes].filter(([, outcome]) => outcome.kind === kind).map(([to]) => to)
    assert.equal(ofKind('accepted').length + ofKind('in_doubt').length, MESSAGES)
    assert.deepEqual(
      ofKind('accepted').toSorted(),
      stored
        .filter(({ answered }) => answered)
        .map(({ to }) => to[0])
        .toSorted(),
    )
    assert.deepEqual(
      ofKind('in_doubt').toSorted(),
      stored
        .filter(({ answered }) => !answered)
        .map(({ to }) => to[0])
        .toSorted(),
    )
    for (const { to, bytes } of stored) {
      const at = to[0]?.slice(1, -'@example.test'.length)
      assert.equal(bytes.toString(), `Subject: ${at}\r\n\r\n.${at}\r\n`)
    }
  })
}

async function startReferee(t: TestContext, flags: string[]): Promise<number> {
  const referee = spawn(process.execPath, ['test/support/referee-sink.ts', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => referee.kill())
  const [line]: unknown[] = await once(createInterface({ input: referee.stdout }), 'line')
  return Number(line)
}
