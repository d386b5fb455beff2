/** Mail by SMTP: every reply of the port, and what arrives of a mail that was handed in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailsTo } from '../support/mails.ts'
import { logIn, startSubmissionWorld, submit } from './world.ts'

const world = await startSubmissionWorld()
const shop = await world.workspace('Shop')

test('250 with the id after the commit: the mail arrives', async () => {
  const talk = await logIn(world.port, shop.key)
  const reply = await submit(talk, {
    to: ['camille@example.com'],
    lines: [
      `From: Shop <hello@${shop.domain}>`,
      'To: Camille <camille@example.com>',
      'Subject: Hello',
      'Message-ID: <first@app.test>',
      'Date: Fri, 27 Nov 2026 10:00:00 +0100',
      '',
      'It works.',
      '.A dot',
    ],
  })
  assert.match(reply, /^250 2\.6\.0 Accepted as [0-9a-f-]{36}$/)
  const [mail] = await mailsTo(world.service, shop.id, 'camille@example.com')
  console.log(mail?.raw.toString())
  assert.equal(mail?.text, 'It works.\n.A dot\n')
  talk.close()
})
