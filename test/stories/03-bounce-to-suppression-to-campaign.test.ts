/**
 * The third story: a mail comes back, and its address gets nothing further from the workspace until
 * its suppression is removed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { freePort } from '../support/free-port.ts'
import { startScriptedPeer } from '../support/scripted-peer.ts'
import { handIn } from '../support/smtp-talk.ts'
import { openStory, sendCampaign } from '../support/story.ts'
import { until } from '../support/until.ts'
import { deliveryReport, noSuchUser } from '../inbound/world.ts'

test('from a bounce to the suppression to the next campaign', async (t) => {
  const relay = await startScriptedPeer({
    offers: ['PIPELINING', 'SIZE', '8BITMIME', 'SMTPUTF8', 'DSN'],
  })
  t.after(() => relay.close())
  const inboundPort = await freePort()
  const story = await openStory(t, {
    FACTEUR_SMTP_URL: `smtp://127.0.0.1:${relay.port}?tls=none`,
    FACTEUR_INBOUND_DOMAIN: 'bounces.facteur.test',
    FACTEUR_INBOUND_HOST: '127.0.0.1',
    FACTEUR_INBOUND_PORT: String(inboundPort),
  })
  const mailsTo = (address: string) => relay.mails.filter(({ to }) => to.includes(address))
  let message = ''

  await t.test(
    '1. Ada and Bob are on the list; the shop writes to Ada, and the relay takes the mail.',
    async () => {
      for (const email of ['ada@example.com', 'bob@example.com'])
        assertAnswered(await story.call('POST /subscribers', { email, double_opt_in: false }), 201)
      const answer = await story.write('ada@example.com')
      assertAnswered(answer, 202)
      message = textAt(answer, 'id')
      // The answer waits for the relay only so long.
      const read = await until(
        () => story.call(`GET /emails/${message}`),
        (observed) => textAt(observed, 'status') !== 'queued',
      )
      assertAnswered(read, 200, { status: 'sent' })
      assert.equal(mailsTo('ada@example.com').length, 1)
    },
  )

  await t.test(
    '2. Ada’s provider knows her no longer: its report comes to the return path of that mail.',
    async () => {
      const returnPath = mailsTo('ada@example.com')[0]?.from ?? ''
      assert.ok(returnPath.endsWith('@bounces.facteur.test'))
      assert.match(
        await handIn(inboundPort, { to: returnPath, bytes: deliveryReport(noSuchUser) }),
        /^250/,
      )
      assertAnswered(await story.call(`GET /emails/${message}`), 200, {
        ...{
          status: 'bounced',
          recipients: [{ email: 'ada@example.com', error: '550 5.1.1 No such user here' }],
        },
      })
    },
  )

  await t.test('3. Her address is suppressed, and she is on the list as bounced.', async () => {
    assertAnswered(await story.call('GET /suppression?email=ada@example.com'), 200, {
      data: [{ reason: 'bounce' }],
    })
    assertAnswered(await story.call('GET /subscribers/ada@example.com'), 200, { status: 'bounced' })
  })

  await t.test('4. The next mail to her is refused, and says why.', async () => {
    assertRefused(await story.write('ada@example.com'), 'suppressed_recipient', {
      reason: 'bounce',
    })
  })

  await t.test('5. A campaign goes to Bob alone.', async () => {
    const campaign = await sendCampaign(story, 'November')
    assertAnswered(await story.call(`GET /campaigns/${campaign}`), 200, {
      recipients: 1,
      progress: { sent: 1, pending: 0 },
    })
    assert.deepEqual([mailsTo('bob@example.com').length, mailsTo('ada@example.com').length], [1, 1])
  })

  await t.test(
    '6. Ada has her mailbox back and says so: the operator opens the address, and she is written to again.',
    async () => {
      await story.operator.text(['suppression', 'remove', 'ada@example.com', '--workspace', 'demo'])
      assertAnswered(await story.write('ada@example.com'), 202)
      await until(() => mailsTo('ada@example.com').length === 2)
    },
  )
})
