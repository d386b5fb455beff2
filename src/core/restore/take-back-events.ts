/**
 * Takes back from a file of events what a restored backup cannot know: mail that has left since,
 * which then counts as sent, and addresses that were suppressed.
 *
 * 1. read the whole file: what is wrong with it, and whether its mail is of this workspace at all
 * 2. read it again, in batches: statuses of held mail in one transaction, then suppressions on
 *    their usual path
 *
 * Nothing is published: the file holds what was. A second run, and one after an interruption,
 * change what is left.
 */
import type { OpenBytes } from '../../ground/csv/inspect-csv.ts'
import { suppressionReasons } from '../../contract/suppression.ts'
import {
  countKnownMessages,
  countKnownRecipients,
  withheldDrafts,
  openKnownRecipients,
  finalizeKnownMessages,
} from '../../db/restore/known-sent.ts'
import { retrying } from '../../database/client/retrying.ts'
import type { Database } from '../../database/client/database.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import {
  lockCampaignRecipients,
  updateCampaignRecipientStatuses,
} from '../../db/feedback/campaign-feedback.ts'
import type { NewSuppression } from '../../db/suppression/suppressions-in-bulk.ts'
import { countReputation } from '../../db/workspaces/account-status.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { Context } from '../context.ts'
import { suppressMany } from '../suppression/suppress-many.ts'
import {
  readEventFile,
  type KnownEvent,
  type KnownMail,
  type KnownStatus,
} from './read-event-file.ts'

export interface TakeBackEvents {
  workspaceId: number
  /** Opens the file from its beginning on each call. */
  open: OpenBytes
  /** The file's, for the audit log and for refusals. */
  name: string
  /** The moment that the backup shows. Null while it is not known. */
  restoredFrom: Date | null
  onProgress(progress: { bytes: number; events: number }): void
  signal: AbortSignal
}

export interface TakenBack {
  events: number
  /** Of those, how many the backup holds. */
  before: number
  /** Withheld work that is now known as sent: recipients of single mails, and of campaigns. */
  mails: number
  recipients: number
  /** Campaigns that were only scheduled in the backup, and have begun since. */
  begunCampaigns: number
  suppressed: number
  suppressedBefore: number
  refused: number
  /** The first of them, as `line 3: …`. */
  reasons: string[]
}

type Parts = Pick<Context, 'db' | 'makeId' | 'failpoints' | 'wake'>

const atOnce = 500
const reasonsMax = 5
/** A transaction that the backup does not hold may have begun this long before it. */
const openTransactionMs = 60_000

/**
 * Throws `OperatorError` for a file without events, and for one of another workspace; then nothing
 * was changed.
 */
export async function takeBackEvents(ctx: Parts, options: TakeBackEvents): Promise<TakenBack> {
  const { workspaceId, name, signal } = options
  const result = await checkFile(ctx, options)
  await ctx.db.transaction((tx) =>
    recordAuditEntry(
      tx,
      { ...ctx, workspaceId },
      { act: 'restore.events_read', subject: name, details: { events: result.events } },
    ),
  )
  const campaignIds = new Set<string>()
  let batch: KnownEvent[] = []
  let events = 0
  const work = async (): Promise<void> => {
    signal.throwIfAborted()
    await takeBatch(ctx, { workspaceId, batch, result, campaignIds })
    batch = []
  }
  let bytes = 0
  for await (const read of readEventFile(counted(options.open(), (some) => (bytes += some)))) {
    if (!('event' in read)) continue
    events++
    if (isBefore(read.event, options.restoredFrom)) result.before++
    else if (batch.push(read.event) === atOnce) {
      await work()
      options.onProgress({ bytes, events })
    }
  }
  await work()
  return { ...result, begunCampaigns: campaignIds.size }
}

const isBefore = ({ at }: KnownEvent, restoredFrom: Date | null): boolean =>
  restoredFrom !== null && at.getTime() < restoredFrom.getTime() - openTransactionMs

async function checkFile(
  ctx: Parts,
  { workspaceId, open, name, signal }: TakeBackEvents,
): Promise<TakenBack> {
  const domains = new Set((await domainsOf(ctx.db, workspaceId)).map((domain) => domain.name))
  const result = {
    events: 0,
    before: 0,
    mails: 0,
    recipients: 0,
    begunCampaigns: 0,
    suppressed: 0,
    suppressedBefore: 0,
    refused: 0,
  }
  const reasons: string[] = []
  for await (const read of readEventFile(open())) {
    signal.throwIfAborted()
    if ('fault' in read) {
      result.refused++
      if (reasons.length < reasonsMax) reasons.push(`line ${read.line}: ${read.fault}`)
      continue
    }
    result.events++
    const { domain } = read.event
    if (domain !== null && !domains.has(domain))
      throw new OperatorError(
        `Line ${read.line} of ${name} is about mail from ${domain}, which is no domain of this workspace. The file is of another workspace, or the domain was added after the backup: add it again first. Nothing was changed.`,
      )
  }
  if (result.events === 0)
    throw new OperatorError(
      `${name} holds no event${reasons[0] === undefined ? '' : ` (${reasons[0]})`}. Nothing was changed.`,
    )
  return { ...result, reasons }
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onBytes(chunk.length)
    yield chunk
  }
}

interface Batch {
  workspaceId: number
  batch: KnownEvent[]
  result: TakenBack
  campaignIds: Set<string>
}

async function takeBatch(
  ctx: Parts,
  { workspaceId, batch, result, campaignIds }: Batch,
): Promise<void> {
  const mails = furthest(batch.flatMap(({ mail }) => mail ?? []))
  const settled = await retrying(() => ctx.db.transaction((tx) => finalize(tx, workspaceId, mails)))
  result.mails += settled.mails
  result.recipients += settled.recipients
  for (const id of settled.campaignIds) campaignIds.add(id)
  const entries = strongest(ctx, batch)
  if (entries.length === 0) return
  const added = await suppressMany(ctx, { workspaceId, entries })
  result.suppressed += added
  result.suppressedBefore += entries.length - added
}

const order: KnownStatus[] = ['sent', 'delivered', 'bounced', 'complained']

/** Each envelope once, with the furthest of its statuses. */
function furthest(mails: KnownMail[]): KnownMail[] {
  const byKey = new Map<string, KnownMail>()
  for (const mail of mails) {
    const key =
      'messageId' in mail.target
        ? `${mail.target.messageId} ${mail.email}`
        : `${mail.target.campaignId} ${mail.target.subscriberId}`
    const other = byKey.get(key)
    if (!other || order.indexOf(mail.status) > order.indexOf(other.status)) byKey.set(key, mail)
  }
  return [...byKey.values()]
}

function strongest({ makeId }: Parts, batch: KnownEvent[]): NewSuppression[] {
  const byKey = new Map<string, NewSuppression>()
  for (const { suppressed } of batch) {
    if (!suppressed) continue
    const other = byKey.get(suppressed.email)
    if (
      !other ||
      suppressionReasons.indexOf(suppressed.reason) > suppressionReasons.indexOf(other.reason)
    )
      byKey.set(suppressed.email, { ...suppressed, id: makeId() })
  }
  return [...byKey.values()]
}

interface Finalized {
  mails: number
  recipients: number
  /** Campaigns that were scheduled in the backup. */
  campaignIds: string[]
}

/**
 * A hand-off and a hard bounce count for the reputation, as they would have. A complaint does not:
 * the file does not say whether a mailbox provider reported it.
 */
async function finalize(tx: Database, workspaceId: number, mails: KnownMail[]): Promise<Finalized> {
  const ofCampaigns = mails.flatMap(({ target, email, status, at }) =>
    'campaignId' in target ? [{ ...target, email, status, at }] : [],
  )
  const ofMessages = mails.flatMap(({ target, email, status, at }) =>
    'messageId' in target ? [{ ...target, email, status, error: errorOf(status), at }] : [],
  )
  const campaigns = await finalizeInCampaigns(tx, workspaceId, ofCampaigns)
  const messages =
    ofMessages.length === 0 ? [] : await finalizeKnownMessages(tx, workspaceId, ofMessages)
  const singles = messages.filter(({ wasWithheld }) => wasWithheld).length
  if (singles > 0) await countKnownMessages(tx, workspaceId, singles)
  const counting = messages.filter(({ notice }) => !notice)
  const handOffs = counting.filter(({ wasWithheld, was }) => wasWithheld && was === 'queued').length
  const addresses = [...counting, ...campaigns.changed].flatMap(({ status, email }) =>
    status === 'bounced' ? [{ kind: 'bounce' as const, email }] : [],
  )
  if (handOffs + addresses.length > 0)
    await countReputation(tx, workspaceId, { handOffs, addresses })
  return { mails: singles, recipients: campaigns.recipients, campaignIds: campaigns.campaignIds }
}

const errorOf = (status: KnownStatus): string | null =>
  status === 'bounced' || status === 'complained' ? status : null

type KnownRecipient = {
  campaignId: string
  subscriberId: string
  email: string
  status: KnownStatus
  at: Date
}

async function finalizeInCampaigns(
  tx: Database,
  workspaceId: number,
  known: KnownRecipient[],
): Promise<{
  recipients: number
  campaignIds: string[]
  changed: { status: KnownStatus; email: string }[]
}> {
  if (known.length === 0) return { recipients: 0, campaignIds: [], changed: [] }
  await lockCampaignRecipients(tx, workspaceId, known)
  const opened = await openKnownRecipients(tx, workspaceId, known)
  const changed = opened.flatMap(({ wasWithheld, ...row }) => {
    const recipient = known.find(
      (each) => each.campaignId === row.campaignId && each.subscriberId === row.subscriberId,
    )
    return recipient ? [{ ...row, ...recipient, wasWithheld }] : []
  })
  await updateCampaignRecipientStatuses(
    tx,
    workspaceId,
    changed.map(({ wasWithheld, status, at, email: _email, ...row }) => ({
      ...{
        ...row,
        status,
        at,
        error: errorOf(status),
        bounce: status === 'bounced' ? ('hard' as const) : null,
      },
      ...{
        delivers: status === 'delivered' || status === 'complained',
        countsHandOff: wasWithheld,
      },
    })),
  )
  const campaignIds = await withheldDrafts(tx, workspaceId, [
    ...new Set(known.map(({ campaignId }) => campaignId)),
  ])
  const withheld = changed.filter(({ wasWithheld }) => wasWithheld)
  const counts = [...Map.groupBy(withheld, ({ campaignId }) => campaignId)].map(
    ([campaignId, all]) => ({
      campaignId,
      count: all.length,
    }),
  )
  await countKnownRecipients(tx, workspaceId, [
    ...counts,
    ...campaignIds.map((campaignId) => ({ campaignId, count: 0 })),
  ])
  return { recipients: withheld.length, campaignIds, changed }
}
