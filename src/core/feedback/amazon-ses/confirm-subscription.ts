/**
 * Confirms an Amazon SNS subscription by the address that the notice names on the topic's own host.
 */
import { insertSesNotice } from '../../../db/feedback/ses-notices.ts'
import { snsHostOf } from '../../../providers/amazon-ses/ses-settings.ts'
import type { Context } from '../../context.ts'
import type { AcceptTopic } from './accept-topic.ts'
import type { SnsEnvelope } from './sns-envelope.ts'
import { ageMaxSeconds, NotAdmitted, verdictOf, type ReceivedNotice } from './receipt.ts'

const withinMs = 10_000

/** Takes a genuine notice. The end of a subscription is logged for the operator and not undone. */
export async function confirmSubscription(
  ctx: Pick<Context, 'db' | 'log' | 'outbound'>,
  { envelope, accept }: { envelope: SnsEnvelope; accept: AcceptTopic },
): Promise<ReceivedNotice> {
  const { messageId: id, sentAt, topicArn } = envelope
  const url = confirmationUrl(envelope)
  if (envelope.type === 'SubscriptionConfirmation' && !url)
    return { kind: 'refused', why: 'its SubscribeURL does not lead to Amazon SNS' }
  try {
    return await ctx.db.transaction(async (tx) => {
      const verdict = await insertSesNotice(tx, { id, sentAt, ageMaxSeconds })
      if (verdict !== 'fresh') throw new NotAdmitted(verdict)
      if (envelope.type === 'UnsubscribeConfirmation') {
        ctx.log.warn(
          { topic: topicArn },
          'The subscription to a topic ended; its notices no longer arrive',
        )
        await accept(topicArn, false)
        return { kind: 'taken' }
      }
      const failed = url && (await confirm(ctx, url))
      if (failed) throw new Unconfirmed(failed)
      await accept(topicArn, true)
      ctx.log.info({ topic: topicArn }, 'The subscription to a topic is confirmed')
      return { kind: 'taken' }
    })
  } catch (error) {
    if (error instanceof NotAdmitted) return verdictOf(ctx, { id, verdict: error.verdict })
    if (error instanceof Unconfirmed) return { kind: 'later', why: error.message }
    throw error
  }
}

/** Rolls the transaction back, so that SNS can send the same notice again. */
class Unconfirmed extends Error {}

/**
 * Allows only the topic's host and only the confirmation of this topic: other AWS calls are
 * refused.
 */
function confirmationUrl({ subscribeUrl, topicArn, token }: SnsEnvelope): URL | null {
  const url = URL.parse(subscribeUrl ?? '')
  if (url?.protocol !== 'https:' || url.host !== snsHostOf(topicArn) || url.pathname !== '/')
    return null
  if (url.username !== '' || url.password !== '') return null
  const [action, ...actions] = url.searchParams.getAll('Action')
  const isOurs = action === 'ConfirmSubscription' && actions.length === 0
  return isOurs &&
    url.searchParams.get('TopicArn') === topicArn &&
    url.searchParams.get('Token') === token
    ? url
    : null
}

/** Returns null when it was confirmed, else the reason. */
async function confirm({ outbound }: Pick<Context, 'outbound'>, url: URL): Promise<string | null> {
  const answer = await outbound.send({
    method: 'GET',
    url,
    headers: { accept: '*/*' },
    withinMs,
    readMax: 4096,
  })
  if (answer.kind !== 'answered') return `the subscription was not confirmed (${answer.reason})`
  return answer.status === 200 ? null : `the subscription was not confirmed (HTTP ${answer.status})`
}
