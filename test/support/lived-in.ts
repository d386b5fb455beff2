/**
 * A workspace in which something of everything has happened, in words of the test's choice: what
 * all pages can be looked at with.
 */
import assert from 'node:assert/strict'
import PostalMime from 'postal-mime'
import { allScopes } from '../../src/contract/scopes.ts'
import { eventTypes } from '../../src/contract/events.ts'
import { sql } from '../../src/database/client/sql.ts'
import type { Api, TestWorkspace } from './api.ts'
import { ask, textAt, type Requested } from './ask.ts'
import { signIn, type Visitor } from './sign-in.ts'
import { startReceiver } from './webhook-receiver.ts'
import { until } from './until.ts'

export interface Words {
  /** Of the workspace, and of what is in it. */
  workspace: string
  contacts: readonly { email: string; firstName: string; lastName: string }[]
  subjects: readonly string[]
  /** The body of a mail, as HTML. */
  html: string
  /** Put before it in single mails, whose HTML is free: a campaign's is validated. */
  htmlBefore?: string
  /** Of senders, keys, webhooks, forms, campaigns, files: where a name alone is asked for. */
  name: string
  /** Of single things, where the name is not the one above. */
  names?: Partial<Record<Thing, string>>
  /** Absent: the first of `subjects`. */
  subjectsOfCampaigns?: Record<'sent' | 'draft' | 'planned', string>
  /**
   * Of a draft in blocks: heading, text, the picture's words, two items, a quote, a button. Absent:
   * the name.
   */
  letter?: string[]
  tag: string
  field: string
  /** The value of the field. Absent: its label. */
  city?: string
  /** The replies of a mail server and of the receiver of a webhook. */
  smtp: string
  hook: string
  userAgent: string
}

type Thing =
  | ('address' | 'key' | 'form' | 'intro' | 'consent' | 'topic' | 'topicAbout' | 'segment')
  | ('webhook' | 'file' | 'sent' | 'draft' | 'planned')

export interface LivedIn {
  owner: Visitor
  /** Ids for pages that need one: campaigns by their state, a message, a webhook. */
  ids: { draft: string; sent: string; message: string; webhook: string }
}

/**
 * Makes subscribers, mails, campaigns, feedback, opens and clicks, webhooks, forms, keys, imports
 * and all else; `slug` is the workspace's.
 */
export async function liveIn(
  api: Api,
  workspace: TestWorkspace,
  slug: string,
  words: Words,
): Promise<LivedIn> {
  const owner = await signIn(api, {
    email: `owner@${slug}.example`,
    in: { [workspace.id]: 'owner' },
  })
  const { db } = api.service
  const request = async (line: string, body?: unknown, extra: Requested = {}) => {
    const [method, path] = line.split(' ')
    const requested = { ...(body !== undefined && { body }), ...extra }
    const answer = await owner.ask(`${method} /workspaces/${slug}/api/v1${path}`, requested)
    assert.ok(answer.status < 300, `${line}: ${JSON.stringify(answer.body)}`)
    return answer
  }
  const program = async (line: string, body: unknown) => {
    const answer = await ask(api.baseUrl, line, { key: workspace.key, body })
    assert.ok(answer.status < 300, `${line}: ${JSON.stringify(answer.body)}`)
    return answer
  }
  const from = `hello@${slug}.test`
  const nameOf = (thing: Thing): string => words.names?.[thing] ?? words.name
  const city = words.city ?? words.field

  await request('PATCH /settings', {
    name: words.workspace,
    postal_address: `${nameOf('address')}\n1 Example Street`,
  })
  await request('POST /senders', { email: `news@${slug}.test`, name: words.name })
  await request('POST /keys', { name: nameOf('key'), scopes: allScopes })
  await request('POST /domains', { name: `mail.${slug}.example` })
  await request('POST /invitations', { email: `invited@${slug}.example`, role: 'editor' })
  await request('POST /forms', {
    name: nameOf('form'),
    intro: nameOf('intro'),
    consent: nameOf('consent'),
    tags: [words.tag],
  })
  await request('POST /audience/fields', { key: 'city', label: words.field })
  await request('POST /audience/topics', {
    name: nameOf('topic'),
    description: nameOf('topicAbout'),
  })
  await request('POST /audience/segments', {
    name: nameOf('segment'),
    definition: { any: [{ tag: words.tag }, { field: 'city', is: city }] },
  })

  const receiver = await startReceiver()
  receiver.answer = (_request, response) =>
    response.writeHead(500, { 'x-said': 'no' }).end(words.hook)
  const webhook = textAt(
    await program('POST /api/v1/webhooks', {
      name: nameOf('webhook'),
      url: receiver.url,
      events: [...eventTypes],
    }),
    'id',
  )

  for (const { email, firstName, lastName } of words.contacts) {
    const fields = { city }
    await program('POST /api/v1/subscribers', {
      email,
      firstName,
      lastName,
      tags: [words.tag],
      fields,
      double_opt_in: false,
    })
  }
  await request('POST /audience/bulk/tag', {
    selection: { matching: { tag: words.tag } },
    tag: words.tag,
  })
  const file = `email,first name\nsomeone@${slug}.example,${quote(words.name)}\nnot an address,${quote(words.name)}\n`
  const octets = { raw: file, type: 'text/csv' }
  await request(
    `POST /imports?name=${encodeURIComponent(`${nameOf('file')}.csv`)}`,
    undefined,
    octets,
  )
  await request('POST /suppression/imports', undefined, {
    raw: `closed@${slug}.example\n${words.name}\n`,
    type: 'text/csv',
  })
  await program('POST /api/v1/suppression', { email: `left@${slug}.example`, reason: 'manual' })

  const targets = [
    ...words.contacts.map(({ email }) => email),
    'bounced@simulator.test',
    'complained@simulator.test',
    'failed@simulator.test',
  ]
  const messages: string[] = []
  for (const [at, subject] of words.subjects.entries()) {
    const to = targets[at % targets.length] ?? from
    const attachments = [
      { filename: `${words.name}.txt`, content: Buffer.from(words.name).toString('base64') },
    ]
    const body = {
      from: `${quote(words.name)} <${from}>`,
      to,
      subject,
      html: (words.htmlBefore ?? '') + words.html,
      tags: { about: words.tag },
    }
    messages.push(
      textAt(
        await program('POST /api/v1/emails', { ...body, ...(at === 0 && { attachments }) }),
        'id',
      ),
    )
  }

  const written = (thing: 'sent' | 'draft' | 'planned') => ({
    ...{ name: nameOf(thing), from, html: words.html },
    subject: words.subjectsOfCampaigns?.[thing] ?? words.subjects[0],
  })
  const sent = textAt(await program('POST /api/v1/campaigns', written('sent')), 'id')
  await program(`POST /api/v1/campaigns/${sent}/send`, undefined)
  const dot = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const image = { raw: Uint8Array.from(dot), type: 'image/png' }
  const picture = textAt(
    await request(`POST /images?name=${encodeURIComponent(`${words.name}.png`)}`, undefined, image),
    'url',
  )
  const draft = textAt(
    await program('POST /api/v1/campaigns', {
      ...written('draft'),
      content: blocksOf(words, picture),
      html: undefined,
    }),
    'id',
  )
  const day = new Date(Date.now() + 86_400_000).toISOString()
  const planned = textAt(await program('POST /api/v1/campaigns', written('planned')), 'id')
  await request(`POST /campaigns/${planned}/schedule`, { scheduledAt: day })

  await until(async () => {
    const [row] = await db.rows<{ left: number }>(sql`
      select (select count(*) from recipient where workspace_id = ${workspace.id} and status in ('queued', 'sent'))
        + (select count(*) from campaign_recipient where workspace_id = ${workspace.id} and status in ('queued', 'sent')) as left`)
    return row?.left === 0
  })
  await openMail(api, workspace.id, words.userAgent)
  // Servers word their replies freely: those of the simulators are too polite to test a page.
  await db.count(sql`
    update recipient set response = ${words.smtp}, error = case when status in ('bounced', 'failed', 'complained') then ${words.smtp} end
    where workspace_id = ${workspace.id}`)
  await db.count(sql`
    update campaign_recipient set response = ${words.smtp} where workspace_id = ${workspace.id} and campaign_id = ${sent}`)
  await receiver.received(4)
  return { owner, ids: { draft, sent, webhook, message: messages[0] ?? '' } }
}

/** One of each kind that holds words. */
const blocksOf = (
  { name, letter = Array<string>(7).fill(name) }: Words,
  picture: string,
): object[] => {
  const [heading, text, picturesWords, first, second, quoted, button] = letter
  return [
    { type: 'heading', text: heading },
    { type: 'paragraph', text: `Dear {{firstName | default: "friend"}}, ${text}` },
    { type: 'image', src: picture, alt: picturesWords, width: 200 },
    {
      type: 'columns',
      columns: [
        [{ type: 'list', items: [first, second] }],
        [
          { type: 'quote', text: quoted },
          { type: 'button', text: button, href: 'https://example.com/' },
        ],
      ],
    },
    { type: 'html', html: `<p>${name}</p>` },
  ]
}

/** Opens the mails of the campaign and follows their links, as a reader's mail program would. */
async function openMail(api: Api, workspaceId: number, userAgent: string): Promise<void> {
  const { db } = api.service
  const mails = await db.rows<{ raw: Buffer }>(sql`
    select raw from captured_mail where workspace_id = ${workspaceId} and campaign_id is not null order by captured_at limit 4`)
  await api.moveClock('2 minutes')
  for (const { raw } of mails) {
    const { html = '' } = await PostalMime.parse(raw)
    for (const [address] of html.matchAll(/https?:\/\/[^"'\s<>]+\/[oc]\/[\w./-]+/g)) {
      await fetch(address, { headers: { 'user-agent': userAgent }, redirect: 'manual' }).then(
        (answer) => answer.arrayBuffer(),
      )
    }
  }
}

const quote = (text: string): string => `"${text.replaceAll('"', "'")}"`
