/**
 * Erases a person from a workspace.
 *
 * 1. the address is closed, as any is: what waits for it does not leave
 * 2. while a mail to it is on its way, nothing is erased
 * 3. in one transaction: everything that is about the person goes; what counts, or is others' too, stays without them. Where
 *    the address was closed before, that stays known as a digest, which only whoever has the address can compare; so does, for
 *    a while, that they were erased, because of files that came before
 */
import { retrying } from '../../db/connection/connect.ts'
import type { Database } from '../../db/connection/connect.ts'
import {
  eraseCaptured,
  eraseDeferrals,
  erasedAddress,
  eraseFromAudit,
  eraseFromLedgers,
  eraseRecords,
  eraseTraces,
  eraseSuppressionImports,
  hashSuppression,
  isBeingHandedOver,
  makeErasureSalt,
  messagesToErase,
  noteErased,
  rewriteMessages,
} from '../../db/contacts/erasures.ts'
import type { MessageToErase, ErasedContact } from '../../db/contacts/erasures.ts'
import { deleteEventsNaming } from '../../db/events/events.ts'
import { holdMessageIndex, messagesToIndex } from '../../db/messages/message-search.ts'
import { waitForImports } from '../../db/subscribers/subscriber-imports.ts'
import { subscriberByEmail } from '../../db/subscribers/subscribers.ts'
import { suppressionsOf } from '../../db/suppression/suppressions.ts'
import type { SuppressionReason } from '../../contract/suppression.ts'
import type { Context } from '../context.ts'
import { writeIndex } from '../message-index/index-messages.ts'
import { suppressAddress } from '../suppression/suppress-address.ts'
import { readHead } from '../presentation/message-head.ts'
import type { Head, HeadMailbox } from '../presentation/message-head.ts'

export type Erasure =
  /** `kept`: why the address stays closed; null when it was open, and may come again. */
  | { erased: true; kept: SuppressionReason | null }
  /** A mail to the address is leaving at this moment: it is closed, and may be erased in a minute. */
  | { erased: false }

const pageSize = 200
/** Events that one statement reads. */
const eventsAtOnce = 5_000

/** `email` is the lower-cased address. Again it does the same, and changes nothing. */
export async function eraseContact(
  ctx: Pick<Context, 'db' | 'makeId' | 'failpoints' | 'wake'>,
  workspaceId: number,
  email: string,
): Promise<Erasure> {
  const before = (await suppressionsOf(ctx.db, workspaceId, [email])).find(({ scope }) => scope === 'organization')
  await suppressAddress(ctx, workspaceId, { email, reason: before?.reason ?? 'manual', sourceId: null })
  const erased = await retrying(() => ctx.db.transaction((tx) => erase(tx, workspaceId, email, before !== undefined)))
  return erased ? { erased: true, kept: before?.reason ?? null } : { erased: false }
}

/** False while a mail to the address is on its way. */
async function erase(tx: Database, workspaceId: number, email: string, keep: boolean): Promise<boolean> {
  // A batch that began before the address was closed could bring the person back; one that begins later finds it closed.
  await waitForImports(tx, workspaceId)
  const subscriber = await subscriberByEmail(tx, workspaceId, email)
  const person: ErasedContact = { email, subscriberId: subscriber?.id ?? null }
  if (await isBeingHandedOver(tx, workspaceId, person)) return false
  await holdMessageIndex(tx, workspaceId)
  const rewritten = await eraseMessages(tx, workspaceId, email)
  await eraseCaptured(tx, workspaceId, person)
  await eraseTraces(tx, workspaceId, person)
  await eraseEvents(tx, workspaceId, email)
  await eraseDeferrals(tx, workspaceId, person)
  await eraseFromAudit(tx, workspaceId, email)
  await eraseFromLedgers(tx, workspaceId, person)
  for (let from = 0; from < rewritten.length; from += pageSize)
    await writeIndex(tx, workspaceId, await messagesToIndex(tx, workspaceId, rewritten.slice(from, from + pageSize)))
  await eraseSuppressionImports(tx, workspaceId, email)
  await eraseRecords(tx, workspaceId, person)
  await makeErasureSalt(tx, workspaceId)
  await noteErased(tx, workspaceId, email)
  await hashSuppression(tx, workspaceId, email, keep)
  return true
}

/** Events that name the person go whole: their bytes are what was signed, and cannot be others. */
async function eraseEvents(tx: Database, workspaceId: number, email: string): Promise<void> {
  for (let after: string | null = '00000000-0000-0000-0000-000000000000'; after !== null;)
    after = await deleteEventsNaming(tx, workspaceId, { text: JSON.stringify(email).slice(1, -1), after, most: eventsAtOnce })
}

/** Answers which they were. */
async function eraseMessages(tx: Database, workspaceId: number, email: string): Promise<string[]> {
  const rewritten: string[] = []
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const page = await messagesToErase(tx, workspaceId, email, { after, most: pageSize })
    const last = page.at(-1)
    if (!last) return rewritten
    rewritten.push(...page.map(({ id }) => id))
    await rewriteMessages(
      tx,
      workspaceId,
      page.map((message) => withoutPerson(message, email)),
    )
    after = last.id
  }
}

/** A message that others got too keeps its mailboxes, but for this one; free headers may hold anything, and go where it is named. */
function withoutPerson({ id, head: stored, alone }: MessageToErase, email: string): { id: string; head: string; alone: boolean } {
  const head = readHead(stored)
  const spelled = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC')
  const others = (mailboxes: HeadMailbox[]): HeadMailbox[] =>
    mailboxes.map((mailbox) => (spelled(mailbox.address) === email ? { name: null, address: erasedAddress } : mailbox))
  const cleared: Head = {
    ...head,
    to: others(head.to),
    cc: others(head.cc),
    bcc: others(head.bcc),
    replyTo: others(head.replyTo),
    headers: alone ? [] : head.headers.filter(([, value]) => !spelled(value).includes(email)),
  }
  return { id, head: JSON.stringify(cleared), alone }
}
