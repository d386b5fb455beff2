/** In which state users find a campaign: finer than its status, since they ask whether it moves and whether it can be called back. */
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import type { FoundCampaign } from '../../../../../src/contract/workspace/drafts.ts'
import type { Tone } from '../../../parts/Status.tsx'

export type RunState = keyof typeof runTones

export const runTones = {
  draft: 'quiet',
  unfinished: 'quiet',
  scheduled: 'warning',
  held: 'busy',
  sending: 'busy',
  paused: 'warning',
  canceling: 'warning',
  canceled: 'quiet',
  sent: 'good',
  archived: 'quiet',
} as const satisfies Record<string, Tone>

export function runStateOf({ campaign, unfinished, canceledAt, heldUntil, now }: CampaignRun): RunState {
  switch (campaign.status) {
    case 'draft':
      return unfinished ? 'unfinished' : 'draft'
    case 'sending':
      if (canceledAt !== null) return 'canceling'
      if (campaign.paused) return 'paused'
      return heldUntil !== null && heldUntil > now ? 'held' : 'sending'
    case 'sent':
      return canceledAt === null ? 'sent' : 'canceled'
    default:
      return campaign.status
  }
}

/** As the list says it, which knows less of each. */
export function stateInList({ status, paused, unfinished }: FoundCampaign): RunState {
  if (paused) return 'paused'
  return status === 'draft' && unfinished ? 'unfinished' : status
}

/** How soon it is asked about again, in milliseconds; false: nothing moves by itself. */
export function pollMs(run: CampaignRun): number | false {
  if (run.campaign.status === 'sending') return 1_500
  return run.campaign.status === 'scheduled' ? 10_000 : false
}
