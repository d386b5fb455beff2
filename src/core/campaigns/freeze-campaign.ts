/**
 * Starts a campaign, for every entry point and for the scheduler: checks in the specified order,
 * freezes the list, debits the quota last.
 */
import { parseMailbox } from '../../ground/address.ts'
import type { CampaignStatus } from '../../contract/campaigns.ts'
import { ApiError } from '../../contract/errors.ts'
import { segmentLimits } from '../../contract/workspace/segment-limits.ts'
import {
  beginSending,
  freezeRecipients,
  freezeTimeoutMs,
  noteDraft,
  type Canary,
} from '../../db/campaigns/campaign-freeze.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import { sqlState } from '../../database/client/database-errors.ts'
import type { Connection } from '../../database/client/connect.ts'
import type { Database } from '../../database/client/database.ts'
import { hostsInUse } from '../../db/domains/sending-domain.ts'
import { reserveQuota } from '../../db/sending/quota.ts'
import { sendersOf } from '../../db/workspaces/senders.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import { countAudienceOf } from '../../db/campaigns/audience-conditions.ts'
import { reachesMoreThan } from '../../db/campaigns/reaches-more-than.ts'
import { countReachable } from '../../db/audience/subscribers.ts'
import { compileCampaign } from '../../mail/campaign/compile-campaign.ts'
import { inLongTurn } from '../audience/segments/in-turn.ts'
import type { Context } from '../context.ts'
import { trackingBaseUrl } from '../tracking-base-url.ts'
import { checkSenderDomain } from '../sending/choose-sender.ts'
import { approvalNotice, requireApproval, requireApprovalOf } from './approval/require-approval.ts'
import type { CompiledAudience } from './audience/compile-audience.ts'
import { audienceNow, refuseTargeted } from './audience/audience-now.ts'
import { draftToCompile, type CampaignHosts } from './draft-to-compile.ts'
import { findCampaign, refuseState } from './find-campaign.ts'
import { lockToChange, lockToFreeze } from './lock-to-change.ts'
import { sendingStatus } from '../reputation/account-status.ts'
import { domainOf } from '../domain-of.ts'

/** Seconds in which a user can notice a mistake before the first mail leaves. */
export const undoSeconds = 30

export interface FreezeOptions {
  workspaceId: number
  id: string
  /** The state that the campaign leaves. */
  from: 'draft' | 'scheduled'
  /** Seconds between the freeze and the first hand-off, during which it can be undone. */
  undoSeconds: number
  canary: Canary | null
  /** The number of recipients that the caller confirmed. Absent means any number. */
  confirmed?: number
  /** A key reaches everybody subscribed, and refuses a campaign that has an audience or a topic. */
  isByKey?: boolean
  /** The longest that an audience may take. */
  audienceTimeoutMs?: number
  /** Writes in the transaction of the freeze, such as the audit entry of a user's request. */
  inSameTransaction?: (tx: Database, campaign: CampaignRow) => Promise<void>
}

type Parts = Pick<Context, 'db' | 'segmentDb' | 'settings' | 'failpoints' | 'wake'>

/**
 * Returns the number of queued recipients. Throws the refusals of `POST /campaigns/{id}/send`; then
 * nothing has changed. Audiences of users are read one by one, on connections that the sending of
 * mail never waits for.
 */
export async function freezeCampaign(ctx: Parts, options: FreezeOptions): Promise<number> {
  const { isTargeted } = await findCampaign(ctx, options)
  const freezeOn = (db: Connection): Promise<number> =>
    db.transaction((tx) => freeze({ ...ctx, db: tx }, options))
  // Scheduled ones have turns of their own, and a key's is refused before its audience is read.
  const mayTakeLong = isTargeted && options.from === 'draft' && !options.isByKey
  const freezing = mayTakeLong
    ? inLongTurn(options, () => freezeOn(ctx.segmentDb))
    : freezeOn(ctx.db)
  const queued = await freezing.catch((error: unknown) => noteRefusal(ctx, options, error))
  await ctx.failpoints?.hit('freeze.after_commit')
  ctx.wake('campaign')
  return queued
}

/** SQLSTATE 57014. */
const queryCanceled = '57014'

/** Everybody subscribed takes seconds, and nothing waits for it but the send. */
const audienceTimeoutMsMax = segmentLimits.freezeSecondsMax * 1_000

/**
 * An audience that took too long, or grew beyond what was approved, stays a draft, which says so.
 */
async function noteRefusal(
  ctx: Parts,
  { workspaceId, id }: FreezeOptions,
  error: unknown,
): Promise<never> {
  const notice = approvalNotice(error)
  if (notice === 'approval_exceeded')
    await noteDraft(ctx.db, { workspaceId, campaignId: id }, notice)
  if (sqlState(error) !== queryCanceled) throw error
  await noteDraft(ctx.db, { workspaceId, campaignId: id }, slowAudience)
  throw refusal(slowAudience)
}

const slowAudience = 'audience_too_slow'

type Transaction = Pick<Context, 'settings' | 'failpoints'> & { db: Database }

async function freeze(
  ctx: Transaction,
  {
    workspaceId,
    id,
    from,
    undoSeconds: windowSeconds,
    canary,
    confirmed,
    isByKey,
    audienceTimeoutMs = audienceTimeoutMsMax,
    inSameTransaction,
  }: FreezeOptions,
): Promise<number> {
  const key = { workspaceId, campaignId: id }
  const locked = await lockToChange(ctx.db, key)
  if (locked.status !== from)
    throw new ApiError('conflict', { id, status: locked.status satisfies CampaignStatus })
  if (locked.unfinished) await refuseState(ctx, { workspaceId, id })
  const row = await findCampaign(ctx, { workspaceId, id })
  if (isByKey) refuseTargeted(row)
  await checkFromDomain(ctx, workspaceId, row)
  const targeted = async () => {
    const audience = row.isTargeted ? await audienceNow(ctx.db, key) : null
    await lockToFreeze(ctx.db, key, { status: from, alone: audience?.readsWaiting ?? false })
    return audience
  }
  const digest = await requireApproval(ctx.db, key, async (above) =>
    isLarger(ctx.db, { workspaceId, audience: await targeted(), above }),
  )
  const audience = await targeted()
  await checkAccount(ctx, { workspaceId, row, audience })
  const compiled = compileCampaign(
    await draftToCompile(ctx, { workspaceId, row, ...(await hostsFor(ctx, workspaceId, row)) }),
  )
  await ctx.failpoints?.hit('freeze.before_insert')
  const recipients = await freezeRecipients(ctx.db, key, {
    audience: audience?.conditions ?? null,
    timeoutMs: audience ? audienceTimeoutMs : freezeTimeoutMs,
  })
  await ctx.failpoints?.hit('freeze.after_insert')
  if (recipients === 0) throw refusal('no_recipients')
  const reservation = await reserveQuota(ctx.db, workspaceId, recipients)
  if (!reservation.reserved)
    throw refusal('quota_exceeded', { needed: recipients, remaining: reservation.remaining })
  // Checked last, so that other refusals come first. It counts the frozen rows, so no change can
  // come between.
  if (confirmed !== undefined && confirmed !== recipients)
    throw refusal('recipients_differ', { confirmed, recipients })
  await requireApprovalOf(ctx.db, key, recipients)
  await beginSending(ctx.db, key, {
    ...{ recipients, undoSeconds: windowSeconds, canary },
    compiled: JSON.stringify(compiled),
    links: compiled.links,
    quotaMonth: reservation.month,
    audience: audience?.frozen ?? null,
    topicName: audience?.conditions.topic?.name ?? null,
    digest,
  })
  await inSameTransaction?.(ctx.db, row)
  return recipients
}

/**
 * Fixes one host for bounces and one for links of the whole campaign, whatever settings change
 * while it runs.
 */
async function hostsFor(
  ctx: Transaction,
  workspaceId: number,
  { fromEmail }: CampaignRow,
): Promise<CampaignHosts> {
  const { baseUrl, inboundDomain } = ctx.settings
  if (fromEmail === null) return { returnPathHost: null, baseUrl }
  const { returnPath, tracking } = await hostsInUse(ctx.db, workspaceId, domainOf(fromEmail))
  return {
    returnPathHost: returnPath ?? inboundDomain,
    baseUrl: tracking === null ? baseUrl : trackingBaseUrl(baseUrl, tracking),
  }
}

/** The domain may have been removed since the draft was written. */
async function checkFromDomain(
  ctx: Transaction,
  workspaceId: number,
  { fromEmail }: CampaignRow,
): Promise<void> {
  if (fromEmail === null) return
  const mailbox = parseMailbox(fromEmail)
  if ('rule' in mailbox) throw new Error(`A sender's address cannot be read: ${mailbox.rule}`)
  await checkSenderDomain(ctx, { workspaceId, ...mailbox })
}

/**
 * Checks quota, reputation, sender and recipients, in this order (spec, Campaign status). The
 * frozen list itself is debited from the quota. Only when a later check refuses is the list counted
 * beforehand, to name the first reason.
 */
async function checkAccount(
  ctx: Transaction,
  {
    workspaceId,
    row: { fromEmail },
    audience,
  }: { workspaceId: number; row: CampaignRow; audience: CompiledAudience | null },
): Promise<void> {
  const account = await accountStatus(ctx.db, workspaceId)
  const { status, ...rates } = sendingStatus(account)
  const senders = await sendersOf(ctx.db, workspaceId)
  const hasSender = senders.some(({ email }) => email === fromEmail)
  if (status === 'active' && hasSender) return
  const remaining =
    account.monthlyQuota === null ? Infinity : Math.max(0, account.monthlyQuota - account.used)
  const needed = remaining === Infinity ? 0 : await countNeeded(ctx.db, workspaceId, audience)
  if (needed > remaining) throw refusal('quota_exceeded', { needed, remaining })
  throw status === 'suspended' ? refusal('reputation_blocked', rates) : refusal('no_sender')
}

const isLarger = async (
  db: Database,
  {
    workspaceId,
    audience,
    above,
  }: { workspaceId: number; audience: CompiledAudience | null; above: number },
): Promise<boolean> =>
  audience
    ? reachesMoreThan(db, audience.conditions, { above, timeoutMs: audienceTimeoutMsMax })
    : (await countReachable(db, workspaceId)) > above

const countNeeded = async (
  db: Database,
  workspaceId: number,
  audience: CompiledAudience | null,
): Promise<number> =>
  audience
    ? (await countAudienceOf(db, audience.conditions, audienceTimeoutMsMax)).reachable
    : countReachable(db, workspaceId)

/**
 * The code is one of the specified table, and `reason` names the exact refusal (semantics 4,
 * campaign refusals).
 */
const refusal = (reason: string, details: object = {}): ApiError =>
  new ApiError('validation_error', { reason, ...details })
