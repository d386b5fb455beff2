/**
 * Keeps the log of messages searchable: each second it finds the workspaces that accepted messages,
 * and indexes those. It needs no queue: every admission debits its month, and a debited row has
 * another version. At the start, it also looks once for a backlog of earlier months.
 */
import type { Service } from '../../core/context.ts'
import { indexMessages } from '../../core/message-index/index-messages.ts'
import { ScanMark } from '../../ground/scan-mark.ts'
import { debitedWorkspaces, workspacesBehind } from '../../db/messages/message-search.ts'

const everyMs = 1_000

export async function startIndexingMessages(
  service: Service,
  stopping: AbortSignal,
): Promise<void> {
  const indexed: Indexed = { versions: new Map(), scans: new Map() }
  let behind: Set<number> | null = null
  while (!stopping.aborted) {
    const isWhole = await indexChanged(service, indexed, stopping)
      .then(async (areWhole) => {
        behind ??= new Set(await workspacesBehind(service.countingDb))
        return (await catchUp(service, { behind, indexed }, stopping)) && areWhole
      })
      .catch((error: unknown) => {
        service.log.error(
          { err: error },
          'Messages could not be indexed; the next round tries again',
        )
        return true
      })
    if (isWhole) await service.clock.sleep(everyMs, stopping).catch(() => undefined)
  }
}

interface Indexed {
  /** By workspace, the version of its debit up to which everything is indexed. */
  versions: Map<number, string>
  /** Up to when each workspace was looked through. */
  scans: Map<number, ScanMark>
}

function scanOf(service: Service, { scans }: Indexed, workspaceId: number): ScanMark {
  const scan = scans.get(workspaceId) ?? new ScanMark(service.clock)
  scans.set(workspaceId, scan)
  return scan
}

/**
 * Indexes one batch of each due workspace, so that none waits behind another's million. False if
 * there is more.
 */
async function indexChanged(
  service: Service,
  indexed: Indexed,
  stopping: AbortSignal,
): Promise<boolean> {
  let isWhole = true
  for (const { workspaceId, version } of await debitedWorkspaces(service.countingDb)) {
    if (stopping.aborted) return true
    if (indexed.versions.get(workspaceId) === version) continue
    const scan = scanOf(service, indexed, workspaceId)
    // A long transaction's rows lie behind the last look: the workspace is done after one from the
    // mark on.
    const isFromMark = scan.from() === null
    if (!(await indexMessages(service, { workspaceId, scan }))) isWhole = false
    else if (isFromMark) indexed.versions.set(workspaceId, version)
  }
  return isWhole
}

/** Workspaces of the backlog that get a batch between two checks for new messages. */
const behindAtOnce = 20

/**
 * Indexes one batch of some backlog workspaces; those with more go to the end. False if there is
 * more.
 */
async function catchUp(
  service: Service,
  { behind, indexed }: { behind: Set<number>; indexed: Indexed },
  stopping: AbortSignal,
): Promise<boolean> {
  for (const workspaceId of [...behind].slice(0, behindAtOnce)) {
    if (stopping.aborted) return true
    const isWhole = await indexMessages(service, {
      workspaceId,
      scan: scanOf(service, indexed, workspaceId),
    })
    behind.delete(workspaceId)
    if (!isWhole) behind.add(workspaceId)
  }
  return behind.size === 0
}
