/** What the list of campaigns shows, as the page's address says it: a status, a text, columns. */
import { choiceIn, textIn } from '../../parts/table/read-view.ts'

export const campaignStatuses = ['draft', 'scheduled', 'sending', 'sent', 'archived'] as const

export interface CampaignsView {
  status?: (typeof campaignStatuses)[number] | undefined
  q?: string | undefined
  columns?: string | undefined
}

export const readCampaignsView = (search: Record<string, unknown>): CampaignsView => ({
  status: choiceIn(search, 'status', campaignStatuses),
  ...{ q: textIn(search, 'q'), columns: textIn(search, 'columns') },
})
