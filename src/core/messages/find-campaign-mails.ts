/** The next mails of campaigns in the log that pass a filter: campaign by campaign, and in each the newest subscriber first. */
import {
  campaignMailsTo,
  endOfCampaignWindow,
  frozenCampaigns,
  failedCampaignMails,
  newestCampaignMails,
  subscribersNamed,
} from '../../db/campaigns/campaign-mails.ts'
import type { CampaignMailFound, CampaignMailPage, CampaignMailPlace, FrozenCampaign } from '../../db/campaigns/campaign-mails.ts'
import type { LogPage } from '../../db/messages/message-log.ts'
import { countSample, unsearchedPage } from '../../db/subscribers/subscriber-search.ts'
import type { Context } from '../context.ts'
import { haystackOf, matches, readNeedle } from '../search-text.ts'
import type { FoundInLog, LogFilter } from './log-filter.ts'
import { textsOf, wordsOf } from '../message-index/message-text.ts'

/** Campaigns that one page looks at. */
const campaignsMost = 2_000

/** Mails that one page looks through, and look-ups of one person in one campaign that it makes. */
const walkSize = 60_000
const lookUpsMost = 20_000

/** Matches in the sample of one subscriber in 128 from which on an address is common. */
const commonMin = 16

/** People whom the index does not know yet that a search looks at by itself. */
const unsearchedMost = 200

/** An identifier after which nothing comes in a campaign. */
const nobody = '00000000-0000-0000-0000-000000000000'

export interface CampaignPage extends Omit<LogPage, 'before'> {
  until: string | null
  /** `subscriberId` null: a single message stands there. */
  before: { at: string; id: string; subscriberId: string | null } | null
}

type Parts = Pick<Context, 'db'>

export async function findCampaignMails(
  { db }: Parts,
  workspaceId: number,
  { ask }: LogFilter,
  page: CampaignPage,
): Promise<FoundInLog<CampaignMailPlace>> {
  // Tags are of single messages alone.
  if (ask.tag) return { places: [], reached: null }
  const all = await frozenCampaigns(db, workspaceId, { ...page, from: page.before, most: campaignsMost })
  const words = wordsOf(ask.subject ?? '')
  const campaigns = all.filter((campaign) => isWanted(campaign, page, words))
  const people = ask.recipient ? await peopleOf(db, workspaceId, ask.recipient) : null
  const beyond = all.length === campaignsMost ? endOf(all.at(-1)) : null
  return lookThrough(db, workspaceId, campaigns, { page, people, beyond })
}

/** A campaign that has no such mail is not looked at. */
function isWanted(campaign: FrozenCampaign, { status, before }: CampaignPage, words: string[]): boolean {
  // A single message's place is before the whole campaign of the same moment, or behind all of it.
  if (before?.id === campaign.id && before.subscriberId === null) return false
  if (status === 'queued' && campaign.unsettled === 0) return false
  if ((status === 'sent' || status === 'delivered') && campaign.sent === 0 && campaign.unsettled === 0) return false
  if (words.length === 0) return true
  const { subject } = textsOf({ addresses: [], subject: campaign.subject, tags: null })
  return words.every((word) => subject.includes(` ${word}`))
}

const endOf = (campaign: FrozenCampaign | undefined): CampaignMailPlace | null =>
  campaign ? { at: campaign.at, id: campaign.id, subscriberId: nobody } : null

/** Who is meant by a part of an address. */
interface People {
  /** Pattern of LIKE that their address has. */
  address: string
  /** Null: too many to be named. */
  ids: string[] | null
}

async function peopleOf(db: Context['db'], workspaceId: number, recipient: string): Promise<People> {
  const needle = readNeedle(workspaceId, recipient)
  const folded = needle?.texts[0]?.replace('\n', '') ?? ''
  const pattern = folded.replaceAll(/[\\%_]/g, String.raw`\$&`)
  const address = [...folded].length <= 2 ? `${pattern}%` : `%${pattern}%`
  if (!needle || (await countSample(db, workspaceId, needle, commonMin)) === commonMin) return { address, ids: null }
  // Who came a moment ago is not in the index yet, and may have been written to.
  const fresh = await unsearchedPage(db, workspaceId, { status: null, most: unsearchedMost, before: null })
  const ids = [
    ...fresh.flatMap((row) => (matches(needle, haystackOf(row)) ? [row.id] : [])),
    ...(await subscribersNamed(db, workspaceId, needle)),
  ]
  return { address, ids: [...new Set(ids)] }
}

interface Task {
  page: CampaignPage
  people: People | null
  /** Where the campaigns that were read end; null: there are no more. */
  beyond: CampaignMailPlace | null
}

const mishaps: ReadonlySet<string> = new Set(['bounced', 'complained', 'failed', 'suppressed'])

/** As many campaigns as one page may look at, by the cheapest way. */
async function lookThrough(
  db: Context['db'],
  workspaceId: number,
  campaigns: FrozenCampaign[],
  { page, people, beyond }: Task,
): Promise<FoundInLog<CampaignMailPlace>> {
  const [first] = campaigns
  if (!first || people?.ids?.length === 0) return { places: [], reached: beyond }
  const within = page.before?.id === first.id ? page.before.subscriberId : null
  const look = { before: within, most: page.most, status: page.status, address: people?.address ?? null }
  const isMishap = page.status !== null && mishaps.has(page.status)
  const isPlain = page.status === null && people === null
  const ids = people?.ids ?? null
  // Each of the cancelled is looked up to be passed over.
  const passed = (campaign: FrozenCampaign): number =>
    page.status === 'failed' && isPassedOver(campaign) ? campaign.cancelled : 0
  const cost = (campaign: FrozenCampaign): number =>
    ids
      ? (ids.length * walkSize) / lookUpsMost
      : isMishap || isPlain
        ? walkSize / campaignsMost + (passed(campaign) * walkSize) / lookUpsMost
        : campaign.recipients
  const some = affordable(campaigns, cost)
  const asked: CampaignMailPage = {
    ...look,
    ids: some.map(({ id }) => id),
    withoutCancelled: some.map((campaign) => page.status === 'failed' && isPassedOver(campaign)),
  }
  const found = ids
    ? await campaignMailsTo(db, workspaceId, asked, ids)
    : isMishap
      ? await failedCampaignMails(db, workspaceId, asked)
      : await newestCampaignMails(db, workspaceId, asked, walkSize)
  const places = found.map((row) => placeOf(row, some))
  if (found.length === page.most) return { places, reached: null }
  return { places, reached: (await cutShort()) ?? (some.length < campaigns.length ? endOf(some.at(-1)) : beyond) }

  /** A campaign that is larger than what one page looks through is looked through alone. */
  async function cutShort(): Promise<CampaignMailPlace | null> {
    if (ids || isMishap || !first || first.recipients <= walkSize) return null
    const window = { campaignId: first.id, before: within, window: walkSize }
    const subscriberId = await endOfCampaignWindow(db, workspaceId, window)
    return subscriberId === null ? null : { at: first.at, id: first.id, subscriberId }
  }
}

/** Who was cancelled did not fail; of a campaign with more of them than a page can look up they are shown among the failed, as cancelled. */
const isPassedOver = ({ cancelled }: FrozenCampaign): boolean => cancelled > 0 && cancelled <= lookUpsMost

/** The first ones, at least one, whose cost together one page may have. */
function affordable(campaigns: FrozenCampaign[], cost: (campaign: FrozenCampaign) => number): FrozenCampaign[] {
  let spent = 0
  const end = campaigns.findIndex((campaign) => (spent += cost(campaign)) > walkSize)
  return end === -1 ? campaigns : campaigns.slice(0, Math.max(1, end))
}

function placeOf({ nth, subscriberId }: CampaignMailFound, campaigns: FrozenCampaign[]): CampaignMailPlace {
  const campaign = campaigns[nth - 1]
  if (!campaign) throw new Error('A mail of a campaign that was not asked for')
  return { at: campaign.at, id: campaign.id, subscriberId }
}
