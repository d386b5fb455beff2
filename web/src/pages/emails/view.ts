/** What the log of messages shows, as the page's address says it. */
import { messageStatuses } from 'virtual:contract'
import { choiceIn, textIn } from '../../parts/table/read-view.ts'

const kinds = ['single', 'campaign'] as const

export interface EmailsView {
  status?: (typeof messageStatuses)[number] | undefined
  kind?: (typeof kinds)[number] | undefined
  /** A part of an address, words of the subject, or an identifier. */
  q?: string | undefined
  tag?: string | undefined
  /** Days up to today, or a range of days. */
  days?: string | undefined
  from?: string | undefined
  to?: string | undefined
  columns?: string | undefined
}

/** Addresses that the version before wrote have `recipient` or `subject`. */
export function readEmailsView(search: Record<string, unknown>): EmailsView {
  const text = (name: string): string | undefined => textIn(search, name)
  return {
    status: choiceIn(search, 'status', messageStatuses),
    kind: choiceIn(search, 'kind', kinds),
    q: text('q') ?? text('recipient') ?? text('subject'),
    ...{ tag: text('tag'), columns: text('columns') },
    ...{ days: text('days'), from: text('from'), to: text('to') },
  }
}
