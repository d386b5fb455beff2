/** Captured mails that are read in threads: workspaces take turns. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCapturedMail } from '../../../src/core/captured/read-mail.ts'
import { systemClock } from '../../../src/ground/clock.ts'

test('a mail of one workspace is read before the many of another that came earlier', async () => {
  const ctx = { clock: systemClock, log: console }
  const ended: number[] = []
  const read = async (workspaceId: number): Promise<void> => {
    const raw = Buffer.from(`Subject: Of ${workspaceId}\r\n\r\nHello`)
    const mail = await parseCapturedMail(ctx, { workspaceId, raw, question: { want: 'page' } })
    assert.equal(mail?.subject, `Of ${workspaceId}`)
    ended.push(workspaceId)
  }
  await Promise.all([...Array.from({ length: 10 }, () => read(1)), read(2)])
  assert.ok(ended.indexOf(2) < 8, ended.join())
})
