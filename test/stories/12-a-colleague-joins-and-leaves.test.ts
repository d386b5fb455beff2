/**
 * The twelfth story: the owner of a workspace invites a colleague, who writes a campaign; one day
 * the colleague leaves.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { browser, type Visitor } from '../support/sign-in.ts'
import { openStory } from '../support/story.ts'

const password = 'a long way to Ithaca'
const demo = '/workspaces/demo/api/v1'

test('a colleague joins and leaves', async (t) => {
  const story = await openStory(t)
  const stranger = browser(story, null)
  const tokenOf = (link: string): string => link.split('/').at(-1) ?? ''
  let owner: Pick<Visitor, 'ask'> = stranger
  let grace: Pick<Visitor, 'ask'> = stranger
  let invitation = ''

  await t.test(
    '1. The link of the first start makes Ada the owner of the workspace. It works once.',
    async () => {
      const line = `POST /people/api/v1/set-up/${tokenOf(story.setUpLink)}`
      const body = { email: 'ada@example.com', name: 'Ada', password, workspace: 'demo' }
      const answer = await stranger.ask(line, { body })
      assertAnswered(answer, 200)
      owner = browser(story, answer.headers.get('set-cookie'))
      assertAnswered(await owner.ask('GET /people/api/v1/workspaces'), 200, {
        data: [{ slug: 'demo', role: 'owner' }],
      })
      assertRefused(
        await stranger.ask(line, { body: { ...body, email: 'eve@example.com' } }),
        'link_not_valid',
      )
    },
  )

  await t.test(
    '2. Ada invites Grace to write campaigns; the invitation is mailed to her.',
    async () => {
      const body = { email: 'grace@example.com', role: 'editor' }
      const invited = await owner.ask(`POST ${demo}/invitations`, { body })
      assertAnswered(invited, 201, { email: 'grace@example.com', mailed: true })
      invitation = tokenOf(textAt(invited, 'link'))
    },
  )

  await t.test(
    '3. Grace accepts, with a password of her own, and sees the workspace.',
    async () => {
      const accepted = await stranger.ask(`POST /people/api/v1/invitations/${invitation}`, {
        body: { name: 'Grace', password },
      })
      assertAnswered(accepted, 200, { slug: 'demo', role: 'editor' })
      grace = browser(story, accepted.headers.get('set-cookie'))
      assertAnswered(await grace.ask(`GET ${demo}/me`), 200)
    },
  )

  await t.test('4. She writes a campaign. To invite others is not hers.', async () => {
    const draft = { name: 'News', subject: 'News', text: 'News' }
    assertAnswered(await grace.ask(`POST ${demo}/campaigns`, { body: draft }), 201, {
      status: 'draft',
    })
    const friend = { email: 'friend@example.com', role: 'owner' }
    assertRefused(
      await grace.ask(`POST ${demo}/invitations`, { body: friend }),
      'insufficient_role',
      { required: 'owner' },
    )
  })

  await t.test(
    '5. Grace leaves for another shop: Ada removes her, and her browser sees nothing from then on.',
    async () => {
      const { body } = await owner.ask(`GET ${demo}/members`)
      const members = at(body, 'data') as { id: string; email: string }[]
      const { id = '' } = members.find(({ email }) => email === 'grace@example.com') ?? {}
      assertAnswered(await owner.ask(`DELETE ${demo}/members/${id}`), 200)
      assertRefused(await grace.ask(`GET ${demo}/me`), 'not_found')
    },
  )

  await t.test('6. The campaign stays, and the log says who did what.', async () => {
    assertAnswered(await story.call('GET /campaigns'), 200, { data: [{ name: 'News' }] })
    const { body } = await owner.ask(`GET ${demo}/audit`)
    const log = JSON.stringify(body)
    for (const who of ['ada@example.com', 'grace@example.com']) assert.ok(log.includes(who), who)
  })
})
