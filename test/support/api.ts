/**
 * The service of a test file: the real one, on its own database and port, with its workers; by
 * default with the capture mailbox.
 */
import { after } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { allScopes, type Scope } from '../../src/contract/scopes.ts'
import type { SuppressionReason } from '../../src/contract/suppression.ts'
import { oneDatabase, type Databases } from '../../src/core/databases.ts'
import { OpenCells } from '../../src/main/cells.ts'
import type { Context, Service, ServiceSettings } from '../../src/core/context.ts'
import type { Log } from '../../src/ground/log.ts'
import { createService } from '../../src/main/create-service.ts'
import { createMailDomains } from '../../src/core/domains/mail-domains.ts'
import { makeApiKeySecret } from '../../src/core/read-key.ts'
import { suppressAddress } from '../../src/core/suppression/suppress-address.ts'
import { makeApiKey } from '../../src/core/workspaces/make-api-key.ts'
import { createWorkspace } from '../../src/core/workspaces/create-workspace.ts'
import { homeCell } from '../../src/database/cells/cell-changes.ts'
import type { Cell } from '../../src/database/cells/cells.ts'
import { connect, type Connection } from '../../src/database/client/connect.ts'
import { sql } from '../../src/database/client/sql.ts'
import { upsertPlatformSuppression } from '../../src/db/suppression/suppressions.ts'
import { apiKeysOf, revokeApiKeyRow } from '../../src/db/workspaces/api-keys.ts'
import { insertDomain, verifyDomain } from '../../src/db/domains/domains.ts'
import { updatePlan, upsertPlan } from '../../src/db/workspaces/plans.ts'
import { setRatePerMinute } from '../../src/db/workspaces/workspaces.ts'
import { upsertSender } from '../../src/db/workspaces/senders.ts'
import { createResolver } from '../../src/ground/dns/resolver.ts'
import { serveApi, type ServeOptions } from '../../src/entrypoints/api/serve.ts'
import { startWorkers } from '../../src/entrypoints/workers/start-workers.ts'
import { makeIds } from '../../src/ground/ids.ts'
import { createLinkTokens } from '../../src/ground/link-tokens.ts'
import { createVerpTokens } from '../../src/mail/reports/verp.ts'
import { createLocalCapture } from '../../src/providers/local-capture/local-capture.ts'
import type { Provider } from '../../src/providers/provider.ts'
import { createOutbound, type OutboundRequest } from '../../src/ground/outbound/create-outbound.ts'
import { subnetList, loopbackRanges } from '../../src/ground/outbound/check-address.ts'
import type { ResolveAddress } from '../../src/ground/outbound/checking-connector.ts'
import type { ProviderChoice } from '../../src/providers/provider-kind.ts'
import { onlyProvider } from './only-provider.ts'
import { createSecrets } from '../../src/ground/secrets.ts'
import {
  freshDatabase,
  moveClock,
  runOn,
  stopClock,
  testCell,
  type TestDatabase,
} from './database.ts'
import { freePort } from './free-port.ts'
import { routeTestProviders } from './route-test-providers.ts'
import { until } from './until.ts'

export interface Api {
  baseUrl: string
  service: Service
  /** The database's address and a pool on it. */
  database: TestDatabase
  /**
   * A workspace with the verified domain `<slug>.test`, the sender `hello@` it, and a key with
   * every permission.
   */
  workspace(
    name: string,
    options?: { monthlyQuota?: number; ratePerMinute?: number },
  ): Promise<TestWorkspace>
  /** Well formed, of this workspace, and never given out. */
  unknownKey(workspace: TestWorkspace): string
  suppressOnPlatform(email: string): Promise<void>
  /** One statement on the service's database: to break what no call can break. */
  run(statement: string): Promise<void>
  /** Sets the database's time this far after the real one, such as `62 seconds`. */
  moveClock(offset: string): Promise<void>
  /**
   * Stops the database's time here; the function that it answers stops it so many seconds later.
   */
  stopTime(): Promise<(seconds: number) => Promise<void>>
}

export interface TestWorkspace {
  id: number
  domain: string
  key: string
  makeKey(scopes: readonly Scope[], options?: { expiresAt?: Date }): Promise<string>
  revokeKey(key: string): Promise<void>
  addDomain(name: string, options?: { verified: boolean }): Promise<void>
  suppress(email: string, reason: SuppressionReason): Promise<void>
  /** Sets the counts of the last 30 days. */
  setReputation(counts: { handOffs: number; bounces: number; complaints: number }): Promise<void>
  /** How many messages are stored and not refused. */
  messages(): Promise<number>
  /** The mails of a message, as bytes, once this many have left. */
  capturedMails(messageId: string, count: number): Promise<Buffer[]>
}

export interface ApiOptions {
  /** For tests that provoke failures and expect their words. */
  log?: Log
  provider?: Provider
  /**
   * The deployment's provider as an operator chooses it, opened as the program opens it, beside
   * those of workspaces.
   */
  choice?: ProviderChoice
  /** Messages a second over all processes; absent is no limit. */
  ratePerSecond?: number
  /** Connections of segments alone; absent: they share those of the file. */
  segmentConnections?: number
  settings?: Partial<ServiceSettings>
  failpoints?: Context['failpoints']
  /** Name servers, such as a `startDnsServer()` of the test's; without, every look-up fails. */
  dnsServers?: string[]
  /**
   * Private addresses that may be called: by default this machine. `resolve` gives the addresses of
   * names, `rewrite` where else an address leads, `withinMs` how long a call may take in place of
   * its own limit.
   */
  outbound?: {
    ranges?: readonly string[]
    resolve?: ResolveAddress
    rewrite?: (url: URL) => URL
    withinMs?: number
    authorities?: string
  }
  /** False means nothing works by itself; the test takes each turn. */
  workers?: boolean
  /** Options of the entry point: other routes beside the API's, proxies, a full disk. */
  entry?: (service: Service) => Partial<ServeOptions>
  /** The database of another service of this file, which is to outlive this one. */
  database?: TestDatabase
}

/** Ends with the test file. */
export async function startApi(options: ApiOptions = {}): Promise<Api> {
  const {
    log = onlyWrong,
    provider = createLocalCapture(systemClock),
    segmentConnections,
  } = options
  let dropDatabase = (): Promise<void> => Promise.resolve()
  // It goes last, when nothing of the service uses it any more.
  const database =
    options.database ?? (await freshDatabase({ after: (end) => (dropDatabase = end) }))
  const { url } = database
  const pools: Connection[] = []
  const open = (cell: Cell, poolSize: number, durable: boolean): Connection => {
    const pool = connect({ connectionString: url, schema: cell.schema, poolSize, durable })
    pools.push(pool)
    return pool
  }
  const here = testCell ?? homeCell
  const db = options.database ? open(here, 10, true) : database.connection
  const countingDb = open(here, 3, false)
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const secrets = createSecrets(Buffer.alloc(32, 1))
  const {
    ranges = loopbackRanges,
    resolve,
    rewrite = (request: URL) => request,
    withinMs,
    authorities,
  } = options.outbound ?? {}
  const called = createOutbound({
    ...{ allowed: subnetList(ranges), allowsRanges: ranges.length > 0, userAgent: 'Facteur' },
    ...(resolve && { resolve }),
    ...(authorities !== undefined && { authorities }),
  })
  const outbound = {
    ...called,
    send: (request: OutboundRequest) =>
      called.send({
        ...request,
        url: rewrite(request.url),
        withinMs: withinMs ?? request.withinMs,
      }),
  }
  const resolver = createResolver({
    servers: options.dnsServers ?? [],
    timeoutMs: 600_000,
    clock: systemClock,
  })
  const providers = options.choice
    ? await routeTestProviders({
        ...{ db, countingDb, secrets, log, outbound, resolver },
        choice: options.choice,
      })
    : onlyProvider(provider, options.ratePerSecond ?? null)
  let cells: Databases<Service> = oneDatabase<Service>(() => service)
  const context: Context = {
    databaseId: here.id,
    db,
    countingDb,
    segmentDb: segmentConnections === undefined ? db : open(here, segmentConnections, true),
    clock: systemClock,
    linkTokens: createLinkTokens(Buffer.alloc(32, 1)),
    secrets,
    resolver,
    mailDomains: createMailDomains(
      { databases: lentCells(() => cells), secrets, clock: systemClock },
      { baseUrl, inboundDomain: options.settings?.inboundDomain ?? null },
    ),
    verp: createVerpTokens(Buffer.alloc(32, 2)),
    outbound,
    makeId: makeIds(() => Date.now()),
    log,
    providers,
    settings: {
      baseUrl,
      language: 'fr',
      bounceHost: null,
      heloName: null,
      spf: [],
      // A slow machine answers no call early.
      inlineSeconds: 80,
      leaseSeconds: 90,
      retryFirstSeconds: 60,
      retryMaxSeconds: 4 * 3600,
      queueLifeSeconds: 2 * 86_400,
      deliveredAfterSeconds: 900,
      inboundDomain: null,
      inDoubt: 'repeat',
      diskFreeMin: 0,
      requestLogPerSecond: 1_000,
      ...{ way: 'captures', sourceAddresses: [], postmasterAddress: null, submission: null },
      ...options.settings,
    },
    failpoints: options.failpoints ?? null,
    wake: (lane) => workers?.wake(lane),
  }
  const service = createService(context, testCell ? { databases: lentCells(() => cells) } : {})
  const home = testCell ? createHome(context, open, () => cells) : service
  if (testCell) {
    const both = new OpenCells<Service>({
      ...{ db: home.db, clock: systemClock, log },
      home: () => home,
      openCell: () => Promise.resolve(service),
    })
    cells = both
    await both.poll()
  }
  const workers = options.workers === false ? null : startWorkers(service)
  // What the installation has once is done in cell 1, such as polling queues.
  const workersOfHome = testCell && workers ? startWorkers(home) : null
  const served = await serveApi(home, {
    host: '127.0.0.1',
    port,
    trustProxy: false,
    ...options.entry?.(home),
  })
  endLast(async () => {
    await served.close()
    await Promise.all([workers?.stop(5_000), workersOfHome?.stop(5_000)])
    await service.requestLog.flush()
    await providers.close(0)
    await outbound.close()
    service.stop()
    await Promise.all(pools.map((pool) => pool.end()))
    await dropDatabase()
  })
  return {
    baseUrl,
    service,
    database,
    workspace: (name, kind) => openWorkspace(service, name, kind),
    unknownKey: ({ id }) => makeApiKeySecret(id).key,
    suppressOnPlatform: async (email) => {
      await upsertPlatformSuppression(db, { id: service.makeId(), email })
    },
    run: async (statement) => {
      await runOn(url, statement)
    },
    moveClock: (offset) => moveClock(url, offset),
    stopTime: async () => {
      // What was stored up to here is not in the future.
      const stoppedMs = Date.now() + 1
      const stopAt = (seconds: number): Promise<void> =>
        stopClock(url, new Date(stoppedMs + seconds * 1000).toISOString())
      await stopAt(0)
      return stopAt
    },
  }
}

/** Cells that are known only once the services of all are made. */
const lentCells = (cells: () => Databases<Service>): Databases<Service> => ({
  get home() {
    return cells().home
  },
  get hasSeveral() {
    return cells().hasSeveral
  },
  open: () => cells().open(),
  of: (workspaceId) => cells().of(workspaceId),
  ofPaused: (workspaceId) => cells().ofPaused(workspaceId),
  at: (cell) => cells().at(cell),
  pausedWorkspaces: () => cells().pausedWorkspaces(),
})

/** The service of cell 1, where a test's workspaces are in another one: calls arrive there. */
function createHome(
  context: Context,
  open: (cell: Cell, poolSize: number, durable: boolean) => Connection,
  cells: () => Databases<Service>,
): Service {
  const pools = {
    db: open(homeCell, 5, true),
    countingDb: open(homeCell, 2, false),
    segmentDb: open(homeCell, 2, true),
  }
  const home = createService(
    { ...context, ...pools, databaseId: homeCell.id },
    { databases: lentCells(cells) },
  )
  home.stop()
  return home
}

const ends: (() => Promise<void>)[] = []

/**
 * Ends what was started in the reverse order: what uses another's database ends before it is
 * dropped.
 */
function endLast(end: () => Promise<void>): void {
  ends.push(end)
  if (ends.length > 1) return
  after(async () => {
    for (const each of ends.splice(0).toReversed()) await each()
  })
}

/** Only what is wrong is worth reading in a test's output. */
const onlyWrong: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields, message) => console.warn(message, fields),
  error: (fields, message) => console.error(message, fields),
}

async function openWorkspace(
  service: Service,
  name: string,
  { monthlyQuota, ratePerMinute = 100_000 }: { monthlyQuota?: number; ratePerMinute?: number } = {},
): Promise<TestWorkspace> {
  const { db } = service
  const workspace = await createWorkspace(service, { name })
  if (!workspace) throw new Error(`There is a workspace ${name} already`)
  const { id, slug } = workspace
  await setRatePerMinute(db, id, ratePerMinute)
  if (monthlyQuota !== undefined) {
    await upsertPlan(db, name, monthlyQuota)
    await updatePlan(db, id, name)
  }
  const makeKeyOf = async (
    scopes: readonly Scope[],
    options: { expiresAt?: Date } = {},
  ): Promise<string> => {
    const created = await makeApiKey(service, {
      workspaceId: id,
      name: 'test',
      scopes: [...scopes],
      expiresAt: options.expiresAt?.toISOString() ?? null,
    })
    return created.key
  }
  const addDomain = async (
    domain: string,
    { verified }: { verified: boolean } = { verified: true },
  ): Promise<void> => {
    await insertDomain(db, id, domain)
    if (verified) await verifyDomain(db, id, domain)
  }
  await addDomain(`${slug}.test`)
  await upsertSender(db, id, { id: service.makeId(), name: null, email: `hello@${slug}.test` })
  return {
    id,
    domain: `${slug}.test`,
    key: await makeKeyOf(allScopes),
    makeKey: makeKeyOf,
    addDomain,
    revokeKey: async (key) => {
      const known = (await apiKeysOf(db, id)).find(({ prefix }) => key.startsWith(prefix))
      await revokeApiKeyRow(db, id, known?.id ?? '')
    },
    suppress: async (email, reason) => {
      await suppressAddress(service, { workspaceId: id, entry: { email, reason, sourceId: null } })
    },
    setReputation: (counts) => setReputation(db, id, counts),
    messages: async () => {
      const [row] = await db.rows<{ count: number }>(sql`
        select count(*) from message m where workspace_id = ${id} and exists (
          select from recipient r where r.workspace_id = m.workspace_id and r.message_id = m.id and r.status <> 'failed')`)
      return row?.count ?? 0
    },
    capturedMails: (messageId, count) => capturedMails(service, id, messageId, count),
  }
}

async function capturedMails(
  service: Service,
  id: number,
  messageId: string,
  count: number,
): Promise<Buffer[]> {
  const left = () =>
    service.db.rows<{ raw: Buffer }>(sql`
      select raw from captured_mail where workspace_id = ${id} and message_id = ${messageId} order by position`)
  return (await until(left, ({ length }) => length >= count)).map(({ raw }) => raw)
}

async function setReputation(
  db: Connection,
  id: number,
  counts: { handOffs: number; bounces: number; complaints: number },
): Promise<void> {
  // The workers may be counting a previous hand-off at the same time.
  await db.count(
    sql`delete from reputation_day where workspace_id = ${id} and day <> (facteur_now() at time zone 'utc')::date`,
  )
  await db.count(sql`
    with today as materialized (
      select reputation_epoch, (facteur_now() at time zone 'utc')::date as day from workspace where id = ${id}
    )
    insert into reputation_day (workspace_id, epoch, day, hand_offs, bounces, complaints)
    select ${id}::bigint, reputation_epoch, day, ${counts.handOffs}::int, ${counts.bounces}::int, ${counts.complaints}::int from today
    on conflict (workspace_id, epoch, day) do update
      set hand_offs = excluded.hand_offs, bounces = excluded.bounces, complaints = excluded.complaints`)
}
