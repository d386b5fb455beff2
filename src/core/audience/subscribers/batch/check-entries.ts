/**
 * Checks which entries of a batch may be added, and which of them are asked to confirm, and when.
 */
import { limits } from '../../../../contract/limits.ts'
import type { Database } from '../../../../database/client/database.ts'
import { lockConfirmationPace } from '../../../../db/audience/confirmation-pace.ts'
import {
  knownSubscribers,
  type KnownSubscriber,
} from '../../../../db/audience/subscriber-batches.ts'
import { fieldKeysOf, typedFieldsAmong } from '../../../../db/audience/subscriber-fields.ts'
import { suppressionsOf, type SuppressionRow } from '../../../../db/suppression/suppressions.ts'
import type { CallContext } from '../../../context.ts'
import { confirmationTimes, refuseLateConfirmation } from '../../consent/confirmation-times.ts'
import { findAsker, type Asker } from '../../consent/send-confirmation.ts'
import { refuseMisfits } from '../../fields/field-values.ts'
import { isToBeAskedAgain, refusalOfAsker, suppressedBy } from '../add-subscriber.ts'
import { refuseTagsLeftOut, tooManyFields } from '../read-subscriber.ts'
import { refusedEntry, type EntryResult } from './batch-result.ts'
import type { BatchEntry } from './read-batch.ts'

/** An entry that may be added. */
export interface CheckedEntry extends BatchEntry {
  isKnown: boolean
  /** When the contact is asked to confirm. Null means not at all. */
  askedAt: Date | null
}

export interface CheckedEntries {
  checked: CheckedEntry[]
  refused: Map<number, EntryResult>
  /** Null while nobody is to be asked. */
  asker: Asker | null
}

/** In the caller's transaction, which holds the queue of confirmations where it needs some. */
export async function checkEntries(
  ctx: CallContext,
  tx: Database,
  entries: BatchEntry[],
): Promise<CheckedEntries> {
  const { workspaceId } = ctx
  const emails = entries.map(({ subscriber }) => subscriber.email)
  const known = byEmail(await knownSubscribers(tx, workspaceId, emails))
  const suppressed = byEmail(await suppressionsOf(tx, workspaceId, emails))
  const fields = new Set(await fieldKeysOf(tx, workspaceId))
  // Of all fields: they are limited in number, which keys of the entries are not.
  const types = await typedFieldsAmong(tx, workspaceId, [...fields])
  const refused: CheckedEntries['refused'] = new Map()
  const passing = keepPassing(refused, entries, (entry) => {
    const email = entry.subscriber.email
    refuseMisfits(types, entry.subscriber.fields)
    refuseSuppressed(email, known.get(email), suppressed.get(email))
    refuseTagsWithoutRoom(entry, known.get(email))
    addFields(fields, entry)
  })
  const unconfirmed = passing.filter((entry) =>
    isToBeAsked(entry, known.get(entry.subscriber.email)),
  )
  const asker = unconfirmed.length === 0 ? null : await findAsker(ctx, tx, workspaceId)
  const room = asker === null ? null : await roomForConfirmations(tx, workspaceId)
  const awaiting = keepPassing(refused, unconfirmed, () => {
    if (asker && 'refusal' in asker) throw refusalOfAsker(asker)
    room?.take()
  })
  const leaving = await confirmationTimes(tx, workspaceId, awaiting.length)
  const times = new Map(awaiting.map(({ index }, position) => [index, leaving[position] ?? null]))
  const checked = passing
    .filter(({ index }) => !refused.has(index))
    .map((entry) => ({
      ...entry,
      isKnown: known.has(entry.subscriber.email),
      askedAt: times.get(entry.index) ?? null,
    }))
  return { checked, refused, asker: asker && 'refusal' in asker ? null : asker }
}

/** The entries for which the check throws no refusal; the others are recorded. */
function keepPassing<Entry extends BatchEntry>(
  refused: CheckedEntries['refused'],
  entries: Entry[],
  check: (entry: Entry) => void,
): Entry[] {
  return entries.filter((entry) => {
    try {
      check(entry)
      return true
    } catch (error) {
      refused.set(entry.index, refusedEntry(error))
      return false
    }
  })
}

function refuseSuppressed(
  email: string,
  known: KnownSubscriber | undefined,
  entry: SuppressionRow | undefined,
): void {
  const refusal = suppressedBy(known?.status ?? null, entry?.reason ?? null)
  if (refusal) throw refusal(email)
}

function refuseTagsWithoutRoom(
  { subscriber }: BatchEntry,
  known: KnownSubscriber | undefined,
): void {
  const stored = known?.tags ?? []
  const added = subscriber.tags.filter((tag) => !stored.includes(tag))
  const room = Math.max(0, limits.subscriberTagsInAllMax - stored.length)
  refuseTagsLeftOut(added, added.slice(0, room))
}

/** Fields that an earlier entry defines are there for a later one; a cleared one need not be. */
function addFields(known: Set<string>, { subscriber }: BatchEntry): void {
  const fresh = usedFields(subscriber).filter((key) => !known.has(key))
  if (fresh.length > 0 && known.size + fresh.length > limits.fieldsMax) throw tooManyFields()
  for (const key of fresh) known.add(key)
}

export const usedFields = ({ fields }: BatchEntry['subscriber']): string[] =>
  Object.keys(fields).filter((key) => fields[key] !== '')

const isToBeAsked = ({ doubleOptIn }: BatchEntry, known: KnownSubscriber | undefined): boolean =>
  doubleOptIn && (known === undefined || isToBeAskedAgain(known))

/** Refuses contacts whose confirmation would leave too late; another batch takes no room meanwhile. */
async function roomForConfirmations(tx: Database, workspaceId: number): Promise<{ take(): void }> {
  const pace = await lockConfirmationPace(tx, workspaceId)
  let taken = 0
  return {
    take() {
      refuseLateConfirmation(pace, taken)
      taken++
    },
  }
}

const byEmail = <Row extends { email: string }>(rows: Row[]): Map<string, Row> =>
  new Map(rows.map((row) => [row.email, row]))
