/**
 * A service whose relay is a scripted peer on a real socket, and whose workers take a turn only
 * when a test says so.
 */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import type { Service } from '../../src/core/context.ts'
import { assumeDeliveredSeconds } from '../../src/core/sending/record-outcome.ts'
import { claimRecipients, type ClaimedRow } from '../../src/db/sending/claims.ts'
import { sql } from '../../src/database/client/sql.ts'
import { createDeliverDue } from '../../src/entrypoints/workers/deliver-due.ts'
import { createGiveFeedback } from '../../src/entrypoints/workers/give-feedback.ts'
import { createSlots } from '../../src/entrypoints/workers/slots.ts'
import type { Provider } from '../../src/providers/provider.ts'
import { createSmtpRelay } from '../../src/providers/smtp-relay/smtp-relay.ts'
import { startApi, type Api, type ApiOptions, type TestWorkspace } from './api.ts'
import { ask, textAt, type Answer } from './ask.ts'
import { startScriptedPeer, type Script, type ScriptedPeer } from './scripted-peer.ts'
import { until } from './until.ts'

export interface RelayWorld extends Api {
  peer: ScriptedPeer
  /** Sets the behaviour of the peer from now on. Undefined means it accepts everything. */
  answer(script: Script | undefined): void
}

/** A recipient row as it stands. */
export interface LedgerRow {
  position: number
  email: string
  status: string
  state: string
  error: string | null
  attempts: number
  doubts: number
  troubles: number
  fence: number
  response: string | null
  /** Seconds from the database's now. */
  nextIn: number
}

export async function startRelayWorld(options: ApiOptions = {}): Promise<RelayWorld> {
  let script: Script | undefined
  const peer = await startScriptedPeer({ script: (at) => script?.(at) })
  after(() => peer.close())
  const api = await startApi({ provider: relayTo(peer), workers: false, ...options })
  return { ...api, peer, answer: (next) => (script = next) }
}

/**
 * The peer answers so many final dots as the script says, and the later ones once `goOn` is called:
 * a campaign stays on its way.
 */
export function answerDots(
  { answer }: RelayWorld,
  dots: number,
  script: Script = () => undefined,
): { goOn: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let count = 0
  answer((at) => {
    const reply = script(at)
    if (at.phase !== 'dot' || ++count <= dots) return reply
    return { say: typeof reply === 'string' ? reply : '250 2.0.0 taken', after: promise }
  })
  return { goOn: resolve }
}

/** Another process: the same database and the same relay. */
export async function startBeside(
  world: RelayWorld,
  options: ApiOptions = {},
): Promise<RelayWorld> {
  const api = await startApi({
    provider: relayTo(world.peer),
    workers: false,
    database: world.database,
    ...options,
  })
  return { ...world, ...api }
}

const relayTo = (peer: ScriptedPeer): Provider =>
  createSmtpRelay({
    relay: { host: '127.0.0.1', port: peer.port, tls: 'none' },
    clock: systemClock,
    backoffMs: { first: 1, max: 1 },
  })

/** POST /emails with what the test leaves open filled in. */
export function post(
  api: Api,
  workspace: TestWorkspace,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const email = {
    from: `hello@${workspace.domain}`,
    to: 'someone@example.com',
    subject: 'Bonjour',
    text: 'Bonjour',
    ...body,
  }
  return ask(api.baseUrl, 'POST /api/v1/emails', { key: workspace.key, body: email, headers })
}

/**
 * Sends, and answers the id of what was accepted. What the relay took meanwhile is recorded behind
 * the answer.
 */
export async function accepted(...call: Parameters<typeof post>): Promise<string> {
  const answer = await post(...call)
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return textAt(answer, 'id')
}

/** Sends, and answers the id once the relay's answer is recorded. */
export async function handedOver(...call: Parameters<typeof post>): Promise<string> {
  const id = await accepted(...call)
  await untilNothingLeased(call[0].service)
  return id
}

/** GET /emails/{id}. */
export async function read(api: Api, workspace: TestWorkspace, id: string): Promise<unknown> {
  const answer = await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: workspace.key })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

/** One turn of a worker for a workspace, to the end of all that it began. */
export async function turn(api: Api, workspace: TestWorkspace, share = 1_000): Promise<void> {
  await begin(api, workspace, share)
  await untilNothingLeased(api.service)
}

/** One turn of a worker, whose hand-offs go on by themselves. */
export async function begin({ service }: Api, { id }: TestWorkspace, share = 1_000): Promise<void> {
  await createDeliverDue(service, createSlots(service))(id, share, () => undefined)
}

/** Claims as a worker does, and hands nothing over. */
export async function claim(
  { service }: Api,
  { id }: TestWorkspace,
  max = 10,
): Promise<ClaimedRow[]> {
  return (
    await claimRecipients(service.db, id, 'transactional', { max, bytesMax: 1e9, leaseSeconds: 90 })
  ).claimed
}

/** One turn of the feedback lane: pending events, and assumed deliveries. */
export async function newsTurn({ service }: Api, { id }: TestWorkspace): Promise<void> {
  const giveFeedback = createGiveFeedback(service)
  while ((await giveFeedback(id, assumeDeliveredSeconds(service, id))) === 'more');
}

export async function untilNothingLeased(service: Service): Promise<void> {
  await until(() => service.sending.leasedCount() === 0)
}

/** The ledger's rows of a message. */
export function ledger(
  { service }: Api,
  { id }: TestWorkspace,
  messageId: string,
): Promise<LedgerRow[]> {
  return service.db.rows<LedgerRow>(sql`
    select position, email, status, state, error, attempts, doubts, troubles, fence, response,
      extract(epoch from next_at - facteur_now())::float8 as next_in
    from recipient where workspace_id = ${id} and message_id = ${messageId} order by position`)
}

/** The one row of a message to one recipient. */
export async function ledgerRow(...of: Parameters<typeof ledger>): Promise<LedgerRow> {
  const [row, ...others] = await ledger(...of)
  assert.ok(row && others.length === 0)
  return row
}
