/**
 * Records which Amazon SNS topics sent something over HTTP, and whether their subscriptions are
 * confirmed; `facteur doctor` reads it.
 */
import { insertSesTopic } from '../../../db/feedback/ses-notices.ts'
import type { Context } from '../../context.ts'

/**
 * A true `subscribed` means the subscription was confirmed. False if it ended. Null if the topic
 * sent a notice.
 */
export type AcceptTopic = (topicArn: string, subscribed: boolean | null) => Promise<void>

const minuteMs = 60_000

/** Each process writes a topic at most once a minute, since many notices come at once. */
export function createAcceptTopic({
  countingDb,
  clock,
  log,
}: Pick<Context, 'countingDb' | 'clock' | 'log'>): AcceptTopic {
  const seenAtMs = new Map<string, number>()
  return async (topicArn, subscribed) => {
    const nowMs = clock.monotonicMs()
    if (subscribed === null && nowMs - (seenAtMs.get(topicArn) ?? -Infinity) < minuteMs) return
    seenAtMs.set(topicArn, nowMs)
    // A failure here only affects the doctor: the notice itself was accepted.
    await insertSesTopic(countingDb, topicArn, subscribed).catch((error: unknown) =>
      log.warn(
        { err: error, topic: topicArn },
        'The activity of a topic was not recorded; only facteur doctor needs it',
      ),
    )
  }
}
