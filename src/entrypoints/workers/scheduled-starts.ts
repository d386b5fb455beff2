/**
 * Starts scheduled campaigns beside the campaign lane: an audience may take minutes to read, and
 * the lane serves other workspaces meanwhile.
 */
import { startScheduled } from '../../core/campaigns/start-scheduled.ts'
import type { Service } from '../../core/context.ts'
import type { CampaignAtWork } from '../../db/campaigns/campaign-work.ts'

/**
 * How many start at once, each of another workspace. Those to everybody take seconds, and wait for
 * no audience.
 */
const audiencesAtOnce = 3
const everybodyAtOnce = 2

export interface ScheduledStarts {
  /**
   * Begins to start a due campaign, unless it or another of its workspace is being started, or too
   * many are: the lane asks again. `rest` is called where it failed.
   */
  begin(campaign: Pick<CampaignAtWork, 'id' | 'isTargeted'> & InWorkspace): void
  /** Resolves when none is being started. */
  ended(): Promise<void>
}

interface InWorkspace {
  workspaceId: number
  rest: () => void
}

export function createScheduledStarts(service: Service): ScheduledStarts {
  const kinds = {
    audiences: { atOnce: audiencesAtOnce, running: new Map<number, Promise<void>>() },
    everybody: { atOnce: everybodyAtOnce, running: new Map<number, Promise<void>>() },
  }
  return {
    begin({ workspaceId, id, isTargeted, rest }) {
      const { atOnce, running } = isTargeted ? kinds.audiences : kinds.everybody
      if (running.size >= atOnce || running.has(workspaceId)) return
      const work = startScheduled(service, { workspaceId, id })
        .catch((error: unknown) => {
          service.log.error(
            { err: error, lane: 'campaign', workspaceId, campaignId: id },
            'A scheduled campaign could not be started; the lane tries again in a moment',
          )
          rest()
        })
        .finally(() => running.delete(workspaceId))
      running.set(workspaceId, work)
    },
    async ended() {
      await Promise.all(Object.values(kinds).flatMap(({ running }) => [...running.values()]))
    },
  }
}
