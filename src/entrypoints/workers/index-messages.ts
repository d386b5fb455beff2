/**
 * Keeps the log of messages searchable: each second it looks which workspaces accepted messages, and indexes those.
 * No call writes a note for it: every admission debits its month, and a debited row has another version. The backlog
 * of earlier months is looked for once, at the start.
 */
import type { Service } from '../../core/context.ts'
import { indexMessages } from '../../core/message-index/index-messages.ts'
import { debitedWorkspaces, workspacesBehind } from '../../db/messages/message-search.ts'

const everyMs = 1_000

export async function startIndexingMessages(service: Service, stopping: AbortSignal): Promise<void> {
  const indexed = new Map<number, string>()
  let behind: Set<number> | null = null
  while (!stopping.aborted) {
    const isWhole = await indexChanged(service, indexed, stopping)
      .then(async (areWhole) => {
        behind ??= new Set(await workspacesBehind(service.countingDb))
        return (await catchUp(service, behind, stopping)) && areWhole
      })
      .catch((error: unknown) => {
        service.log.error({ err: error }, 'Messages could not be indexed; it is tried again')
        return true
      })
    if (isWhole) await service.clock.sleep(everyMs, stopping).catch(() => undefined)
  }
}

/** One batch of each workspace that is due, so that none waits behind another's million. False: there is more. */
async function indexChanged(service: Service, indexed: Map<number, string>, stopping: AbortSignal): Promise<boolean> {
  let isWhole = true
  for (const { workspaceId, version } of await debitedWorkspaces(service.countingDb)) {
    if (stopping.aborted) return true
    if (indexed.get(workspaceId) === version) continue
    if (await indexMessages(service, workspaceId)) indexed.set(workspaceId, version)
    else isWhole = false
  }
  return isWhole
}

/** Workspaces of the backlog that get a batch between two checks for new messages. */
const behindAtOnce = 20

/** One batch of some workspaces of the backlog; each that has more goes to the end. False: there is more. */
async function catchUp(service: Service, behind: Set<number>, stopping: AbortSignal): Promise<boolean> {
  for (const workspaceId of [...behind].slice(0, behindAtOnce)) {
    if (stopping.aborted) return true
    const isWhole = await indexMessages(service, workspaceId)
    behind.delete(workspaceId)
    if (!isWhole) behind.add(workspaceId)
  }
  return behind.size === 0
}
