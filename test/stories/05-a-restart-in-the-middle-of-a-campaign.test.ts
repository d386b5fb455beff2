/**
 * The fifth story: a new version is installed while a campaign is on its way. Every recipient has
 * the mail, and none has it twice.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertAnswered, textAt } from '../support/ask.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { startScriptedPeer } from '../support/scripted-peer.ts'
import { openStory, untilCampaignIs } from '../support/story.ts'

const readers = Array.from({ length: 300 }, (_, index) => `reader${index}@example.com`)

test('a restart in the middle of a campaign', async (t) => {
  const relay = await startScriptedPeer()
  t.after(() => relay.close())
  const story = await openStory(t, {
    FACTEUR_SMTP_URL: `smtp://127.0.0.1:${relay.port}?tls=none`,
    // Slow enough to be in the middle of it.
    FACTEUR_RATE_PER_SECOND: '100',
  })
  let path = ''

  await t.test('1. Three hundred readers come from a file.', async () => {
    const file = join(makeTemporaryFolder('story'), 'readers.csv')
    writeFileSync(file, `email\n${readers.join('\n')}\n`)
    const output = await story.operator.text([
      ...['subscriber', 'import', file, '--workspace', 'demo'],
      ...['--consent', 'Asked at the fair'],
    ])
    assert.match(output, /300 new/)
  })

  await t.test('2. The campaign is sent to all of them.', async () => {
    const draft = await story.call('POST /campaigns', {
      name: 'News',
      subject: 'News',
      text: 'News of November',
    })
    path = `/campaigns/${textAt(draft, 'id')}`
    assertAnswered(await story.call(`POST ${path}/send`), 202, { queued: 300 })
  })

  await t.test('3. A third of it has left when the operator stops the service.', async () => {
    await relay.until(() => relay.mails.length >= 100)
    await story.stop()
    assert.ok(relay.mails.length < 300, `${relay.mails.length} mails`)
  })

  await t.test('4. The service starts again, and goes on by itself.', async () => {
    const before = relay.mails.length
    await story.start()
    await untilCampaignIs(story, path.split('/')[2] ?? '', 'sent')
    assert.ok(relay.mails.length > before)
  })

  await t.test('5. Each reader has the mail once, and the counters say the same.', async () => {
    assert.deepEqual(relay.mails.flatMap(({ to }) => to).toSorted(), readers.toSorted())
    assertAnswered(await story.call(`GET ${path}`), 200, {
      ...{
        recipients: 300,
        progress: { pending: 0, sent: 300, failed: 0, suppressed: 0, in_doubt: 0 },
      },
    })
  })
})
