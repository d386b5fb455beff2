/**
 * After `facteur restore hold` workers run on a database in which something of every kind is
 * pending: nothing reaches the relay or the receiver of webhooks but what is new. Released, each of
 * it does, so each would have left.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeFormId } from '../../src/core/input/form-id.ts'
import { makeForm } from '../../src/core/forms/make-form.ts'
import { ask, textAt } from '../support/ask.ts'
import { addSubscribers, draftOf, send } from '../support/campaign-world.ts'
import { runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { startBeside, startRelayWorld, untilNothingLeased } from '../support/relay-world.ts'
import { signIn } from '../support/sign-in.ts'
import { press, open } from '../support/signed-in-visitor.ts'
import { until } from '../support/until.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { createOperator } from './facteur.ts'

const world = await startRelayWorld({ entry: operatorEntryPoints() })
const { url } = world.database
const acme = await world.workspace('acme')
const operator = createOperator({
  DATABASE_URL: url,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
})
const receiver = await startReceiver()
const rows = async (statement: string): Promise<Record<string, unknown>[]> =>
  (await runOn(url, statement)).rows
const arrived = (): string[] => world.peer.mails.flatMap(({ to }) => to).toSorted()
const called = (): string[] =>
  receiver.calls
    .map(({ body }) => JSON.parse(body) as unknown)
    .map(
      (event) =>
        `${String(at(event, 'type'))} ${String(at(event, 'data', 'recipient') ?? at(event, 'data', 'email') ?? at(event, 'data', 'name'))}`,
    )
    .toSorted()

test('held: workers send and call nothing of it, and what is new at once', async () => {
  await fill()
  await operator.json(['restore', 'hold', '--yes'])
  await world.moveClock('20 minutes')
  const service = await startBeside(world, { workers: true })
  const answer = await ask(service.baseUrl, 'POST /api/v1/emails', {
    key: acme.key,
    body: mail('new@example.com'),
  })
  assert.equal(answer.status, 202)
  // Each lane had its turn, the clean-up found the suspension, and silence made the old mail
  // delivered.
  await until(
    async () => (await rows('select 1 from due where next_at <= facteur_now()')).length === 0,
  )
  await until(
    async () =>
      (await rows(`select 1 from message where notice and workspace_id <> ${acme.id}`)).length ===
      1,
  )
  await until(
    async () =>
      (
        await rows(
          `select 1 from recipient where status = 'delivered' and email <> 'new@example.com'`,
        )
      ).length === 2,
  )
  await receiver.received(1)
  assert.deepEqual(arrived(), ['new@example.com'])
  assert.deepEqual(called(), ['email.sent new@example.com'])
})

test('released, each of it leaves', async () => {
  await operator.json(['restore', 'release', '--all', '--yes'])
  const everybody = [
    'asked@example.com',
    'hello@beta.test',
    'listed@example.com',
    'new@example.com',
    'pending@example.com',
  ]
  const expected = [
    ...everybody,
    ...[1, 2].flatMap((n) => [`person${n}@example.com`, `person${n}@example.com`]),
  ].toSorted()
  await until(arrived, (mails) => mails.length >= expected.length)
  assert.deepEqual(arrived(), expected)
  await until(called, (calls) => calls.some((call) => call.startsWith('campaign.sent Cancelled')))
  for (const event of [
    'subscriber.created first@example.com',
    'email.delivered captured@example.com',
    'email.delivered sent@example.com',
  ])
    assert.ok(called().includes(event), `${event}: ${called().join(', ')}`)
})

const soon = (): string => new Date(Date.now() + 60_000).toISOString()

const mail = (to: string, more: object = {}): object => ({
  from: 'hello@acme.test',
  to,
  subject: 'Hello',
  text: 'It works.',
  ...more,
})

async function accept(to: string, more: object = {}): Promise<string> {
  const answer = await ask(world.baseUrl, 'POST /api/v1/emails', {
    key: acme.key,
    body: mail(to, more),
  })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return textAt(answer, 'id')
}

/** Something of every kind that a worker would send by itself. */
async function fill(): Promise<void> {
  const types = 'email.sent,email.delivered,email.failed,campaign.sent,subscriber.created'
  await operator.json(['webhook', 'create', '--workspace', 'acme', '--events', types, receiver.url])
  await ask(world.baseUrl, 'POST /api/v1/subscribers', {
    ...{ key: acme.key, body: { email: 'first@example.com', double_opt_in: false } },
  })
  await runOn(url, `update subscriber set status = 'unsubscribed'`)
  await accept('pending@example.com', { scheduled_at: soon() })
  await alreadySent()
  await campaigns()
  await signUp()
  await uploadList()
  // A suspension of which the workspace has not heard.
  const beta = await world.workspace('beta')
  await beta.setReputation({ handOffs: 1_400, bounces: 112, complaints: 1 })
}

/**
 * One mail that silence will make delivered, and one whose feedback lies in the capture mailbox.
 */
async function alreadySent(): Promise<void> {
  await accept('sent@example.com')
  const captured = await accept('captured@example.com')
  await untilNothingLeased(world.service)
  await runOn(
    url,
    `insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at, feedback_kind, feedback_at)
       values (${acme.id}, gen_random_uuid(), '${captured}', 0, '', 'captured@example.com', '', facteur_now(), 'delivered', facteur_now());
     update due set next_at = facteur_now() where lane = 'feedback'`,
  )
  assert.equal((await rows(`select 1 from recipient where status = 'sent'`)).length, 2)
  world.peer.mails.length = 0
}

/** One is sending, one is scheduled, and one is cancelled but not at its end. */
async function campaigns(): Promise<void> {
  await addSubscribers(world, acme, 2)
  const [sending, scheduled, cancelled] = [
    await draftOf(world, acme),
    await draftOf(world, acme),
    await draftOf(world, acme, { name: 'Cancelled' }),
  ]
  for (const id of [sending, cancelled]) assert.equal((await send(world, acme, id)).status, 202)
  await runOn(url, `update campaign set canceled_at = facteur_now() where id = '${cancelled}'`)
  await operator.json([
    'campaign',
    'schedule',
    '--workspace',
    'acme',
    scheduled,
    '--scheduled-at',
    soon(),
  ])
}

async function signUp(): Promise<void> {
  const form = { name: 'Our news', intro: null, consent: null, asks: [], tags: [] }
  const { id } = await makeForm(world.service, { workspaceId: acme.id, form })
  const page = await open(world.baseUrl, `/forms/${writeFormId({ workspaceId: acme.id, id })}`)
  await world.moveClock('10 seconds')
  await press(world.baseUrl, page, { email: 'asked@example.com' })
  assert.equal((await rows('select 1 from sign_up where next_at is not null')).length, 1)
}

async function uploadList(): Promise<void> {
  const editor = await signIn(world, { in: { [acme.id]: 'editor' } })
  const here = '/workspaces/acme/api/v1/imports'
  const id = textAt(
    await editor.ask(`POST ${here}?name=list.csv`, {
      raw: 'email\nlisted@example.com\n',
      type: 'text/csv',
    }),
    'id',
  )
  const started = await editor.ask(`POST ${here}/${id}/start`, {
    body: { targets: ['email'], tags: [], consent: null },
  })
  assert.equal(started.status, 202, JSON.stringify(started.body))
}
