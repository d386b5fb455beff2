/**
 * Reads Google's Postmaster Tools once, and applies what they say of Gmail to the workspaces.
 *
 * 1. the domains that the account may read and that a workspace has verified
 * 2. of each, the spam rates of the last days and the compliance, stored in every workspace that
 *    has verified it
 * 3. a day above the limit suspends those workspaces; each is notified of a change
 */
import {
  domainsToRead,
  newestExceedingDay,
  removeUnlistedDomains,
  setGmailSuspension,
  storePostmasterDays,
  storePostmasterDomain,
  type PostmasterDay,
} from '../../db/postmaster/postmaster-domains.ts'
import { scheduleCheck } from '../../db/domains/domains.ts'
import type { Outbound } from '../../ground/outbound/create-outbound.ts'
import type { Context } from '../context.ts'
import type { Databases } from '../databases.ts'
import { eachWorkspace } from '../each-workspace.ts'
import { fewAtOnce } from '../few-at-once.ts'
import { notifySuspensionChange } from '../reputation/notify-suspension-change.ts'
import { openPostmaster, type PostmasterAccount, type PostmasterSession } from './postmaster-api.ts'
import type { GmailCompliance } from './read-postmaster-answers.ts'

/** Google publishes a day some two days later, and may correct it. */
const daysRead = 14
/**
 * Domains of a round at most, those first that were read longest ago: with two calls each it ends
 * within minutes.
 */
const domainsMax = 500
const callsAtOnce = 4

type InDatabase = Pick<Context, 'databaseId' | 'db' | 'makeId' | 'settings' | 'log' | 'wake'>

export interface Polling {
  databases: Pick<Databases<InDatabase>, 'open'>
  outbound: Pick<Outbound, 'send'>
  clock: Pick<Context['clock'], 'now'>
  log: Context['log']
}

/** `failed`: in one line that holds no secret. */
export type PollEnd = { kind: 'read'; domains: number } | { kind: 'failed'; why: string }

export async function pollPostmaster(
  ctx: Polling,
  { account, signal }: { account: PostmasterAccount; signal: AbortSignal },
): Promise<PollEnd> {
  const opened = await openPostmaster({ outbound: ctx.outbound, clock: ctx.clock, signal }, account)
  if (opened.kind === 'failed') return opened
  const listed = await opened.value.listDomains()
  if (listed.kind === 'failed') return listed
  const ours = await findOwn(ctx, new Set(listed.value))
  const limit = fewAtOnce(callsAtOnce)
  let stopped: string | null = null
  await Promise.all(
    ours.slice(0, domainsMax).map((domain) =>
      limit(async () => {
        if (stopped !== null || signal.aborted) return
        const read = await readOne(ctx, opened.value, domain.name)
        // The account itself is refused, or asked too much: the other domains would end alike.
        if (read.kind === 'stopped') stopped = read.why
        else
          for (const location of domain.places) await storeInWorkspace(location, domain.name, read)
      }),
    ),
  )
  if (signal.aborted) return { kind: 'failed', why: 'the service stopped' }
  return stopped === null
    ? { kind: 'read', domains: ours.length }
    : { kind: 'failed', why: stopped }
}

interface PollTarget {
  ctx: InDatabase
  workspaceId: number
}

/**
 * Domains that were read longest ago come first. A domain may be verified in several workspaces,
 * which share its rate.
 */
async function findOwn(
  { databases, log }: Polling,
  listed: ReadonlySet<string>,
): Promise<{ name: string; places: PollTarget[] }[]> {
  const byKey = new Map<string, { name: string; places: PollTarget[]; readAtMs: number }>()
  for (const ctx of databases.open()) {
    try {
      for await (const page of eachWorkspace(ctx))
        for (const { id: workspaceId } of page) {
          await removeUnlistedDomains(ctx.db, workspaceId, [...listed])
          for (const { name, readAt } of await domainsToRead(ctx.db, workspaceId)) {
            if (!listed.has(name)) continue
            const known = byKey.get(name) ?? { name, places: [], readAtMs: Infinity }
            byKey.set(name, known)
            known.places.push({ ctx, workspaceId })
            known.readAtMs = Math.min(known.readAtMs, readAt?.getTime() ?? 0)
          }
        }
    } catch (error) {
      log.warn(
        { err: error, databaseId: ctx.databaseId },
        'Domains of a database were not read for Postmaster Tools; the next round tries again',
      )
    }
  }
  return [...byKey.values()].toSorted((a, b) => a.readAtMs - b.readAtMs)
}

type ReadDomainResult =
  | ({ kind: 'read'; days: PostmasterDay[]; problem: string | null } & GmailCompliance)
  | { kind: 'stopped'; why: string }

async function readOne(
  { clock }: Polling,
  session: PostmasterSession,
  name: string,
): Promise<ReadDomainResult> {
  const to = clock.now()
  const rates = await session.spamRates(name, {
    from: new Date(to.getTime() - daysRead * 86_400_000),
    to,
  })
  const compliance = rates.kind === 'failed' ? rates : await session.compliance(name)
  if (compliance.kind === 'failed' && isOfAccount(compliance.status))
    return { kind: 'stopped', why: compliance.why }
  return {
    kind: 'read',
    days: rates.kind === 'read' ? rates.value : [],
    ...(compliance.kind === 'read'
      ? { ...compliance.value, problem: null }
      : { ...noCompliance, problem: compliance.why }),
  }
}

const noCompliance: GmailCompliance = { needsWork: [], compliant: [] }

/**
 * 401: the token; 429: too many calls; without a status Google is away. 403, 404 and 5xx may be of
 * one domain.
 */
const isOfAccount = (status: number | null): boolean =>
  status === null || status === 401 || status === 429

async function storeInWorkspace(
  { ctx, workspaceId }: PollTarget,
  domain: string,
  { days, needsWork, compliant, problem }: Extract<ReadDomainResult, { kind: 'read' }>,
): Promise<void> {
  try {
    await ctx.db.transaction(async (tx) => {
      await storePostmasterDomain(tx, workspaceId, { domain, needsWork, compliant, problem })
      await storePostmasterDays(tx, workspaceId, { domain, days })
    })
    await applyGmailRates(ctx, workspaceId)
    // The next check of the domain evaluates its compliance with what came.
    await scheduleCheck(ctx.db, workspaceId, { name: domain, seconds: 0, checked: false })
    ctx.wake('domain')
  } catch (error) {
    // The domain may have been removed meanwhile.
    ctx.log.warn(
      { err: error, workspaceId, domain },
      'What Postmaster Tools say of a domain was not stored; the next round tries again',
    )
  }
}

/**
 * Suspends a workspace while a day of Gmail's spam rate counts that is too high, or ends that; it
 * is notified once.
 */
export async function applyGmailRates(ctx: InDatabase, workspaceId: number): Promise<void> {
  await setGmailSuspension(ctx.db, workspaceId, await newestExceedingDay(ctx.db, workspaceId))
  await notifySuspensionChange(ctx, workspaceId)
}
