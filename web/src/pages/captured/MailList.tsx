/** The list draws only the rows that the reader sees, and asks for more near its end. */
import { Loader, Text } from '@mantine/core'
import { useVirtualizer, defaultRangeExtractor } from '@tanstack/react-virtual'
import { useEffect, useRef, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../parts/Failure.tsx'
import { Moment } from '../../parts/Moment.tsx'
import classes from './Captured.module.css'
import type { Entry, Mailbox } from './use-mailbox.ts'

/** In pixels: two lines. */
const rowHeight = 60

interface MailListProps {
  read: Mailbox['read']
  /** The place of the entry that is chosen; -1 is none. */
  at: number
  isOfAll: boolean
  renderLink: (entry: Entry, props: EntryLink) => ReactNode
}

/** What a row gives its link. */
export interface EntryLink {
  className: string
  'aria-current'?: 'true'
  'data-unread': boolean
  children: ReactNode
}

export function MailList({ read, at, isOfAll, renderLink }: MailListProps) {
  const { t } = useTranslation('captured')
  const box = useRef<HTMLDivElement>(null)
  const { items, hasMore, isLoadingMore, loadMore, moreError } = read
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 8,
    // The chosen row stays, and with it the focus.
    rangeExtractor: (range) => [
      ...new Set([...defaultRangeExtractor(range), ...(at < 0 ? [] : [at])]),
    ],
  })
  const drawn = rows.getVirtualItems().filter(({ index }) => index < items.length)
  const last = drawn.reduce((most, { index }) => Math.max(most, index === at ? 0 : index), 0)
  useEffect(() => {
    if (hasMore && !isLoadingMore && moreError === null && last >= items.length - 20) loadMore()
  }, [hasMore, isLoadingMore, moreError, last, items.length, loadMore])
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at)
    // The rows themselves change with each scroll.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [at])
  return (
    <div ref={box} className={classes.rows} data-stale={read.isStale} aria-busy={read.isStale}>
      <ul className={classes.all} aria-label={t('title')} style={{ height: rows.getTotalSize() }}>
        {drawn.map(({ index, key, start }) => {
          const entry = items[index]
          return (
            entry && (
              <li
                key={key}
                className={classes.row}
                aria-setsize={hasMore ? -1 : items.length}
                aria-posinset={index + 1}
                style={{ height: rowHeight, transform: `translateY(${start}px)` }}
              >
                {renderLink(entry, {
                  className: classes.entry ?? '',
                  ...(index === at && { 'aria-current': 'true' }),
                  'data-unread': entry.unread > 0,
                  children: <Lines entry={entry} isOfAll={isOfAll} />,
                })}
              </li>
            )
          )
        })}
      </ul>
      {isLoadingMore && <Loader size="xs" m="sm" />}
      <Failure error={moreError} retry={loadMore} />
    </div>
  )
}

function Lines({ entry, isOfAll }: { entry: Entry; isOfAll: boolean }) {
  const { t } = useTranslation('captured')
  const { campaign, mails, subject, recipient, captured_at: at, workspace } = entry
  const isFolded = campaign !== null && mails > 1
  return (
    <>
      <span className={classes.subject}>
        <bdi>
          {isFolded
            ? t('mailsOf', { count: mails, name: campaign.name })
            : subject || t('noSubject')}
        </bdi>
      </span>
      <span className={classes.when}>
        <Moment at={at} />
      </span>
      <span className={classes.who}>
        <bdi>{isFolded ? subject : recipient}</bdi>
      </span>
      <Text component="span" className={classes.when}>
        {isOfAll && <bdi>{workspace}</bdi>}
        {!isOfAll && isFolded && entry.unread > 0 && t('unreadOf', { count: entry.unread })}
      </Text>
    </>
  )
}
