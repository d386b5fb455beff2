/**
 * The changes of many contacts that go on, and the results of those that ended lately. What is not
 * undone shows the seconds until it begins, and a button that stops it; both survive a reload.
 */
import { Button, Card, Group, Stack, Text } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import type { OperationId } from '../../../../../src/contract/operations.ts'
import { addressOf } from '../../../api/client.ts'
import { useNotifyRefused } from '../../../api/notify.ts'
import { useAct, useAsk, useReload, type ItemOf } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { keyOf } from '../../../parts/key-of.ts'
import { DownloadButton } from '../../../parts/links.tsx'
import { Progress } from '../../../parts/Progress.tsx'
import { audienceReads } from '../words.ts'

type BulkChange = ItemOf<'listBulkChanges'>

const pollMs = 700
/** A result stays so long, unless the reader puts it away. */
const shownMs = 10 * 60_000

const isUnderWay = ({ state }: BulkChange): boolean => state === 'waiting' || state === 'running'
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

function ChangeCard({ change, onAway }: { change: BulkChange; onAway: () => void }) {
  const { t } = useTranslation('bulk')
  const { action, tag, field } = change
  const label = t(keyOf('does', action), { tag, field })
  return (
    <Card withBorder padding="sm" component="section" aria-label={label}>
      <Group justify="space-between" gap="sm">
        <div style={{ flex: '1 1 16rem', minWidth: 0 }}>
          {isUnderWay(change) && <UnderWay change={change} label={label} />}
          {/* It is there before its words, so that a screen reader says them. */}
          <div aria-live="polite">
            {!isUnderWay(change) && <Result change={change} label={label} />}
          </div>
        </div>
        {isUnderWay(change) ? (
          <Stop change={change} />
        ) : (
          <Group gap="xs">
            {action === 'export' && (
              <DownloadButton
                size="xs"
                href={addressOf('downloadBulkExport', { params: { id: change.id } })}
              >
                {t('download')}
              </DownloadButton>
            )}
            <Button size="xs" variant="subtle" onClick={onAway}>
              {t('putAway')}
            </Button>
          </Group>
        )}
      </Group>
    </Card>
  )
}

interface ShownChange {
  change: BulkChange
  label: string
}

function UnderWay({ change, label }: ShownChange) {
  const { t, i18n } = useTranslation('bulk')
  const { state, contacts, done, waits_seconds: seconds, stopping } = change
  if (state !== 'waiting')
    return <Progress label={stopping ? t('stopping') : label} done={done} total={contacts} />
  const number = contacts.toLocaleString(i18n.language)
  return (
    <>
      <Text fw={550}>{label}</Text>
      <Text role="timer">
        {t(seconds > 0 ? 'beginsIn' : 'waitsForAnother', {
          ...{ count: seconds, contacts: t('contacts', { count: contacts, number }) },
        })}
      </Text>
    </>
  )
}

function Stop({ change: { id, state, stopping } }: { change: BulkChange }) {
  const { t } = useTranslation('bulk')
  const mayEdit = useMay('editor')
  const onError = useNotifyRefused()
  const { mutate, isPending } = useAct('stopBulkChange', { refresh: ['listBulkChanges'] })
  if (!mayEdit) return null
  return (
    <Button
      size="xs"
      variant={state === 'waiting' ? 'filled' : 'default'}
      loading={isPending}
      disabled={stopping}
      onClick={() => mutate({ params: { id } }, { onError })}
    >
      {t('stop')}
    </Button>
  )
}

/** How many changed, and how many were left out for each reason. */
function Result({ change, label }: ShownChange) {
  const { t, i18n } = useTranslation('bulk')
  const { action, state, contacts, changed: count, left_out: leftOut } = change
  const say = (number: number): string => number.toLocaleString(i18n.language)
  const result =
    action === 'export'
      ? t('contacts', { count: contacts, number: say(contacts) })
      : t('changed', { count, number: say(count) })
  return (
    <>
      <Text fw={550}>{state === 'stopped' ? t('wasStopped', { label }) : label}</Text>
      <Text>
        {[
          result,
          ...leftOut.map(({ reason, contacts: left }) =>
            t(keyOf('left', reason), { count: left, number: say(left) }),
          ),
        ].join(' · ')}
      </Text>
    </>
  )
}
