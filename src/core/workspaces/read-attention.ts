/** Names what a user of the workspace should mend, from what its tables and its account show. */
import {
  attentionKinds,
  keyExpiringDays,
  keyUnusedDays,
  quotaNearFrom,
  rateNearFrom,
  type Attention,
  type AttentionKind,
} from '../../contract/workspace/overview-period.ts'
import type { Overview } from '../../contract/workspace/overview.ts'
import type { AttentionRow } from '../../db/workspaces/attention.ts'

export const attentionQuery = {
  ...{ max: 5, unusedDays: keyUnusedDays, expiringDays: keyExpiringDays },
}

type Known = Pick<Overview, 'quota' | 'sending' | 'throttled' | 'held'>

/** The worst first. A suspended workspace says why in its own place, and names no rate here. */
export function listAttention(rows: AttentionRow[], known: Known): Attention[] {
  const items = [
    ...rows.map(({ what, id, name, since }) => ({
      ...entry(what),
      ...{ id, name, since: since?.toISOString() ?? null },
    })),
    ...nearLimits(known),
    ...(known.held ? [entry('withheld')] : []),
    ...(known.throttled ? [{ ...entry('throttled'), since: known.throttled.since }] : []),
  ]
  return items.toSorted((a, b) => attentionKinds.indexOf(a.what) - attentionKinds.indexOf(b.what))
}

const entry = (what: AttentionKind): Attention => ({
  ...{ what, id: null, name: null, since: null, share: null, max: null },
})

function nearLimits({ quota, sending }: Known): Attention[] {
  const used = quota.limit === null ? 0 : quota.limit === 0 ? 1 : quota.used / quota.limit
  const isCounted = sending.status === 'active' && sending.hand_offs >= sending.hand_offs_min
  const rates = [
    { what: 'bounce_rate', share: sending.bounce_rate, max: sending.bounce_rate_max },
    { what: 'complaint_rate', share: sending.complaint_rate, max: sending.complaint_rate_max },
  ] as const
  return [
    ...rates
      .filter(({ share, max }) => isCounted && share >= rateNearFrom * max)
      .map(({ what, share, max }) => ({ ...entry(what), share, max })),
    ...(used >= quotaNearFrom ? [{ ...entry('quota'), share: used }] : []),
  ]
}
