/** Asks the queues of Amazon SES's notices, the deployment's and those of workspaces: each waits in a call of its own. */
import type { Service } from '../../core/context.ts'
import { createTakeNotice } from '../../core/ses-notices/take-notice.ts'
import { takeQueued } from '../../core/ses-notices/take-queued.ts'
import type { NewsSource } from '../../providers/providers.ts'

const lookEveryMs = 1_000
/** Before a queue that could not be asked is asked again, and at most after doublings. */
const restMs = { first: 1_000, most: 60_000 }

/** Resolves once it was stopped and all that was received is done with. */
export async function pollQueues(service: Service, stopping: AbortSignal): Promise<void> {
  const takeNotice = createTakeNotice(service)
  /** By their settings: a provider that is set anew is another one. */
  const polled = new Map<NewsSource['settings'], AbortController>()
  const rounds = new Set<Promise<void>>()

  const start = (source: NewsSource, queueUrl: string): void => {
    const stop = new AbortController()
    const signal = AbortSignal.any([stop.signal, stopping])
    polled.set(source.settings, stop)
    const ended = poll(service, (each) => takeQueued(service, takeNotice, { source, queueUrl }, each), signal)
    rounds.add(ended)
    void ended.finally(() => rounds.delete(ended))
  }
  while (!stopping.aborted) {
    const sources = service.providers.newsSources()
    for (const source of sources) {
      const { queueUrl } = source.settings
      if (queueUrl !== null && !polled.has(source.settings)) start(source, queueUrl)
    }
    for (const [settings, stop] of polled) {
      if (sources.some((source) => source.settings === settings)) continue
      stop.abort()
      polled.delete(settings)
    }
    await service.clock.sleep(lookEveryMs, stopping).catch(() => undefined)
  }
  await Promise.all(rounds)
}

async function poll(
  { clock, log }: Service,
  round: (stopping: AbortSignal) => Promise<string | null>,
  stopping: AbortSignal,
): Promise<void> {
  let waitMs = restMs.first
  while (!stopping.aborted) {
    const why = await round(stopping)
    if (stopping.aborted) return
    if (why === null) {
      waitMs = restMs.first
      continue
    }
    log.warn({ why }, 'A queue of notices could not be asked; it is tried again')
    await clock.sleep(waitMs, stopping).catch(() => undefined)
    waitMs = Math.min(restMs.most, waitMs * 2)
  }
}
