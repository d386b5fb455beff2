/**
 * One change of contacts: how far it is, with a button that stops it, or its result.
 */
import { Button, Card, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { addressOf } from '../../../api/client.ts'
import { useNotifyRefused } from '../../../api/notify.ts'
import { useAct, useAsk, type ItemOf } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { keyOf } from '../../../parts/key-of.ts'
import { DownloadButton } from '../../../parts/links.tsx'
import { Progress } from '../../../parts/Progress.tsx'

export type BulkChange = ItemOf<'listBulkChanges'>

/**
 * A member who confirmed a change goes on at it: the bar with the button that they pressed has gone
 * with the selection. The newest is the first.
 */
export const focusNewestChange = (): void =>
  void requestAnimationFrame(() =>
    (
      document.querySelector<HTMLElement>('[data-sheet-body] [data-change]') ??
      document.querySelector<HTMLElement>('[data-change]')
    )?.focus(),
  )

export const isUnderWay = ({ state }: BulkChange): boolean =>
  state === 'waiting' || state === 'running'

export function ChangeCard({ change, onAway }: { change: BulkChange; onAway: () => void }) {
  const { t } = useTranslation('bulk')
  const { action, tag, field, email } = change
  const isOfOne = change.contact !== null && (action === 'unsubscribe' || action === 'erase')
  const label = isOfOne ? t(keyOf('doesOne', action)) : t(keyOf('does', action), { tag, field })
  return (
    <Card
      data-change
      tabIndex={-1}
      withBorder
      p="sm"
      component="section"
      aria-label={email === null ? label : `${label} (${email})`}
    >
      <Group justify="space-between" gap="sm">
        <div style={{ flex: '1 1 10rem', minWidth: 0 }}>
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
            {action === 'export' && <Download change={change} />}
            <Button size="xs" variant="subtle" onClick={onAway}>
              {t('putAway')}
            </Button>
          </Group>
        )}
      </Group>
    </Card>
  )
}

/** Other members get no file that they did not confirm. */
function Download({ change: { id, by } }: { change: BulkChange }) {
  const { t } = useTranslation('bulk')
  const { data: session } = useAsk('getSession')
  if (session?.person.email !== by) return null
  return (
    <DownloadButton size="xs" href={addressOf('downloadBulkExport', { params: { id } })}>
      {t('download')}
    </DownloadButton>
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
        {t(seconds > 0 || change.contact !== null ? 'beginsIn' : 'waitsForAnother', {
          ...{
            count: seconds,
            contacts: change.email ?? t('contacts', { count: contacts, number }),
          },
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
          ...(change.email === null ? [] : [change.email]),
          result,
          ...leftOut.map(({ reason, contacts: left }) =>
            t(keyOf('left', reason), { count: left, number: say(left) }),
          ),
        ].join(' · ')}
      </Text>
    </>
  )
}
