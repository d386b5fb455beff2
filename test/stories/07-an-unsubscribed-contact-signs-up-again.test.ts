/**
 * The seventh story: a subscriber leaves a newsletter with one click, gets no mail, and comes back
 * by their own wish months later.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAnswered } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { press, open } from '../support/signed-in-visitor.ts'
import { openStory, sendCampaign, type Story } from '../support/story.ts'

const ada = 'ada@example.com'

test('an unsubscribed contact signs up again', async (t) => {
  const story = await openStory(t)
  let form = ''
  let hours = 0
  /** The clock of the service goes on. */
  const later = (more: number): Promise<void> => story.moveClock(`${(hours += more)} hours`)

  await t.test('1. The shop has a form on its site, and one reader already.', async () => {
    const created = await story.operator.json([
      'form',
      'create',
      'Our news',
      '--workspace',
      'demo',
      '--consent',
      'News, once a month',
    ])
    form = String(at(created, 'url'))
    assertAnswered(
      await story.call('POST /subscribers', { email: 'bob@example.com', double_opt_in: false }),
      201,
    )
  })

  await t.test(
    '2. Ada signs up. Nothing happens until she presses the button of the mail that asks her.',
    async () => {
      await signUp(story, form, () => later(0.01))
      const [request] = await story.mails(ada)
      assertAnswered(await story.call(`GET /subscribers/${ada}`), 200, { status: 'pending' })
      await confirm(story, request?.text)
      assertAnswered(await story.call(`GET /subscribers/${ada}`), 200, { status: 'subscribed' })
    },
  )

  await t.test(
    '3. She has the first issue, and leaves by the button of her mail program.',
    async () => {
      await sendCampaign(story, 'First issue')
      const mail = (await story.mails(ada, 2)).at(-1)
      assert.equal(mail?.subject, 'First issue')
      const header = (name: string): string =>
        mail?.headers.find(({ key }) => key === name)?.value ?? ''
      assert.equal(header('list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
      const [, link = ''] = /<(http[^>]+)>/.exec(header('list-unsubscribe')) ?? []
      const { status } = await fetch(link, {
        method: 'POST',
        body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      })
      assert.equal(status, 200)
      assertAnswered(await story.call(`GET /subscribers/${ada}`), 200, { status: 'unsubscribed' })
    },
  )

  await t.test('4. The second issue goes to Bob alone.', async () => {
    const campaign = await sendCampaign(story, 'Second issue')
    assertAnswered(await story.call(`GET /campaigns/${campaign}`), 200, {
      recipients: 1,
      progress: { sent: 1 },
    })
    assert.equal((await story.mails(ada, 2)).length, 2)
  })

  await t.test(
    '5. Two months later she signs up again, and is asked again: an old yes does not count.',
    async () => {
      await later(60 * 24)
      await signUp(story, form, () => later(0.01))
      // The capture mailbox stores mail for a week.
      const mails = await story.mails(ada)
      assertAnswered(await story.call(`GET /subscribers/${ada}`), 200, { status: 'unsubscribed' })
      await confirm(story, mails.at(-1)?.text)
      assertAnswered(await story.call(`GET /subscribers/${ada}`), 200, { status: 'subscribed' })
    },
  )

  await t.test(
    '6. The third issue goes to both, and the evidence has the whole story.',
    async () => {
      const campaign = await sendCampaign(story, 'Third issue')
      assertAnswered(await story.call(`GET /campaigns/${campaign}`), 200, {
        recipients: 2,
        progress: { sent: 2 },
      })
      assert.equal((await story.mails(ada, 2)).at(-1)?.subject, 'Third issue')
      const known = await story.operator.text(['contact', 'show', ada, '--workspace', 'demo'])
      assert.match(
        known,
        /asked +form[^]*confirmed +form[^]*unsubscribed +one-click[^]*asked +form[^]*confirmed +form/,
      )
    },
  )
})

/** As a visitor does it: she reads the page for a moment, and types her address. */
async function signUp(
  story: Story,
  form: string,
  readForAMoment: () => Promise<void>,
): Promise<void> {
  const page = await open(story.baseUrl, form)
  await readForAMoment()
  assert.equal((await press(story.baseUrl, page, { email: ada })).status, 200)
}

async function confirm(story: Story, text: string | undefined): Promise<void> {
  const [link = ''] = /http\S+\/confirm\/\S+/.exec(text ?? '') ?? []
  assert.equal((await press(story.baseUrl, await open(story.baseUrl, link))).status, 200)
}
