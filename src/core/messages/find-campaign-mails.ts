/**
 * Finds the next campaign mails of the log that match a filter: campaign by campaign, and in each
 * the newest subscriber first.
 */
import {
  campaignMailsTo,
  endOfCampaignWindow,
  frozenCampaigns,
  failedCampaignMails,
  newestCampaignMails,
  subscribersNamed,
  type CampaignMailFound,
  type CampaignMailPage,
  type CampaignMailPosition,
  type FrozenCampaign,
} from '../../db/campaigns/campaign-mails.ts'
import type { LogPage } from '../../db/messages/message-log.ts'
import { countSample, unsearchedPage } from '../../db/audience/subscriber-search.ts'
import type { Database } from '../../database/client/database.ts'
import { haystackOf, matches, readNeedle } from '../search-text.ts'
import type { FoundInLog, LogFilter } from './log-filter.ts'
import { textsOf, wordsOf } from '../message-index/message-text.ts'

/** Campaigns that one page examines. */
const campaignsMax = 2_000

/** Mails that one page scans, and its look-ups of a subscriber in a campaign. */
const scanSize = 60_000
const lookUpsMax = 20_000

/**
 * From this many matches in the sample of one subscriber in 128 on, an address counts as common.
 */
const commonMin = 16

/** Subscribers without an index entry that a search examines directly. */
const unsearchedMax = 200

/** An identifier that sorts before all others: no mail of a campaign follows it. */
const nobody = '00000000-0000-0000-0000-000000000000'

export interface CampaignPage extends Omit<LogPage, 'before'> {
  until: string | null
  /** A null `subscriberId` means the position of a single message. */
  before: { at: string; id: string; subscriberId: string | null } | null
}

interface Parts {
  db: Database
}

export async function findCampaignMails(
  { db }: Parts,
  { workspaceId, ask, page }: { workspaceId: number; page: CampaignPage } & LogFilter,
): Promise<FoundInLog<CampaignMailPosition>> {
  // Only single messages have tags.
  if (ask.tag) return { places: [], reached: null }
  const all = await frozenCampaigns(db, workspaceId, {
    ...page,
    from: page.before,
    max: campaignsMax,
  })
  const words = wordsOf(ask.subject ?? '')
  const campaigns = all.filter((campaign) => isWanted(campaign, page, words))
  const contacts = ask.recipient ? await contactsOf(db, workspaceId, ask.recipient) : null
  const beyond = all.length === campaignsMax ? endOf(all.at(-1)) : null
  return scanMails(db, workspaceId, campaigns, { page, contacts, beyond })
}

/** Skips a campaign without a matching mail. */
function isWanted(
  campaign: FrozenCampaign,
  { status, before }: CampaignPage,
  words: string[],
): boolean {
  // A single message with the same time sorts before the whole campaign, or after all of it.
  if (before?.id === campaign.id && before.subscriberId === null) return false
  if (status === 'queued' && campaign.unsettled === 0) return false
  if (
    (status === 'sent' || status === 'delivered') &&
    campaign.sent === 0 &&
    campaign.unsettled === 0
  )
    return false
  if (words.length === 0) return true
  const { subject } = textsOf({ addresses: [], subject: campaign.subject, tags: null })
  return words.every((word) => subject.includes(` ${word}`))
}

const endOf = (campaign: FrozenCampaign | undefined): CampaignMailPosition | null =>
  campaign ? { at: campaign.at, id: campaign.id, subscriberId: nobody } : null

/** The subscribers that match a part of an address. */
interface Contacts {
  /** A LIKE pattern for the address. */
  address: string
  /** Null means too many to list. */
  ids: string[] | null
}

async function contactsOf(db: Database, workspaceId: number, recipient: string): Promise<Contacts> {
  const needle = readNeedle(workspaceId, recipient)
  const folded = needle?.texts[0]?.replace('\n', '') ?? ''
  const pattern = folded.replaceAll(/[\\%_]/g, String.raw`\$&`)
  const address = [...folded].length <= 2 ? `${pattern}%` : `%${pattern}%`
  if (!needle || (await countSample(db, workspaceId, needle, commonMin)) === commonMin)
    return { address, ids: null }
  // Recent subscribers are not in the index yet, but may have received mail.
  const fresh = await unsearchedPage(db, workspaceId, {
    status: null,
    max: unsearchedMax,
    before: null,
  })
  const ids = [
    ...fresh.flatMap((row) => (matches(needle, haystackOf(row)) ? [row.id] : [])),
    ...(await subscribersNamed(db, workspaceId, needle)),
  ]
  return { address, ids: [...new Set(ids)] }
}

interface Task {
  page: CampaignPage
  contacts: Contacts | null
  /** Where the examined campaigns end. Null if there are no more. */
  beyond: CampaignMailPosition | null
}

const failureStatuses: ReadonlySet<string> = new Set([
  'bounced',
  'complained',
  'failed',
  'suppressed',
])

/** Examines as many campaigns as one page allows, in the cheapest way. */
async function scanMails(
  db: Database,
  workspaceId: number,
  campaigns: FrozenCampaign[],
  { page, contacts, beyond }: Task,
): Promise<FoundInLog<CampaignMailPosition>> {
  const [first] = campaigns
  if (!first || contacts?.ids?.length === 0) return { places: [], reached: beyond }
  const within = page.before?.id === first.id ? page.before.subscriberId : null
  const scan = {
    before: within,
    max: page.max,
    status: page.status,
    address: contacts?.address ?? null,
  }
  const isFailure = page.status !== null && failureStatuses.has(page.status)
  const isPlain = page.status === null && contacts === null
  const ids = contacts?.ids ?? null
  // Cancelled mails cost a look-up each, only to be skipped.
  const passed = (campaign: FrozenCampaign): number =>
    page.status === 'failed' && isPassedOver(campaign) ? campaign.cancelled : 0
  const cost = (campaign: FrozenCampaign): number =>
    ids
      ? (ids.length * scanSize) / lookUpsMax
      : isFailure || isPlain
        ? scanSize / campaignsMax + (passed(campaign) * scanSize) / lookUpsMax
        : campaign.recipients
  const some = affordable(campaigns, cost)
  const request: CampaignMailPage = {
    ...scan,
    ids: some.map(({ id }) => id),
    withoutCancelled: some.map((campaign) => page.status === 'failed' && isPassedOver(campaign)),
  }
  const result = ids
    ? await campaignMailsTo(db, workspaceId, request, ids)
    : isFailure
      ? await failedCampaignMails(db, workspaceId, request)
      : await newestCampaignMails(db, workspaceId, request, scanSize)
  const places = result.map((row) => placeOf(row, some))
  if (result.length === page.max) return { places, reached: null }
  return {
    places,
    reached: (await cutShort()) ?? (some.length < campaigns.length ? endOf(some.at(-1)) : beyond),
  }

  /** A campaign that exceeds a page's limit is scanned alone. */
  async function cutShort(): Promise<CampaignMailPosition | null> {
    if (ids || isFailure || !first || first.recipients <= scanSize) return null
    const window = { campaignId: first.id, before: within, window: scanSize }
    const subscriberId = await endOfCampaignWindow(db, workspaceId, window)
    return subscriberId === null ? null : { at: first.at, id: first.id, subscriberId }
  }
}

/**
 * Cancelled mails are not failures. In a campaign with too many of them for a page's look-ups, they
 * appear among the failed, as cancelled.
 */
const isPassedOver = ({ cancelled }: FrozenCampaign): boolean =>
  cancelled > 0 && cancelled <= lookUpsMax

/** Selects the first campaigns, at least one, whose total cost one page allows. */
function affordable(
  campaigns: FrozenCampaign[],
  cost: (campaign: FrozenCampaign) => number,
): FrozenCampaign[] {
  let spent = 0
  const end = campaigns.findIndex((campaign) => (spent += cost(campaign)) > scanSize)
  return end === -1 ? campaigns : campaigns.slice(0, Math.max(1, end))
}

function placeOf(
  { nth, subscriberId }: CampaignMailFound,
  campaigns: FrozenCampaign[],
): CampaignMailPosition {
  const campaign = campaigns[nth - 1]
  if (!campaign) throw new Error('A mail of a campaign that was not asked for')
  return { at: campaign.at, id: campaign.id, subscriberId }
}
