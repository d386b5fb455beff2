/**
 * Polls the queues of Amazon SES's notices, the deployment's and those of workspaces: each waits in
 * a call of its own.
 */
import { repeatEvery } from '../../ground/clock.ts'
import type { Service } from '../../core/context.ts'
import {
  createReceiveNotice,
  type ReceiveNotice,
} from '../../core/feedback/amazon-ses/receive-notice.ts'
import { receiveQueued } from '../../core/feedback/amazon-ses/receive-queued.ts'
import type { FeedbackSource } from '../../providers/providers.ts'

const pollEveryMs = 1_000
/** Pause after a failed call, doubled up to the second value. */
const restMs = { first: 1_000, max: 60_000 }

/** Resolves once it was stopped and all received notices are handled. */
export async function pollQueues(service: Service, stopping: AbortSignal): Promise<void> {
  const takeNotice = createReceiveNotice(service)
  /** By their settings: a provider with new settings is another one. */
  const polled = new Map<FeedbackSource['settings'], AbortController>()
  const rounds = new Set<Promise<void>>()

  const start = (source: FeedbackSource, queueUrl: string): void => {
    const stop = new AbortController()
    const signal = AbortSignal.any([stop.signal, stopping])
    polled.set(source.settings, stop)
    const ended = poll(service, takeNotice, { source, queueUrl }, signal)
    rounds.add(ended)
    void ended.finally(() => rounds.delete(ended))
  }
  await repeatEvery(service.clock, { everyMs: pollEveryMs, stopping }, async () => {
    const sources = service.providers.feedbackSources()
    for (const source of sources) {
      const { queueUrl } = source.settings
      if (queueUrl !== null && !polled.has(source.settings)) start(source, queueUrl)
    }
    for (const [settings, stop] of polled) {
      if (sources.some((source) => source.settings === settings)) continue
      stop.abort()
      polled.delete(settings)
    }
  })
  await Promise.all(rounds)
}

/**
 * Concurrent rounds of one queue: a full queue is emptied as fast as the database takes its
 * notices.
 */
const roundsMax = 4

async function poll(
  service: Service,
  takeNotice: ReceiveNotice,
  from: { source: FeedbackSource; queueUrl: string },
  stopping: AbortSignal,
): Promise<void> {
  const { clock, log } = service
  const about = { workspaceId: from.source.workspaceId, queueUrl: from.queueUrl }
  const underWay = new Set<Promise<void>>()
  let waitMs = restMs.first
  while (!stopping.aborted) {
    const round = await receiveQueued(service, { takeNotice, ...from, stopping })
    if (round.kind === 'received') {
      waitMs = restMs.first
      const ended: Promise<void> = round.ended.then((why) => {
        if (why !== null)
          log.warn(
            { ...about, why },
            'Notices were not deleted: they arrive again, and change nothing',
          )
        underWay.delete(ended)
      })
      underWay.add(ended)
      if (underWay.size >= roundsMax) await Promise.race(underWay)
    } else if (!stopping.aborted) {
      log.warn(
        { ...about, why: round.why },
        'A queue of notices could not be read; the next round tries again',
      )
      await clock.sleep(waitMs, stopping).catch(() => undefined)
      waitMs = Math.min(restMs.max, waitMs * 2)
    }
  }
  await Promise.all(underWay)
}
