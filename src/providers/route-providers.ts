/**
 * The deployment's provider, and workspaces' own providers.
 *
 * 1. The router reads all providers of a database when that is opened, and their changes each
 *    second.
 * 2. It opens a provider for its first mail, and closes it when it changes: hand-offs in flight end
 *    first.
 * 3. Notices of a replaced account are still accepted for a while.
 * 4. One that cannot be opened defers its workspace's mail, which never leaves by the deployment's
 *    instead.
 */
import { repeatEvery, waitAtMost, type Clock } from '../ground/clock.ts'
import type { Database } from '../database/client/database.ts'
import {
  workspaceProvidersSince,
  type WorkspaceProviderRow,
} from '../db/workspaces/workspace-providers.ts'
import type { Secrets } from '../ground/secrets.ts'
import type { ProviderChoice } from './provider-kind.ts'
import type { FeedbackAccount, ProviderParts } from './provider-parts.ts'
import type { Provider } from './provider.ts'
import { rateOf, type FeedbackSource, type ProviderRate, type Providers } from './providers.ts'
import { openFormer, openStored } from './stored-provider.ts'

export interface RouteOptions {
  clock: Clock
  secrets: Pick<Secrets, 'open'>
  log: { warn(fields: object, message: string): void }
  ports: ProviderParts
  deployment: ProviderChoice
  /**
   * The deployment's accounts of providers by which its mail left before: their feedback is still
   * accepted.
   */
  formerAccounts: readonly FeedbackAccount[]
  /** The rate of the deployment's provider. */
  ratePerSecond: number | null
}

const pollEveryMs = 1_000
/** How long hand-offs in flight may take to end once their provider was replaced. */
const endWithinMs = 120_000

/** A workspace's own provider: the stored choice, and its open connections. */
interface Own {
  choice: ProviderChoice | null
  /** The reason why the provider does not open. */
  why: string
  ratePerSecond: number | null
  provider: Provider | null
}

/**
 * One for the process: workspaces of all databases share the connections of the deployment's
 * provider.
 */
export const routeProviders = (options: RouteOptions): RoutedProviders => new Router(options)

export interface RoutedProviders extends Providers {
  /**
   * Reads the providers of a database's workspaces, and from now on their changes. Rejects when the
   * database does.
   */
  addDatabase(db: Database): Promise<void>
}

class Router implements RoutedProviders {
  readonly deployment: Provider
  readonly #options: RouteOptions
  readonly #rate: ProviderRate | null
  readonly #own = new Map<number, Own>()
  readonly #former = new Map<number, FeedbackAccount[]>()
  readonly #closing = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #looking: Promise<void>[] = []

  constructor(options: RouteOptions) {
    this.#options = options
    this.deployment = options.deployment.open(options.ports)
    this.#rate = rateOf(this.deployment, this.deployment.name, options.ratePerSecond)
  }

  of(workspaceId: number): Provider {
    const own = this.#own.get(workspaceId)
    return own ? this.#openOwn(own) : this.deployment
  }

  rateOf(workspaceId: number): ProviderRate | null {
    const own = this.#own.get(workspaceId)
    if (!own) return this.#rate
    const provider = this.#openOwn(own)
    return rateOf(provider, `${provider.name} of workspace ${workspaceId}`, own.ratePerSecond)
  }

  open(): Provider[] {
    return [this.deployment, ...[...this.#own.values()].flatMap(({ provider }) => provider ?? [])]
  }

  feedbackSources(): FeedbackSource[] {
    const { deployment, formerAccounts } = this.#options
    const deployments = [...feedbackOf(deployment), ...formerAccounts]
    const own = [...this.#own].map(
      ([workspaceId, { choice }]) => [workspaceId, feedbackOf(choice)] as const,
    )
    return [[null, deployments] as const, ...own, ...this.#former].flatMap(([workspaceId, all]) =>
      all.map((settings) => ({ workspaceId, settings })),
    )
  }

  /** Each database is read by itself: one that does not answer holds no other up. */
  async addDatabase(db: Database): Promise<void> {
    const { clock, log } = this.#options
    let version = 0
    const poll = async (): Promise<void> => {
      for (const row of await workspaceProvidersSince(db, version)) {
        this.#replace(row)
        version = row.version
      }
    }
    await poll()
    const pollAgain = (): Promise<void> =>
      poll().catch((error: unknown) =>
        log.warn({ err: error }, 'Changes of providers could not be read; the known settings stay'),
      )
    const stopping = this.#stopping.signal
    this.#looking.push(
      repeatEvery(clock, { everyMs: pollEveryMs, stopping, restsFirst: true }, pollAgain),
    )
  }

  async close(withinMs: number): Promise<void> {
    this.#stopping.abort()
    await Promise.all([
      ...this.open().map((provider) => provider.close(withinMs)),
      ...this.#looking,
    ])
    await waitAtMost(this.#options.clock, withinMs, Promise.all(this.#closing))
  }

  #replace(row: WorkspaceProviderRow): void {
    const before = this.#own.get(row.workspaceId)
    this.#own.delete(row.workspaceId)
    const own = this.#read(row)
    if (own) this.#own.set(row.workspaceId, own)
    this.#former.set(row.workspaceId, this.#readFormer(row, feedbackOf(own?.choice ?? null)))
    if (!before?.provider) return
    const closing = before.provider.close(endWithinMs).finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  #read(row: WorkspaceProviderRow): Own | null {
    try {
      const opened = openStored(this.#options.secrets, row)
      return opened && { ...opened, why: '', provider: null }
    } catch (error) {
      const { workspaceId } = row
      this.#options.log.warn(
        { err: error, workspaceId },
        "A workspace's provider cannot be opened: its mail waits",
      )
      return {
        choice: null,
        why: error instanceof Error ? error.message : String(error),
        ratePerSecond: null,
        provider: null,
      }
    }
  }

  /**
   * Settings of former accounts; a queue that the current account polls already is not polled
   * twice.
   */
  #readFormer(
    { workspaceId, former }: WorkspaceProviderRow,
    now: FeedbackAccount[],
  ): FeedbackAccount[] {
    const requested = new Set(now.map(({ queueUrl }) => queueUrl))
    return former.flatMap((provider) => {
      try {
        const settings = openFormer(this.#options.secrets, workspaceId, provider)
        if (!settings) return []
        const isAsked = requested.has(settings.queueUrl)
        requested.add(settings.queueUrl)
        return [isAsked ? { ...settings, queueUrl: null } : settings]
      } catch (error) {
        this.#options.log.warn(
          { err: error, workspaceId },
          'A former provider account cannot be opened: its notices are refused',
        )
        return []
      }
    })
  }

  #openOwn(own: Own): Provider {
    return (own.provider ??= own.choice ? own.choice.open(this.#options.ports) : unusable(own.why))
  }
}

const feedbackOf = (choice: ProviderChoice | null): FeedbackAccount[] =>
  choice?.feedback ? [choice.feedback.account] : []

/**
 * Mail waits for the operator: the queue tries it again until its time is over, then it fails with
 * this reason.
 */
const unusable = (why: string): Provider => ({
  name: 'unusable',
  captures: false,
  inline: () => false,
  reportsDelivery: false,
  free: () => 16,
  handOff: () =>
    Promise.resolve({
      kind: 'deferred',
      phase: 'dial',
      code: null,
      response: `the workspace's provider cannot be opened: ${why}`,
      slower: false,
    }),
  close: () => Promise.resolve(),
})
