/** Checks that the notices of Amazon SES reach us, and whether some can be lost on their way. */
import { isLoopback } from '../../ground/is-loopback.ts'
import { seenTopics, type TopicRow } from '../../db/feedback/ses-notices.ts'
import { countWaiting } from './queue.ts'
import type { SesSettings } from './ses-settings.ts'
import { shownNumber, shownTime } from '../../ground/shown-values.ts'
import { failed, passed, warned, type Check, type FeedbackCheckParts } from '../provider-check.ts'

const useQueue = ({ nameOf }: FeedbackCheckParts): string =>
  `A queue keeps them: subscribe one of Amazon SQS to the topic and set ${nameOf('queueUrl')} (docs/providers.md).`

export async function checkNotices(
  settings: SesSettings,
  parts: FeedbackCheckParts,
): Promise<Check> {
  if (settings.queueUrl !== null)
    return checkQueue({ ...settings, queueUrl: settings.queueUrl }, parts)
  if (settings.topicArns.length === 0)
    return warned(
      'notices',
      'Amazon SES sends no feedback here: bounces and complaints stay unknown, and silence counts as delivery',
      `Set ${parts.nameOf('queueUrl')}, or ${parts.nameOf('topicArns')} (docs/providers.md).`,
    )
  return checkTopics(settings.topicArns, await seenTopics(parts.db, settings.topicArns), parts)
}

async function checkQueue(
  queue: SesSettings & { queueUrl: string },
  parts: FeedbackCheckParts,
): Promise<Check> {
  const waiting = await countWaiting(parts, queue, parts.signal)
  if (typeof waiting === 'string')
    return failed(
      'notices',
      `the queue does not answer: ${waiting}`,
      `Check ${parts.nameOf('queueUrl')}, and that the policy of the key allows sqs:ReceiveMessage, sqs:DeleteMessage and sqs:GetQueueAttributes.`,
    )
  const result = `the queue answers; ${shownNumber(waiting)} wait in it`
  if (queue.topicArns.length > 0) return passed('notices', result)
  return warned(
    'notices',
    `${result}; without a topic only raw message delivery is understood, and other messages stay in it`,
    `Set ${parts.nameOf('topicArns')}, or switch raw message delivery on in the subscription.`,
  )
}

/**
 * SNS gives up on an HTTP endpoint after a minute unless its retry policy says otherwise, and after
 * an hour at most.
 */
function checkTopics(
  topicArns: readonly string[],
  topics: TopicRow[],
  parts: FeedbackCheckParts,
): Check {
  const { baseUrl } = parts
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol !== 'https:' || isLoopback(hostname.replaceAll(/^\[|\]$/g, '')))
    return warned(
      'notices',
      `Amazon SNS cannot deliver safely to ${baseUrl}/hooks/amazon-ses: notices are lost`,
      useQueue(parts),
    )
  const unconfirmed = topicArns.filter(
    (arn) => !topics.some((topic) => topic.topicArn === arn && topic.confirmedAt !== null),
  )
  if (unconfirmed.length > 0)
    return warned(
      'notices',
      `no confirmed subscription of ${unconfirmed.join(', ')} has been seen: notices are lost`,
      `Subscribe ${baseUrl}/hooks/amazon-ses to the topic by HTTPS, while the service runs.`,
    )
  const last = new Date(Math.max(...topics.map(({ seenAt }) => seenAt.getTime())))
  const result = `subscribed; last notice ${shownTime(last)} UTC`
  return warned(
    'notices',
    `${result}; notices that come while the service is away for more than minutes are lost`,
    useQueue(parts),
  )
}
