/**
 * The changes of contacts that go on, and the results of those that ended lately: all, or those of
 * one contact. What is not undone shows the seconds until it begins, and a button that stops it; both survive a reload.
 */
import { Stack } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import { useEffect, useEffectEvent, useState } from 'react'
import type { OperationId } from '../../../../../src/contract/operations.ts'
import { useAsk, useReload } from '../../../api/use-ask.ts'
import { audienceReads } from '../words.ts'
import { ChangeCard, isUnderWay, type BulkChange } from './ChangeCard.tsx'

const pollMs = 700
/** A result stays so long, unless the reader puts it away. */
const shownMs = 10 * 60_000
/** That of one contact stays so long on the list, for the member who confirmed it. */
const shownOfOneMs = 60_000

const areUnderWay = (last: unknown): boolean =>
  ((last as { data?: BulkChange[] } | undefined)?.data ?? []).some(isUnderWay)
const changed: readonly OperationId[] = [
  ...([
    ...audienceReads,
    'getContact',
    'listContactTimeline',
    'listSegmentMembers',
    'countSegment',
  ] as const),
]

interface Of {
  /** Only its changes, as `contact` of a change names it. */
  contact?: string
  /** The contact is erased: nothing is left to be shown of them. */
  onErased?: () => void
}

export function BulkProgress({ contact, onErased }: Of) {
  const { data: session } = useAsk('getSession')
  const { data } = useAsk('listBulkChanges', undefined, {
    poll: (last) => (areUnderWay(last) ? pollMs : false),
  })
  const [away, setAway] = useSessionStorage<string[]>({
    ...{ key: 'facteur-bulk-away', defaultValue: [] },
  })
  const changes = useChangesOf(data?.data ?? [], contact)
  const isErased = contact !== undefined && changes.some(hasErased)
  useReload(changed, changes.length > 0 && !changes.some(isUnderWay) && !isErased)
  const leave = useEffectEvent(() => onErased?.())
  useEffect(() => {
    if (isErased) leave()
  }, [isErased])
  const isHere = ({ contact: whose, by, ended_at: endedAt }: BulkChange): boolean =>
    whose === null ||
    contact !== undefined ||
    (by === session?.person.email && hasEndedWithin(shownOfOneMs, endedAt))
  const shown = changes.filter(
    (change) => isUnderWay(change) || (isRecent(change, away) && isHere(change)),
  )
  if (shown.length === 0) return null
  return (
    <Stack gap="xs">
      {shown.map((change) => (
        <ChangeCard
          key={change.id}
          change={change}
          onAway={() => setAway((before) => [...before, change.id])}
        />
      ))}
    </Stack>
  )
}

/** The address of a contact who is no subscriber is gone once the change has ended: it is known here still. */
function useChangesOf(changes: BulkChange[], contact: string | undefined): BulkChange[] {
  const [known, setKnown] = useState<string[]>([])
  if (contact === undefined) return changes
  const own = changes.filter((change) => change.contact === contact || known.includes(change.id))
  if (own.some(({ id }) => !known.includes(id))) setKnown(own.map(({ id }) => id))
  return own
}

const hasErased = ({ action, changed: count }: BulkChange): boolean =>
  action === 'erase' && count > 0

const isRecent = ({ id, ended_at: endedAt }: BulkChange, away: string[]): boolean =>
  hasEndedWithin(shownMs, endedAt) && !away.includes(id)

const hasEndedWithin = (ms: number, endedAt: string | null): boolean =>
  endedAt !== null && Date.now() - Date.parse(endedAt) < ms
