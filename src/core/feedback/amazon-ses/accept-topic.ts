/** Keeps which topics of Amazon SNS were heard over HTTP, and whether their subscriptions are confirmed: the doctor reads it. */
import { hearTopic } from '../../../db/feedback/ses-notices.ts'
import type { Context } from '../../context.ts'

/** `subscribed` true: its subscription was confirmed; false: it ended; null: it only said something. */
export type AcceptTopic = (topicArn: string, subscribed: boolean | null) => Promise<void>

const minuteMs = 60_000

/** What a topic says is written at most once a minute by each process: many notices come at once. */
export function createAcceptTopic({ countingDb, clock, log }: Pick<Context, 'countingDb' | 'clock' | 'log'>): AcceptTopic {
  const heardAtMs = new Map<string, number>()
  return async (topicArn, subscribed) => {
    const nowMs = clock.monotonicMs()
    if (subscribed === null && nowMs - (heardAtMs.get(topicArn) ?? -Infinity) < minuteMs) return
    heardAtMs.set(topicArn, nowMs)
    // It is for the doctor alone: the notice itself was taken.
    await hearTopic(countingDb, topicArn, subscribed).catch((error: unknown) =>
      log.warn({ err: error, topic: topicArn }, 'That a topic was heard could not be kept'),
    )
  }
}
