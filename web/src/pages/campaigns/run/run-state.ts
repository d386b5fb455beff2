/**
 * Users see finer states than a campaign's status: whether it progresses, and whether they can call
 * it back.
 */
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

export function runStateOf({
  campaign,
  unfinished,
  canceledAt,
  heldUntil,
  now,
}: CampaignRun): RunState {
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

/** The list knows less of each campaign, so it has fewer states. */
export function stateInList({
  status,
  paused,
  unfinished,
}: FoundCampaign): FoundCampaign['status'] | 'paused' | 'unfinished' {
  if (paused) return 'paused'
  return status === 'draft' && unfinished ? 'unfinished' : status
}

/** Returns the poll interval in milliseconds. False if the campaign does not change by itself. */
export function pollMs(run: CampaignRun): number | false {
  if (run.campaign.status === 'sending') return 1_500
  return run.campaign.status === 'scheduled' ? 10_000 : false
}
