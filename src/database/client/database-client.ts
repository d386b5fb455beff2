/**
 * A connection to the database, wherever its primary is now. Everything that connects uses it, so
 * that nothing of ours writes to a standby or to a former primary.
 */
import pg from 'pg'
import type { DatabaseServer } from '../../ground/database-servers.ts'
import { askState, serversOf, type Servers } from './servers.ts'

export class DatabaseClient extends pg.Client {
  readonly #servers: Servers
  /** The one that it connects to. */
  server: DatabaseServer
  #hasEnded = false
  /** Null means the server hides it. */
  timeline: number | null = null
  /** Of the server's process, once it has connected. */
  pid = 0

  constructor(config: pg.ClientConfig = {}) {
    const servers = serversOf(config.connectionString ?? '')
    const [first] = servers.all
    if (!first) throw new Error('The address of the database names no server')
    super({ ...config, connectionString: first.url })
    this.#servers = servers
    this.server = first
    // The server may end it after it has connected and before the caller listens. What waits for an
    // answer fails by itself.
    this.on('error', () => undefined)
    this.connection.on('error', markConnectionError)
    this.on('notice', (notice) => {
      if (isCancelledWait(notice))
        this.connection.emit(
          'error',
          new Error('Connection terminated: a commit did not reach the standby'),
        )
    })
  }

  /** The address of the server that it has connected to, alone. */
  get address(): string {
    return this.server.url
  }

  override connect(): Promise<this>
  override connect(answer: (error: Error | null, client?: this) => void): void
  override connect(answer?: (error: Error | null, client?: this) => void): Promise<this> | void {
    const connected = this.#connect()
    if (!answer) return connected
    connected.then(
      () => answer(null, this),
      (error: unknown) => answer(error instanceof Error ? error : new Error(String(error))),
    )
  }

  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | void {
    this.#hasEnded = true
    return callback ? super.end(callback) : super.end()
  }

  /** Closes it without a word, so that what waits for an answer fails now. */
  drop(): void {
    this.connection.stream.destroy()
  }

  #connect(): Promise<this> {
    return this.#connectToPrimary().catch((error: unknown) => {
      markConnectionError(error)
      throw error
    })
  }

  async #connectToPrimary(): Promise<this> {
    this.server = await this.#servers.primary()
    if (this.#hasEnded) throw new Error('Connection terminated')
    if (this.#servers.all.length > 1)
      Object.assign(this, { host: this.server.host, port: this.server.port })
    this.#servers.enter(this)
    this.once('end', () => this.#servers.leave(this))
    try {
      await super.connect()
      const state = await askState(this)
      this.#servers.admit(this, state)
      this.pid = state.pid
    } catch (error) {
      this.#servers.forget(this.server)
      this.end().catch(() => undefined)
      this.drop()
      throw error
    }
    // The next connection looks again, where this one was cut.
    this.once('end', () => {
      if (!this.#hasEnded) this.#servers.forget(this.server)
    })
    return this
  }
}

/**
 * Errors of the sockets to the database: those of files and of other sockets have the same codes.
 */
const connectionErrors = new WeakSet<Error>()

const markConnectionError = (error: unknown): void =>
  void (error instanceof Error && connectionErrors.add(error))

export const isConnectionError = (error: unknown): boolean =>
  error instanceof Error && connectionErrors.has(error)

/**
 * An operator cancelled the wait for a synchronous standby: PostgreSQL reports the commit as done,
 * and a failover may lose it.
 */
const isCancelledWait = ({ routine }: { routine?: string | undefined }): boolean =>
  routine === 'SyncRepWaitForLSN'
