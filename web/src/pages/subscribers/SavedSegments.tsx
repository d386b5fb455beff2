/**
 * Saved segments beside the list, with how many contacts each has; a choice above it where there is
 * no room beside.
 */
import { Card, Group, NativeSelect, NavLink, Stack, Text, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { Empty } from '../../parts/Empty.tsx'
import { PageLink } from '../../parts/links.tsx'
import classes from './Subscribers.module.css'
import type { Segment, useSegment } from './use-segment.ts'

type Chosen = ReturnType<typeof useSegment>

/** Counts of a workspace take turns, so that only so many segments are counted unasked. */
const countedMax = 12

interface ListProps extends Chosen {
  /** The list has its own total: those of the segments wait for it. */
  isCounted: boolean
}

export function SegmentChoice({ segments, id: chosen, choose }: Chosen) {
  const { t } = useTranslation('subscribers')
  if (segments.length === 0) return null
  return (
    <NativeSelect
      aria-label={t('segments')}
      value={chosen ?? ''}
      data={[
        { value: '', label: t('segmentNone') },
        ...segments.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(event) => choose(event.currentTarget.value)}
      maw={420}
    />
  )
}

export function SegmentGone({ choose }: Chosen) {
  const { t } = useTranslation('subscribers')
  return (
    <Card withBorder p={0}>
      <Empty
        icon="search"
        title={t('segmentGone')}
        clear={{ label: t('segmentNone'), onClick: () => choose('') }}
      >
        {t('segmentGoneWhy')}
      </Empty>
    </Card>
  )
}

export function SavedSegmentList({ segments, id: chosen, choose, isCounted }: ListProps) {
  const { t } = useTranslation('subscribers')
  // One count after the other: those of the editor of a segment go on beside them.
  const [turn, setTurn] = useState(0)
  return (
    <Stack component="nav" gap="xs" aria-label={t('segments')} className={classes.segments}>
      <Group justify="space-between" gap={4}>
        <Title order={2} size="h5">
          {t('segments')}
        </Title>
        <PageLink to="segments" size="xs">
          {t('segmentsManage')}
        </PageLink>
      </Group>
      <div>
        <Item isChosen={chosen === undefined} label={t('segmentNone')} choose={() => choose('')} />
        {segments.map((segment, at) => (
          <Counted
            key={segment.id}
            segment={segment}
            isChosen={segment.id === chosen}
            isInTurn={isCounted && at < countedMax && at <= turn}
            onCounted={() => setTurn((before) => Math.max(before, at + 1))}
            choose={() => choose(segment.id)}
          />
        ))}
      </div>
    </Stack>
  )
}

interface ItemProps {
  label: string
  isChosen: boolean
  count?: number | undefined
  choose: () => void
}

function Item({ label, isChosen, count, choose }: ItemProps) {
  const { i18n } = useTranslation()
  return (
    <NavLink
      component="button"
      type="button"
      noWrap
      active={isChosen}
      aria-current={isChosen || undefined}
      label={label}
      title={label}
      onClick={choose}
      className={classes.segment}
      rightSection={
        count !== undefined && (
          <Text span c="dimmed" size="xs">
            {count.toLocaleString(i18n.language)}
          </Text>
        )
      }
    />
  )
}

interface CountedProps extends Omit<ItemProps, 'label' | 'count'> {
  segment: Segment
  isInTurn: boolean
  onCounted: () => void
}

function Counted({ segment: { id, name }, isInTurn, onCounted, ...item }: CountedProps) {
  const query = { segment: id, recent: 'true' } as const
  const { data, isPending } = useAsk('countFilteredContacts', { query }, { enabled: isInTurn })
  useEffect(() => {
    if (!isPending) onCounted()
    // The effect is about the answer alone.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isPending])
  return <Item label={name} count={data?.count} {...item} />
}
