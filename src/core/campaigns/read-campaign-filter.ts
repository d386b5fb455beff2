/** What selects the campaigns of a list and of its totals, as a query writes it. */
import type { InputOf } from '../../contract/operations.ts'
import type { CampaignFilter } from '../../db/campaigns/campaign-list.ts'
import { readTime, rfc3339 } from '../input/read-time.ts'

/** Throws `validation_error` for a time that is none. */
export const readCampaignFilter = ({
  q = '',
  since,
  until,
}: InputOf<'countCampaigns'>['query']): CampaignFilter => ({
  text: q.trim(),
  since: since === undefined ? null : rfc3339(readTime(since, 'since')),
  until: until === undefined ? null : rfc3339(readTime(until, 'until')),
})
