/**
 * Keeps the log of messages searchable: looks each second which workspaces accepted something, and indexes that. Off the accept
 * path: no call writes a note for it, since every admission debits its month, and a debited row has another version.
 */
import type { Service } from '../../core/context.ts'
import { indexMessages } from '../../core/messages/index-messages.ts'
import { debitedWorkspaces } from '../../db/message-search.ts'

const everyMs = 1_000

export async function startIndexingMessages(service: Service, stopping: AbortSignal): Promise<void> {
  const indexed = new Map<number, string>()
  while (!stopping.aborted) {
    const isWhole = await indexChanged(service, indexed, stopping).catch((error: unknown) => {
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
