/**
 * Erases a contact from a workspace.
 *
 * 1. suppress the address, so that pending mail to it does not leave
 * 2. while a mail to it is leaving, erase nothing
 * 3. in one transaction, delete all data about the contact. Counters and shared data stay without
 *    them. If the address was suppressed before, a digest of it stays, which only a caller with the
 *    address can compare. The erasure itself stays known for a while, because of import files that
 *    were uploaded before
 */
import { retrying } from '../../../database/client/retrying.ts'
import type { Database } from '../../../database/client/database.ts'
import {
  eraseCaptured,
  eraseDeferrals,
  erasedAddress,
  eraseFromAudit,
  eraseFromBulkChanges,
  eraseFromLedgers,
  eraseRecords,
  eraseTraces,
  eraseSuppressionImports,
  hashSuppression,
  isBeingHandedOver,
  makeErasureSalt,
  messagesToErase,
  recordErased,
  rewriteMessages,
  type MessageToErase,
  type ErasedContact,
} from '../../../db/audience/erasures.ts'
import { deleteEventsNaming } from '../../../db/events/events.ts'
import { lockMessageIndex, messagesToIndex } from '../../../db/messages/message-search.ts'
import { waitForImports } from '../../../db/audience/subscriber-imports.ts'
import { subscriberByEmail } from '../../../db/audience/subscribers.ts'
import {
  isBeingErased,
  suppressionsOf,
  type SuppressionRow,
} from '../../../db/suppression/suppressions.ts'
import type { SuppressionReason } from '../../../contract/suppression.ts'
import type { Context } from '../../context.ts'
import { writeIndex } from '../../message-index/index-messages.ts'
import { suppressAddress } from '../../suppression/suppress-address.ts'
import { readHead, type Head, type HeadMailbox } from '../../presentation/message-head.ts'

export type Erasure =
  /** `kept`: why the address stays suppressed; null when it was not, and may be added again. */
  | { erased: true; kept: SuppressionReason | null }
  /** A mail to the address is leaving now: it is suppressed, and can be erased in a minute. */
  | { erased: false }

const pageSize = 200
/** Events per statement. */
const eventsAtOnce = 5_000

/**
 * `email` is the lower-cased address. A repeated call changes nothing. `beside` writes in the
 * transaction that erases.
 */
export async function eraseContact(
  ctx: Pick<Context, 'db' | 'makeId' | 'failpoints' | 'wake'>,
  {
    workspaceId,
    email,
    beside,
  }: { workspaceId: number; email: string; beside?: (tx: Database) => Promise<void> },
): Promise<Erasure> {
  const before = await suppressionBefore(ctx.db, workspaceId, email)
  await suppressAddress(ctx, {
    workspaceId,
    entry: {
      ...{ email, reason: before?.reason ?? 'manual', sourceId: null },
      erasing: before === undefined,
    },
  })
  const erased = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      const isErased = await erase(tx, workspaceId, email, before !== undefined)
      if (isErased) await beside?.(tx)
      return isErased
    }),
  )
  return erased ? { erased: true, kept: before?.reason ?? null } : { erased: false }
}

/** An entry that a former attempt of the erasure left behind is none. */
async function suppressionBefore(
  db: Database,
  workspaceId: number,
  email: string,
): Promise<SuppressionRow | undefined> {
  if (await isBeingErased(db, workspaceId, email)) return undefined
  const entries = await suppressionsOf(db, workspaceId, [email])
  return entries.find(({ scope }) => scope === 'organization')
}

/** Returns false while a mail to the address is leaving. */
async function erase(
  tx: Database,
  workspaceId: number,
  email: string,
  keep: boolean,
): Promise<boolean> {
  // An import batch that began before the suppression could add the contact again; later batches
  // see the suppression.
  await waitForImports(tx, workspaceId)
  const subscriber = await subscriberByEmail(tx, workspaceId, email)
  const contact: ErasedContact = { email, subscriberId: subscriber?.id ?? null }
  if (await isBeingHandedOver(tx, workspaceId, contact)) return false
  await lockMessageIndex(tx, workspaceId)
  const rewritten = await eraseMessages(tx, workspaceId, email)
  await eraseCaptured(tx, workspaceId, contact)
  await eraseTraces(tx, workspaceId, contact)
  await eraseEvents(tx, workspaceId, email)
  await eraseDeferrals(tx, workspaceId, contact)
  await eraseFromAudit(tx, workspaceId, email)
  await eraseFromLedgers(tx, workspaceId, contact)
  for (let from = 0; from < rewritten.length; from += pageSize)
    await writeIndex(
      tx,
      workspaceId,
      await messagesToIndex(tx, workspaceId, rewritten.slice(from, from + pageSize)),
    )
  await eraseSuppressionImports(tx, workspaceId, email)
  await eraseRecords(tx, workspaceId, contact)
  await makeErasureSalt(tx, workspaceId)
  await recordErased(tx, workspaceId, email)
  await hashSuppression(tx, workspaceId, email, keep)
  await eraseFromBulkChanges(tx, workspaceId, email)
  return true
}

/**
 * Deletes events that name the contact entirely: their bytes were signed, so they cannot be
 * changed.
 */
async function eraseEvents(tx: Database, workspaceId: number, email: string): Promise<void> {
  for (let after: string | null = '00000000-0000-0000-0000-000000000000'; after !== null;)
    after = await deleteEventsNaming(tx, workspaceId, {
      text: JSON.stringify(email).slice(1, -1),
      after,
      max: eventsAtOnce,
    })
}

/** Returns the affected messages. */
async function eraseMessages(tx: Database, workspaceId: number, email: string): Promise<string[]> {
  const rewritten: string[] = []
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const page = await messagesToErase(tx, workspaceId, email, { after, max: pageSize })
    const last = page.at(-1)
    if (!last) return rewritten
    rewritten.push(...page.map(({ id }) => id))
    await rewriteMessages(
      tx,
      workspaceId,
      page.map((message) => withoutContact(message, email)),
    )
    after = last.id
  }
}

/**
 * Removes the contact from a message that others received too. Other mailboxes stay; free headers
 * that name the address are removed.
 */
function withoutContact(
  { id, head: stored, alone }: MessageToErase,
  email: string,
): { id: string; head: string; alone: boolean } {
  const head = readHead(stored)
  const spelled = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC')
  const others = (mailboxes: HeadMailbox[]): HeadMailbox[] =>
    mailboxes.map((mailbox) =>
      spelled(mailbox.address) === email ? { name: null, address: erasedAddress } : mailbox,
    )
  const cleared: Head = {
    ...head,
    to: others(head.to),
    cc: others(head.cc),
    bcc: others(head.bcc),
    replyTo: others(head.replyTo),
    headers: alone ? [] : head.headers.filter(([, value]) => !spelled(value).includes(email)),
    // The mailboxes say who is left.
    ...(head.written && { written: { ...head.written, to: null, cc: null } }),
  }
  return { id, head: JSON.stringify(cleared), alone }
}
