/**
 * What the list of campaigns shows, as the page's address says it: a status, a text, days, an order
 * and columns.
 */
import { choiceIn, textIn } from '../../parts/table/read-view.ts'

export const campaignStatuses = ['draft', 'scheduled', 'sending', 'sent', 'archived'] as const

/** Absent: the newest first. */
const sorts = ['date', 'name', '-name'] as const

export interface CampaignsView {
  status?: (typeof campaignStatuses)[number] | undefined
  q?: string | undefined
  sort?: (typeof sorts)[number] | undefined
  /** Days up to today, or a range of days. */
  days?: string | undefined
  from?: string | undefined
  to?: string | undefined
  columns?: string | undefined
}

export function readCampaignsView(search: Record<string, unknown>): CampaignsView {
  const text = (name: string): string | undefined => textIn(search, name)
  return {
    status: choiceIn(search, 'status', campaignStatuses),
    sort: choiceIn(search, 'sort', sorts),
    ...{ q: text('q'), columns: text('columns') },
    ...{ days: text('days'), from: text('from'), to: text('to') },
  }
}
