/**
 * Finds the primary among the servers of a database's address, and remembers the highest timeline
 * that any of them had. Each promotion begins a timeline with a higher number. A former primary
 * cannot know that it happened, so its lower timeline gives it away
 * (docs/decisions/0059-failover.md).
 */
import pg from 'pg'
import {
  readDatabaseServers,
  serverName,
  type DatabaseServer,
} from '../../ground/database-servers.ts'
import { connectionCode, connectionReason } from './connection-reasons.ts'

/** No server that this process may write to: a failover is under way, or the primary is away. */
export class NoPrimaryError extends Error {}

export interface ServerState {
  isStandby: boolean
  /** A standby, or set to be read only. */
  isReadOnly: boolean
  /** Null if a standby's is not its own, and some services hide it. */
  timeline: number | null
  /** Of the process that serves this connection. */
  pid: number
}

/** The server that takes writes, as this process knows it. */
export interface Primary {
  /** `host:port`. */
  name: string
  /** Null means the server hides it. */
  timeline: number | null
}

/** A connection that the memory may close. */
interface Session {
  readonly server: DatabaseServer
  /** Null if it is not known yet, or the server hides it. */
  timeline: number | null
  drop(): void
}

/** The knowledge of this process of the servers of one address. */
export class Servers {
  readonly all: readonly DatabaseServer[]
  readonly mustWrite: boolean
  /** The highest one that any session had. */
  #timeline: number | null = null
  #primary: DatabaseServer | null = null
  #finding: Promise<DatabaseServer> | null = null
  #watchers = 0
  #timer: NodeJS.Timeout | undefined
  #isSearching = false
  readonly #sessions = new Set<Session>()
  /** The last one that took a session of ours, or was seen to be promoted. */
  #last: Primary | null = null
  /** Receives each change of it. */
  onNewPrimary: (primary: Primary, former: Primary) => void = () => undefined
  /** Off in a broken variant of the sweep. */
  refusesFormer = true

  constructor(address: string) {
    const { servers, mustWrite } = readDatabaseServers(address)
    this.all = servers
    this.mustWrite = mustWrite
  }

  /** The server to connect to. Callers that wait share one search. */
  primary(): Promise<DatabaseServer> {
    const [only] = this.all
    if (this.all.length === 1 && only) return Promise.resolve(only)
    if (this.#primary) return Promise.resolve(this.#primary)
    return (this.#finding ??= this.#find().finally(() => (this.#finding = null)))
  }

  /** Null if there was none yet. */
  last(): Primary | null {
    return this.#last
  }

  /** The next connection looks for the primary again. */
  forget(server: DatabaseServer): void {
    if (this.#primary === server) this.#primary = null
  }

  /** Of a session that begins to connect. */
  enter(session: Session): void {
    this.#sessions.add(session)
  }

  /** Throws for a server that is not the primary. */
  admit(session: Session, state: ServerState): void {
    const problem = this.#problemOf(state)
    if (problem !== null)
      throw new NoPrimaryError(`The server ${serverName(session.server)} is ${problem}`)
    session.timeline = state.timeline
    this.#learn(session.server, state.timeline)
  }

  leave(session: Session): void {
    this.#sessions.delete(session)
  }

  /** Each pool watches while it is open; one look serves all. Answers the function that ends it. */
  watch(): () => void {
    if (this.#watchers++ === 0)
      this.#timer = setInterval(() => void this.#look(), pollEveryMs).unref()
    return () => {
      if (--this.#watchers === 0) clearInterval(this.#timer)
    }
  }

  /**
   * Asks the other servers whether one of them was promoted; then sessions of the former primary
   * end at once.
   */
  async #look(): Promise<void> {
    // A search under way asks all of them.
    if (this.#isSearching || this.#finding) return
    this.#isSearching = true
    const others = this.all.filter((server) => server !== this.#primary)
    await Promise.all(
      others.map(async (server) => {
        const state = await askServer(server).catch(() => null)
        if (state && !state.isReadOnly && this.#isNewer(state.timeline))
          this.#learn(server, state.timeline)
      }),
    )
    this.#isSearching = false
  }

  #isNewer(timeline: number | null): boolean {
    return (
      this.refusesFormer &&
      timeline !== null &&
      this.#timeline !== null &&
      timeline > this.#timeline
    )
  }

  #problemOf({ isStandby, isReadOnly, timeline }: ServerState): string | null {
    if (this.mustWrite && isStandby) return 'a standby'
    if (this.mustWrite && isReadOnly) return 'read only'
    if (
      this.refusesFormer &&
      timeline !== null &&
      this.#timeline !== null &&
      timeline < this.#timeline
    )
      return `a former primary: it has timeline ${timeline}, and ${this.#timeline} has begun`
    return null
  }

  #learn(server: DatabaseServer, timeline: number | null): void {
    const isNewer = this.#isNewer(timeline)
    this.#primary = server
    if (timeline !== null) this.#timeline = Math.max(timeline, this.#timeline ?? 0)
    const former = this.#last
    const last = (this.#last = { name: serverName(server), timeline })
    if (former !== null && (former.name !== last.name || former.timeline !== timeline))
      this.onNewPrimary(last, former)
    if (!isNewer) return
    for (const session of this.#sessions)
      if (
        session.timeline === null ? session.server !== server : session.timeline < (timeline ?? 0)
      )
        session.drop()
  }

  /**
   * Asks all at once. A timeline that is new to us decides at once. Otherwise the others get a
   * moment to answer, since one of them may have a higher timeline than the first that takes
   * writes.
   */
  async #find(): Promise<DatabaseServer> {
    const problems: string[] = []
    let result: { server: DatabaseServer; timeline: number } | null = null
    const { promise: decided, resolve: decide } = Promise.withResolvers<void>()
    const requested = this.all.map(async (server) => {
      const state = await askServer(server).catch((error: unknown) => {
        problems.push(`${serverName(server)}: ${reasonOf(error)}`)
        return null
      })
      if (state === null) return
      const problem = this.#problemOf(state)
      if (problem !== null) return void problems.push(`${serverName(server)} is ${problem}`)
      const timeline = state.timeline ?? 0
      if (result === null || timeline > result.timeline) result = { server, timeline }
      if (this.#isNewer(state.timeline)) decide()
      else setTimeout(decide, othersMs).unref()
    })
    await Promise.race([decided, Promise.all(requested)])
    const best = result as { server: DatabaseServer } | null
    if (best === null) throw new NoPrimaryError(`No server takes writes: ${problems.join('; ')}`)
    this.#primary = best.server
    return best.server
  }
}

/** How long the others may still answer once one was found, in milliseconds. */
const othersMs = 1_000

/** How long a server may take to answer what it is, in milliseconds. */
const answerMs = 3_000

const reasonOf = (error: unknown): string =>
  connectionReason(error) ?? `it does not answer (${connectionCode(error) || String(error)})`

/** By address, for the life of the process: what one connection has seen holds for all. */
const known = new Map<string, Servers>()

export function serversOf(address: string): Servers {
  const servers = known.get(address) ?? new Servers(address)
  known.set(address, servers)
  return servers
}

/** How often a process looks at the servers that it has no connection to, in milliseconds. */
const pollEveryMs = 1_000

/**
 * Notices a promotion while sessions still wait for the former primary. Answers the function that
 * ends it.
 */
export function watchServers(address: string): () => void {
  const servers = serversOf(address)
  if (servers.all.length === 1) return () => undefined
  return servers.watch()
}

export const describePrimary = ({ name, timeline }: Primary): string =>
  timeline === null ? name : `${name}, timeline ${timeline}`

async function askServer(server: DatabaseServer): Promise<ServerState> {
  const client = new pg.Client({
    connectionString: server.url,
    application_name: 'facteur check',
    connectionTimeoutMillis: answerMs,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await askState(client)
  } finally {
    client.end().catch(() => undefined)
    // One that does not answer says no goodbye either.
    client.connection.stream.destroy()
  }
}

/**
 * The timeline is that of the log's next byte: the control file has it only after a checkpoint. A
 * service that hides these functions leaves the rest.
 */
export async function askState(client: pg.ClientBase): Promise<ServerState> {
  const timeline = `('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int`
  const ask = async (ownTimeline: string): Promise<ServerState> => {
    const { rows } = await client.query<ServerState>(
      inTime(`
        select pg_is_in_recovery() as "isStandby",
          current_setting('transaction_read_only') = 'on' as "isReadOnly",
          case when not pg_is_in_recovery() then ${ownTimeline} end as timeline, pg_backend_pid() as pid`),
    )
    const [row] = rows
    if (!row) throw new Error('The server did not say what it is')
    return row
  }
  try {
    return await ask(timeline)
  } catch (error) {
    if (error instanceof pg.DatabaseError) return ask('null::int')
    throw error
  }
}

const inTime = (text: string): { text: string; query_timeout: number } => ({
  text,
  query_timeout: answerMs,
})
