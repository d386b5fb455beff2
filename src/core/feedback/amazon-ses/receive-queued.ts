/** Receives one round of a queue's notices, and deletes each only after its commit. */
import {
  deleteMessages,
  receiveMessages,
  type Queue,
  type QueuedMessage,
} from '../../../providers/amazon-ses/queue.ts'
import type { FeedbackSource } from '../../../providers/providers.ts'
import type { Context } from '../../context.ts'
import type { ReceiveNotice } from './receive-notice.ts'

export type Round =
  /**
   * Received messages are being processed; `ended` gives the reason why done ones could not be
   * deleted, or null.
   */
  | { kind: 'received'; ended: Promise<string | null> }
  /** The queue could not be read. */
  | { kind: 'failed'; why: string }

/**
 * Returns as soon as messages are received: the next round need not wait for the end of this one.
 */
export async function receiveQueued(
  ctx: Pick<Context, 'outbound' | 'clock' | 'log'>,
  {
    takeNotice,
    source,
    queueUrl,
    stopping,
  }: { takeNotice: ReceiveNotice; source: FeedbackSource; queueUrl: string; stopping: AbortSignal },
): Promise<Round> {
  const queue: Queue = { ...source.settings, queueUrl }
  const received = await receiveMessages(ctx, queue, stopping)
  if (received.kind === 'failed') return received
  const taken = Promise.all(
    received.messages.map((message) => take(ctx, takeNotice, source, message)),
  )
  // Deletes during a stop too, so that committed messages do not come again.
  const never = new AbortController().signal
  return {
    kind: 'received',
    ended: taken.then((done) => deleteMessages(ctx, queue, done.flat(), never)),
  }
}

/**
 * Returns the message when it is done, whether applied or refused; nothing when it must come again.
 */
async function take(
  { log }: Pick<Context, 'log'>,
  takeNotice: ReceiveNotice,
  source: FeedbackSource,
  message: QueuedMessage,
): Promise<QueuedMessage[]> {
  try {
    const taken = await takeNotice(message.body, { kind: 'queue', source, id: message.id })
    return taken.kind === 'later' ? [] : [message]
  } catch (error) {
    log.error(
      { err: error, notice: message.id },
      'A notice could not be processed; it has to be sent again',
    )
    return []
  }
}
