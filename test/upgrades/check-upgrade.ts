/**
 * What holds after a rolling upgrade under load, from the ledger, the relay, the receiver of
 * webhooks and the lists: a sentence for each broken promise.
 */
import { sql } from '../../src/database/client/sql.ts'
import {
  addressOf,
  checkCampaign,
  readRecipients,
  whatIsNotSent,
} from '../support/fault-campaign.ts'
import { checkMails, readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import type { World } from '../support/fault-world.ts'
import { comes } from '../support/until.ts'
import { readKept } from '../support/webhook-referee.ts'
import { checkContacts, type ContactRecord } from './contacts.ts'
import type { LoadRecord } from './steady-load.ts'

/**
 * People of the campaign, and of the file that a command of the previous release imports meanwhile.
 */
export const [contactCount, lines] = [800, 8_000]

export interface Evidence {
  world: World
  /** The campaign's id. */
  campaign: string
  record: LoadRecord
  contacted: ContactRecord
  /** The file of the receiver of webhooks. */
  webhooks: string
  /** What went wrong on the way, in words. */
  failures: string[]
}

/** Waits until everything has left; answers what has not. */
export const whatIsUnfinished = async (world: World, campaign: string): Promise<string[]> => [
  ...(await unfinishedRows(world.db, world.workspaceId)),
  ...(await whatIsNotSent(world, campaign)),
]

export async function checkUpgrade({
  world,
  campaign,
  record,
  contacted,
  webhooks,
  failures,
}: Evidence): Promise<string[]> {
  const { db, workspaceId } = world
  const undelivered = await whatIsNotDelivered(world)
  const rows = await readLedger(db, workspaceId)
  const frozen = new Set(Array.from({ length: contactCount }, (_, n) => addressOf(n + 1)))
  const mails = Object.groupBy(world.mails(), ({ to: [to = ''] }) =>
    frozen.has(to) ? 'campaign' : 'single',
  )
  const singles = mails.single ?? []
  const ids = new Set(rows.map(({ messageId }) => messageId))
  const gone = [...record.accepted]
    .filter(([id]) => !ids.has(id))
    .map(([id, to]) => `gone: ${to}, accepted as ${id}`)
  const doubted = rows
    .filter(({ doubts }) => doubts > 0)
    .map(({ email }) => `in doubt without a crash: ${email}`)
  const imported = await db.onlyValue<number>(sql`
    select count(*) from subscriber where workspace_id = ${workspaceId} and email like 'imported-%'`)
  const readers = new Set(
    await db.column<string>(sql`
      select email from subscriber where workspace_id = ${workspaceId} and email like 'reader-%'`),
  )
  const forgotten = record.subscribers
    .filter((email) => !readers.has(email))
    .map((email) => `no subscriber ${email}`)
  const accepted = record.accepted.size + contacted.confirmed.length
  return [
    ...[...failures, ...undelivered, ...gone, ...doubted, ...forgotten],
    ...checkMails(rows, singles),
    ...(singles.length === accepted
      ? []
      : [`${accepted} were accepted, ${singles.length} have arrived`]),
    ...checkCampaign(await readRecipients(world, campaign), frozen, mails.campaign ?? []),
    ...(imported === lines ? [] : [`${imported} of ${lines} lines were imported`]),
    ...(await checkContacts(world, contacted)),
    ...checkEvents(record, contacted, webhooks),
  ]
}

async function whatIsNotDelivered({ db, workspaceId }: World): Promise<string[]> {
  let open = 0
  const isDelivered = async (): Promise<boolean> => {
    open = await db.onlyValue<number>(sql`
      select count(*) from webhook_delivery where workspace_id = ${workspaceId} and status <> 'delivered'`)
    return open === 0
  }
  return (await comes(isDelivered)) ? [] : [`${open} calls of the webhook were not delivered`]
}

/** Each accepted mail, bounce, open and click is one event, and the receiver has it. */
function checkEvents(
  { accepted }: LoadRecord,
  { bounced, read }: ContactRecord,
  file: string,
): string[] {
  const events = new Map<string, Set<string>>()
  for (const { id, body } of readKept(file)) {
    const { type, data }: { type: string; data: { recipient: string } } = JSON.parse(body)
    const name = `${type} ${data.recipient}`
    events.set(name, (events.get(name) ?? new Set()).add(id))
  }
  const expected: [type: string, of: Iterable<string>][] = [
    ['email.sent', accepted.values()],
    ['email.bounced', bounced],
    ['email.opened', read],
    ['email.clicked', read],
  ]
  return expected.flatMap(([type, of]) =>
    [...of].flatMap((email) => {
      const count = events.get(`${type} ${email}`)?.size ?? 0
      return count === 1 ? [] : [`${count} events ${type} for ${email}`]
    }),
  )
}
