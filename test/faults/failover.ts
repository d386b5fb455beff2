/**
 * The primary dies or freezes under load and the standby takes over: nothing accepted is lost, and
 * a former primary is left alone.
 */
import { connect } from '../../src/database/client/connect.ts'
import { lostConnection } from '../../src/database/client/database-errors.ts'
import { acceptedId, call, rest, describeEnd, type CallEnd } from '../support/fault-calls.ts'
import { checkMails, debited, readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import { restartPort } from '../support/fault-port.ts'
import { mailTo, openWorld, type Run, type World } from '../support/fault-world.ts'
import {
  startReplicated,
  type PostgresServer,
  type ReplicatedPostgres,
} from '../support/replicated-postgres.ts'
import { comes, completesWithin, until } from '../support/until.ts'
import type { Scenario } from './scenario.ts'

export const failover: Scenario = {
  name: 'failover',
  promise:
    'A failover with a synchronous standby: every 202 is on the new primary, only 503 in between, nothing writes to the former one',
  broken: ['connect.durable', 'connect.timeline'],
  async play(run) {
    const postgres = await startReplicated(
      { after: (end) => run.after(end) },
      { synchronous: true },
    )
    const world = await openWorldOn(run, postgres)
    const port = await restartPort()
    const service = await world.start({ role: 'all', port })
    const load = startCallers(world, port)
    const wrong: string[] = []
    for (let failovers = 0; failovers < (run.whole ? 10 : 2) && wrong.length === 0; failovers++) {
      if (failovers > 0) await postgres.replaceFormer()
      await load.goesOn(20)
      await run.draw.moment(0, 500)
      wrong.push(
        ...(await failOver(run, { postgres, world, port, load, freezes: failovers % 2 === 0 })),
      )
      wrong.push(...(await whatIsLost(world, load)))
    }
    await load.stop()
    if (!service.isAlive()) wrong.push('the service ended')
    if (wrong.length === 0) wrong.push(...(await checkAccepted(world, load)))
    wrong.push(...load.wrong)
    return wrong.length === 0 ? [] : [...wrong, `the service said last:\n${service.lastLines()}`]
  },
}

interface Played {
  postgres: ReplicatedPostgres
  world: World
  port: number
  load: Callers
  /** As a machine that is cut off, and comes back; otherwise it is gone. */
  freezes: boolean
}

async function failOver(
  run: Run,
  { postgres, world, port, load, freezes }: Played,
): Promise<string[]> {
  const began = Date.now()
  const former = postgres.primary()
  if (freezes) former.signal('SIGSTOP')
  else {
    await former.kill()
    await until(
      () => readiness(world, port),
      (answer) => answer === '503 {"status":"not_ready","reasons":[{"reason":"no_primary"}]}',
    )
  }
  await postgres.promote()
  const goesOn = load.goesOn(1).then(() => Date.now() - began)
  const wrong = freezes ? await comesBack(run, postgres, { former, goesOn, load }) : []
  const ms = await goesOn
  const how = freezes ? 'frozen' : 'killed'
  if (run.broken === null) console.log(`  ${how}: first 202 after ${ms} ms`)
  if (ms > 30_000) wrong.push(`the first 202 came ${ms} ms after the primary was ${how}`)
  await until(
    () => readiness(world, port),
    (answer) => answer === '200 {"status":"ready"}',
  )
  return wrong
}

interface Return {
  former: PostgresServer
  /** Resolves with the first 202 of the new primary. */
  goesOn: Promise<unknown>
  load: Callers
}

/** It takes writes again, without a standby to wait for. */
async function comesBack(
  run: Run,
  postgres: ReplicatedPostgres,
  { former, goesOn, load }: Return,
): Promise<string[]> {
  await completesWithin(goesOn, 3_000)
  former.signal('SIGCONT')
  // A broken variant shows by those that stay.
  const leavesMs = run.broken === null ? undefined : 6_000
  const ours = `application_name like 'facteur%' and application_name <> 'facteur check'`
  let sessions: unknown = null
  const leaves = (but = ''): Promise<boolean> =>
    comes(async () => {
      const answer = await former.ask(
        `select json_agg(json_build_array(application_name, state, wait_event, query)) as sessions
         from pg_stat_activity where ${ours} ${but}`,
      )
      return (sessions = answer['sessions']) === null
    }, leavesMs)
  // What waits for the standby does not notice that its client is gone, and neither does what waits
  // for a lock of that.
  if (
    !(await leaves(
      `and wait_event is distinct from 'SyncRep' and cardinality(pg_blocking_pids(pid)) = 0`,
    ))
  ) {
    // Callers that wait there would wait for long.
    await former.kill()
    return [`the service still has sessions at the former primary: ${JSON.stringify(sessions)}`]
  }
  await former.ask(`alter system set synchronous_standby_names = ''`)
  await former.ask('select pg_reload_conf()')
  await leaves()
  const before = await written(former)
  // Each process has to connect again, and may choose.
  await postgres
    .primary()
    .ask(`select pg_terminate_backend(pid) from pg_stat_activity where ${ours}`)
  await load.goesOn(20)
  return before === (await written(former)) ? [] : ['the former primary was written to']
}

/**
 * No transaction that writes ends without a number of its own; nothing else of the server takes
 * one.
 */
const written = async (server: PostgresServer): Promise<unknown> =>
  (await server.ask('select pg_snapshot_xmax(pg_current_snapshot())::text as next'))['next']

async function readiness(world: World, port: number): Promise<string> {
  const response = await fetch(`${world.addressOf(port)}/readyz`).catch(String)
  return typeof response === 'string' ? response : `${response.status} ${await response.text()}`
}

export interface Callers {
  /**
   * By the ids that a 202 gave: the recipient, and when it came, in milliseconds of the wall clock.
   */
  accepted: ReadonlyMap<string, { to: string; atMs: number }>
  wrong: readonly string[]
  goesOn(calls: number): Promise<unknown>
  stop(): Promise<unknown>
}

/** Each sends one mail after the other, and repeats a call with its key until it is accepted. */
export function startCallers(world: World, port: number): Callers {
  const accepted = new Map<string, { to: string; atMs: number }>()
  const wrong: string[] = []
  const stopped = new AbortController()
  const caller = async (number: number): Promise<void> => {
    for (let count = 0; !stopped.signal.aborted; count++) {
      const to = `caller-${number}-${count}@example.test`
      const end = await sendUntilAccepted(to)
      const id = acceptedId(end)
      if (id === null) return
      accepted.set(id, { to, atMs: Date.now() })
    }
  }
  const sendUntilAccepted = async (to: string): Promise<CallEnd> => {
    for (;;) {
      const end = await call({
        ...{ url: world.addressOf(port), apiKey: world.apiKey, line: 'POST /api/v1/emails' },
        ...{ body: mailTo(world, to), idempotencyKey: to },
      })
      if (acceptedId(end) !== null) return end
      const isExpected = typeof end !== 'string' && end.status === 503 && end.retryAfter !== null
      if (!isExpected)
        wrong.push(
          `the call for ${to} ended otherwise than by 202 or 503 with Retry-After: ${describeEnd(end)}`,
        )
      if (!isExpected && stopped.signal.aborted) return end
      await rest(50)
    }
  }
  const all = Promise.all(Array.from({ length: 8 }, (_, number) => caller(number)))
  return {
    ...{ accepted, wrong },
    goesOn(more) {
      const enough = accepted.size + more
      return until(() => accepted.size >= enough)
    },
    stop() {
      stopped.abort()
      return all
    },
  }
}

/** Each 202 is a row on the primary of now. */
const whatIsLost = async (world: World, load: Callers): Promise<string[]> =>
  (await lostCalls(world, load)).map(
    ({ id, to }) => `lost: ${to} was answered 202 with ${id}, and there is no such row`,
  )

export async function lostCalls(
  world: World,
  { accepted }: Callers,
): Promise<{ id: string; to: string; atMs: number }[]> {
  const calls = [...accepted]
  // Our own connection, too, finds the new primary at its second attempt.
  const rows = await until(() => readLedger(world.db, world.workspaceId).catch(nullIfLost))
  const known = new Set(rows.map((row) => row.messageId))
  return calls.filter(([id]) => !known.has(id)).map(([id, accept]) => ({ id, ...accept }))
}

function nullIfLost(error: unknown): null {
  if (lostConnection(error)) return null
  throw error
}

/** Found once, sent without a silent double, and counted once. */
async function checkAccepted(world: World, load: Callers): Promise<string[]> {
  const wrong = await unfinishedRows(world.db, world.workspaceId)
  wrong.push(...(await whatIsLost(world, load)))
  const rows = await readLedger(world.db, world.workspaceId)
  const used = await debited(world.db, world.workspaceId)
  if (rows.length !== load.accepted.size)
    wrong.push(`${load.accepted.size} calls were accepted, and there are ${rows.length} recipients`)
  if (used !== rows.length) wrong.push(`${rows.length} recipients, and ${used} were debited`)
  return [...wrong, ...checkMails(rows, world.mails())]
}

export async function openWorldOn(run: Run, { url }: ReplicatedPostgres): Promise<World> {
  const connection = connect({ connectionString: url })
  run.after(() => connection.end())
  return openWorld(run, { database: { url, connection } })
}
