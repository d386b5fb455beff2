/**
 * Stops the service in the reverse order of its start and within a time limit: intake, hand-offs,
 * connections, and the database last.
 */
import type { Clock } from '../ground/clock.ts'
import type { OpenService } from './create-service.ts'
import type { DiskWatch } from '../core/disk-watch.ts'
import type { startScheduledBackups } from '../database/transport/backup/scheduled-backups.ts'
import type { MoveFollower } from './follow-move.ts'
import type { watchHorizon } from '../core/horizon-watch.ts'
import type { Served } from '../entrypoints/api/serve.ts'
import type { ServedInbound } from '../entrypoints/inbound/serve-inbound.ts'
import type { ServedSubmission } from '../entrypoints/submission/serve-submission.ts'
import type { CellWorkers } from '../entrypoints/workers/start-in-cells.ts'
import type { Log } from '../ground/log.ts'
import type { openCells } from './open-cells.ts'
import type { OpenContext } from './open-context.ts'
import type { OpenDatabase } from './open-database.ts'
import type { OpenTracing } from './open-tracing.ts'
import type { watchDescriptors } from './watch-descriptors.ts'

/** The parts that have been started so far. */
export interface Running {
  database?: OpenDatabase
  context?: OpenContext
  cells?: Awaited<ReturnType<typeof openCells>>
  workers?: CellWorkers
  disk?: DiskWatch
  horizon?: ReturnType<typeof watchHorizon>
  backups?: ReturnType<typeof startScheduledBackups>
  descriptors?: ReturnType<typeof watchDescriptors>
  postmaster?: { stop(): Promise<void> }
  entryPoint?: Served
  inbound?: ServedInbound
  submission?: ServedSubmission
  tracing?: OpenTracing
  moves?: MoveFollower
}

/** Never rejects: it logs a part that fails to stop, and stops the next part all the same. */
export async function stopService(
  running: Running,
  options: { withinMs: number; clock: Clock; log: Log },
): Promise<void> {
  const { context, cells, disk, horizon, backups, descriptors, entryPoint, inbound } = running
  const { withinMs, clock, log } = options
  const services = (): OpenService[] => cells?.cells.open() ?? []
  const countLeased = (): number =>
    services().reduce((sum, { sending }) => sum + sending.leasedCount(), 0)
  const began = clock.monotonicMs()
  /** Milliseconds left until this share of the whole time is used. */
  const left = (share: number): number =>
    Math.max(0, withinMs * share - (clock.monotonicMs() - began))
  const step = async (
    name: string,
    share: number,
    work: (ms: number) => Promise<unknown> | undefined,
  ): Promise<void> => {
    const late = clock.sleep(left(share)).then(() => 'late')
    const answer = await Promise.race([work(left(share)), late]).catch((error: unknown) =>
      log.error({ err: error, part: name }, 'A part did not stop'),
    )
    if (answer === 'late') log.debug({ part: name }, 'A part is still stopping')
  }

  // It goes on with a move: what ends now is written where the installation is then.
  running.moves?.leave()
  await step('api and workers', 0.6, (ms) =>
    Promise.all([
      entryPoint?.close(),
      inbound?.close(ms),
      running.submission?.close(ms),
      running.workers?.stop(ms),
      backups?.stop(),
      running.postmaster?.stop(),
    ]),
  )
  await step('work behind answers', 0.65, () => cells?.cells.home.backgroundTasks.end())
  const cut = countLeased()
  await step('log of calls', 0.67, () =>
    Promise.all(services().map(({ requestLog }) => requestLog.flush())),
  )
  await step('cells', 0.68, () => cells?.close())
  await step('provider', 0.7, (ms) => context?.providers.close(ms * 0.5))
  await step('outcomes', 0.75, () => waitForOutcomes(countLeased, clock, () => left(0.75)))
  await step('volumes of senders', 0.76, () => cells?.cells.home.senderVolumes.flush())
  await step('moves', 0.77, () => running.moves?.stop())
  const stillLeased = countLeased()
  if (cut > 0)
    log.warn(
      { cut, kept: stillLeased },
      `${cut} hand-offs were cut short, ${stillLeased} stay leased: those that waited for the reply to their last dot are in doubt`,
    )
  for (const service of services()) service.stop()
  disk?.stop()
  horizon?.stop()
  descriptors?.stop()
  // Behind the outcomes, whose spans are the last.
  await step('traces', 0.8, () => running.tracing?.close())
  await step('connections', 0.85, () => context?.close())
  const clean =
    (await running.database
      ?.stop(left(1))
      .catch((error: unknown) => log.error({ err: error }, 'The database did not stop'))) ?? true
  if (!clean) log.warn({}, 'The database is still writing; it ends by itself')
}

/** The provider has finished every hand-off; each still writes its outcome. */
async function waitForOutcomes(
  countLeased: () => number,
  clock: Clock,
  left: () => number,
): Promise<void> {
  while (countLeased() > 0 && left() > 0) await clock.sleep(10)
}
