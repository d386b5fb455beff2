/**
 * The world of a fault scenario: a database with one workspace, the referee, and processes of our
 * service on them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allScopes } from '../../src/contract/scopes.ts'
import { makeApiKey } from '../../src/core/workspaces/make-api-key.ts'
import { createWorkspace } from '../../src/core/workspaces/create-workspace.ts'
import type { Connection } from '../../src/database/client/connect.ts'
import { insertDomain, verifyDomain } from '../../src/db/domains/domains.ts'
import { updatePlan, upsertPlan } from '../../src/db/workspaces/plans.ts'
import { upsertSender } from '../../src/db/workspaces/senders.ts'
import { setRatePerMinute } from '../../src/db/workspaces/workspaces.ts'
import { makeIds } from '../../src/ground/ids.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import type { Draw } from './fault-draw.ts'
import { serveHere } from './fault-api.ts'
import {
  startProgram,
  startServiceProcess,
  type ServiceOptions,
  type ServiceProcess,
} from './fault-process.ts'
import { restartPort } from './fault-port.ts'
import { readDataRecipients, readReferee, type RefereeMail } from './referee-sink.ts'

/** One play of a scenario. */
export interface Run {
  seed: number
  draw: Draw
  /** The whole size of the sweep. False means the size of `npm test`. */
  whole: boolean
  /** The failpoint that breaks an invariant on purpose; null in an honest run. */
  broken: string | null
  /** Ends with the run, the last first. */
  after(end: () => Promise<unknown>): void
}

/** A workspace, its database, and where its API is. */
export interface FaultWorkspace {
  url: string
  db: Connection
  workspaceId: number
  domain: string
  apiKey: string
  /** Base address of an API process on this port. */
  addressOf(port: number): string
}

export interface World extends FaultWorkspace {
  /**
   * The mails that the referee has stored. It is the relay of processes that are given no other,
   * and runs once one of them is started.
   */
  mails(): RefereeMail[]
  /** To whom the referee has asked for a content. */
  dataRecipients(): Set<string>
  /** Kills it in the middle of its work, and starts it again on its data. */
  killReferee(): Promise<void>
  start(options: StartOptions): Promise<ServiceProcess>
  /** Opens the API in this process, which is not killed; answers its port. */
  serve(options: Omit<StartOptions, 'role' | 'program'>): Promise<number>
}

export type StartOptions = Pick<ServiceOptions, 'role'> &
  Partial<Pick<ServiceOptions, 'port' | 'smtpUrl' | 'failpoints' | 'settings' | 'program'>>

export interface WorldOptions {
  /** Another database than a clone of the tests' own. */
  database?: TestDatabase
  /** A workspace that this database has already. */
  workspace?: Pick<World, 'workspaceId' | 'domain' | 'apiKey'>
  monthlyQuota?: number
  ratePerMinute?: number
  /** Share of mails that the referee stores and does not answer. */
  dropAfterDot?: number
}

export async function openWorld(run: Run, options: WorldOptions = {}): Promise<World> {
  const { url, connection: db } = options.database ?? (await freshDatabase(run))
  const workspace = options.workspace ?? (await openWorkspace(db, options))
  const folder = mkdtempSync(join(tmpdir(), 'facteur-test-referee-'))
  run.after(async () => rmSync(folder, { recursive: true, force: true }))
  const refereePort = await restartPort()
  const startReferee = (): ReturnType<typeof startProgram> =>
    startProgram(join(import.meta.dirname, 'referee-sink.ts'), [
      ...['--dir', folder, '--seed', String(run.seed), '--port', String(refereePort)],
      ...(options.dropAfterDot === undefined
        ? []
        : ['--drop-after-dot', String(options.dropAfterDot)]),
    ])
  let referee: ReturnType<typeof startProgram> | null = null
  run.after(async () => (await referee)?.kill())
  const relayToReferee = async (): Promise<string> => {
    await (referee ??= startReferee())
    return `smtp://127.0.0.1:${refereePort}?tls=none`
  }
  const complete = async ({
    port,
    smtpUrl,
    failpoints = [],
    settings = {},
  }: Omit<StartOptions, 'role'>) => ({
    databaseUrl: url,
    port: port ?? (await restartPort()),
    smtpUrl: smtpUrl === undefined ? await relayToReferee() : smtpUrl,
    failpoints: run.broken === null ? failpoints : [...failpoints, `${run.broken}:broken`],
    settings: { ...quick, ...settings },
  })
  return {
    url,
    db,
    ...workspace,
    addressOf: (port) => `http://127.0.0.1:${port}`,
    mails: () => readReferee(folder),
    dataRecipients: () => readDataRecipients(folder),
    async killReferee() {
      await relayToReferee()
      await (await referee)?.kill()
      await (referee = startReferee())
    },
    async start({ role, program, ...settings }) {
      const started = await startServiceProcess({
        role,
        ...(await complete(settings)),
        ...(program !== undefined && { program }),
      })
      run.after(() => started.kill())
      return started
    },
    async serve(settings) {
      const whole = await complete(settings)
      run.after(await serveHere(whole))
      return whole.port
    },
  }
}

/**
 * Short times, so that what a crash leaves is taken up within the test; a lease outlasts the pauses
 * of a slow process.
 */
export const quick = {
  FACTEUR_LEASE_SECONDS: 4,
  FACTEUR_INLINE_SECONDS: 1,
  FACTEUR_RETRY_FIRST_SECONDS: 0.2,
  FACTEUR_RETRY_MAX_SECONDS: 1,
  FACTEUR_DELIVERED_AFTER_SECONDS: 0,
}

export async function openWorkspace(
  db: Connection,
  { monthlyQuota, ratePerMinute = 1_000_000 }: WorldOptions,
  name = 'faults',
): Promise<Pick<World, 'workspaceId' | 'domain' | 'apiKey'>> {
  const ctx = { db, makeId: makeIds(() => Date.now()) }
  const workspace = await createWorkspace(ctx, { name })
  if (!workspace) throw new Error(`There is a workspace ${name}`)
  const { id } = workspace
  const domain = `${name}.test`
  await setRatePerMinute(db, id, ratePerMinute)
  if (monthlyQuota !== undefined) {
    await upsertPlan(db, 'faults', monthlyQuota)
    await updatePlan(db, id, 'faults')
  }
  await insertDomain(db, id, domain)
  await verifyDomain(db, id, domain)
  await upsertSender(db, id, { id: ctx.makeId(), name: null, email: `hello@${domain}` })
  const { key } = await makeApiKey(ctx, {
    workspaceId: id,
    name: 'faults',
    scopes: [...allScopes],
    expiresAt: null,
  })
  return { workspaceId: id, domain, apiKey: key }
}

/** The body of `POST /emails` in the scenarios. */
export const mailTo = ({ domain }: Pick<FaultWorkspace, 'domain'>, to: string): object => ({
  from: `Faults <hello@${domain}>`,
  to,
  subject: `For ${to}`,
  text: `This is for ${to}.\n.\nA line with a lone dot stands above.\n`,
})
