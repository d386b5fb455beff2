/** This hook reads the captured mails that the address asks for, and says what of them is chosen. */
import { useEffect, useRef } from 'react'
import { useAsk, useList, type ItemOf, type ListRead } from '../../api/use-ask.ts'
import type { Got } from '../../api/client.ts'
import { useFilter } from '../../parts/use-filter.ts'

export type Entry = ItemOf<'listCapturedMails'>
export type MailboxState = Got<'listCapturedMails'>

/** What the page filters by, as the service takes it. */
export interface Filter {
  workspace?: string
  search?: string
  kind?: 'all' | 'unread' | 'tests' | 'confirmations' | 'campaigns'
  campaign?: string
}

const kinds = ['unread', 'tests', 'confirmations', 'campaigns'] as const

export interface Mailbox {
  filter: Filter
  read: ListRead<Entry>
  /** Undefined until it is there. */
  state: MailboxState | undefined
}

/** How often the page asks whether something came, in milliseconds. */
const pollMs = 2_000

export function useMailbox(workspace: string): Mailbox {
  const [search] = useFilter('search')
  const [kind] = useFilter('kind')
  const [campaign] = useFilter('campaign')
  const filter: Filter = {
    ...(workspace !== '' && { workspace }),
    ...(search !== '' && { search }),
    kind: kinds.find((each) => each === kind) ?? 'all',
    ...(isId(campaign) && { campaign }),
  }
  const read = useList('listCapturedMails', {
    query: { ...filter, fold: 'campaigns', limit: 100 },
  })
  const { data: state } = useAsk(
    'listCapturedMails',
    { query: { ...(workspace !== '' && { workspace }), limit: 1 } },
    { poll: pollMs },
  )
  useNews(state, read.retry)
  return { filter, read, state }
}

const isId = (text: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)

/** Reads the list again once the state says that a mail came, was opened, or is gone. */
function useNews(state: MailboxState | undefined, readAgain: () => void): void {
  const news = state && JSON.stringify([state.data[0]?.id, state.counts])
  const known = useRef(news)
  useEffect(() => {
    if (known.current !== undefined && known.current !== news) readAgain()
    known.current = news
  }, [news, readAgain])
}
