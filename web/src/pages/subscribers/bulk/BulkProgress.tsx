/**
 * The changes of many contacts that go on, and the results of those that ended lately. What is not
 * undone shows the seconds until it begins, and a button that stops it; both survive a reload.
 */
import { Stack } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import type { OperationId } from '../../../../../src/contract/operations.ts'
import { useAsk, useReload } from '../../../api/use-ask.ts'
import { audienceReads } from '../words.ts'
import { ChangeCard, isUnderWay, type BulkChange } from './ChangeCard.tsx'

const pollMs = 700
/** A result stays so long, unless the reader puts it away. */
const shownMs = 10 * 60_000

const areUnderWay = (last: unknown): boolean =>
  ((last as { data?: BulkChange[] } | undefined)?.data ?? []).some(isUnderWay)
const changed: readonly OperationId[] = [
  ...([...audienceReads, 'getContact', 'listSegmentMembers', 'countSegment'] as const),
]

export function BulkProgress() {
  const { data } = useAsk('listBulkChanges', undefined, {
    poll: (last) => (areUnderWay(last) ? pollMs : false),
  })
  const [away, setAway] = useSessionStorage<string[]>({
    ...{ key: 'facteur-bulk-away', defaultValue: [] },
  })
  const changes = data?.data ?? []
  useReload(changed, changes.length > 0 && !changes.some(isUnderWay))
  const shown = changes.filter((change) => isUnderWay(change) || isRecent(change, away))
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

const isRecent = ({ id, ended_at: endedAt }: BulkChange, away: string[]): boolean =>
  endedAt !== null && Date.now() - Date.parse(endedAt) < shownMs && !away.includes(id)
