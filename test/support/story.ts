/**
 * The start of a story: the whole program in a process of its own, after its first start. Stories
 * use it from outside.
 */
import assert from 'node:assert/strict'
import PostalMime, { type Email } from 'postal-mime'
import { createOperator, type Operator } from '../cli/facteur.ts'
import { ask, type Answer } from './ask.ts'
import { freshDatabase, moveClock } from './database.ts'
import { freePort } from './free-port.ts'
import { startProgram, type Program, type Scope } from './service.ts'
import { until } from './until.ts'

export interface Story {
  baseUrl: string
  /** The workspace that the first start makes, its verified domain, and the key that it prints. */
  workspace: 'demo'
  domain: 'demo.test'
  key: string
  /** Where the first user sets their account up, as the first start prints it. */
  setUpLink: string
  /** The operator at the command line, such as `['key', 'list']`. */
  operator: Operator
  /** A program of the workspace calls the API, such as `POST /emails`. */
  call(line: string, body?: unknown, key?: string): Promise<Answer>
  /** A mail to each of these; answers the call. */
  write(to: string | string[], more?: object): Promise<Answer>
  /** The mails to an address in the capture mailbox, oldest first, once `count` are there. */
  mails(recipient: string, count?: number): Promise<Email[]>
  /** Sets the service's clock to this long from now, such as `1 hour`. */
  moveClock(offset: string): Promise<void>
  /** Stops the program as an operator does, and waits for its end. */
  stop(): Promise<void>
  /** Starts it again, at the same address. */
  start(): Promise<void>
}

/** `settings` beside the database, such as a relay. */
export async function openStory(t: Scope, settings: Record<string, string> = {}): Promise<Story> {
  const { url } = await freshDatabase()
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const master = { DATABASE_URL: url, FACTEUR_MASTER_KEY: Buffer.alloc(32, 3).toString('base64') }
  const env = { ...master, FACTEUR_LANGUAGE: 'en', FACTEUR_PORT: String(port), ...settings }
  const operator = createOperator({ ...env, FACTEUR_BASE_URL: baseUrl })
  const start = async (): Promise<Program> => {
    const program = await startProgram(t, { env })
    await program.saying('Facteur is ready')
    return program
  }
  let program = await start()
  await program.saying(/\/app\/set-up\/\S+\n/)
  const printed = (pattern: RegExp): string =>
    pattern.exec(program.output())?.[1] ?? assert.fail(program.output())
  const story: Story = {
    baseUrl,
    workspace: 'demo',
    domain: 'demo.test',
    key: printed(/Bearer (fct_live_\w+)/),
    setUpLink: printed(/(http:\S+\/app\/set-up\/\S+)/),
    operator,
    call: (line, body, key = story.key) =>
      ask(baseUrl, line.replace(' /', ' /api/v1/'), { key, ...(body !== undefined && { body }) }),
    write: (to, more = {}) =>
      story.call('POST /emails', {
        from: 'hello@demo.test',
        to,
        subject: 'Hello',
        text: 'Hello',
        ...more,
      }),
    async mails(recipient, count = 1) {
      const list = async () =>
        (
          (await operator.json(['captured', 'list', '--workspace', 'demo'])) as {
            data: { id: string; recipient: string }[]
          }
        ).data
      const isThere = (listed: { recipient: string }[]): boolean =>
        listed.filter((mail) => mail.recipient === recipient).length >= count
      const matches = (await until(list, isThere)).filter((mail) => mail.recipient === recipient)
      // The newest comes first in the list.
      const raws = matches
        .toReversed()
        .map(
          async ({ id }) =>
            (await operator.run(['captured', 'raw', '--workspace', 'demo', id])).stdout,
        )
      return Promise.all((await Promise.all(raws)).map((raw) => PostalMime.parse(raw)))
    },
    moveClock: (offset) => moveClock(url, offset),
    async stop() {
      program.child.kill('SIGTERM')
      assert.deepEqual(await program.ended, { code: 0, signal: null }, program.output())
    },
    async start() {
      program = await start()
    },
  }
  return story
}

/**
 * A campaign as an editor would write it, sent; answers its id once everybody on the list was
 * handed over.
 */
export async function sendCampaign(story: Story, subject: string): Promise<string> {
  const draft = await story.call('POST /campaigns', {
    name: subject,
    subject,
    text: `${subject}: see https://example.com/news`,
  })
  assert.equal(draft.status, 201, JSON.stringify(draft.body))
  const { id } = draft.body as { id: string }
  const sent = await story.call(`POST /campaigns/${id}/send`)
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  await untilCampaignIs(story, id, 'sent')
  return id
}

export const untilCampaignIs = (story: Story, id: string, status: string): Promise<Answer> =>
  until(
    () => story.call(`GET /campaigns/${id}`),
    ({ body }) => (body as { status: string }).status === status,
  )
