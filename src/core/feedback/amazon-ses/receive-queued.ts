/** One round of a queue: what waits is received and taken, and deleted only after that was committed. */
import { deleteMessages, receiveMessages } from '../../../providers/amazon-ses/queue.ts'
import type { Queue, QueuedMessage } from '../../../providers/amazon-ses/queue.ts'
import type { FeedbackSource } from '../../../providers/providers.ts'
import type { Context } from '../../context.ts'
import type { ReceiveNotice } from './receive-notice.ts'

export type Round =
  /** What came is being looked at; `ended` tells why what was done with could not be deleted, null when it was. */
  | { kind: 'received'; ended: Promise<string | null> }
  /** The queue could not be asked. */
  | { kind: 'failed'; why: string }

/** Answers as soon as it was received: the next round need not wait for the end of this one. */
export async function receiveQueued(
  ctx: Pick<Context, 'outbound' | 'clock' | 'log'>,
  takeNotice: ReceiveNotice,
  { source, queueUrl }: { source: FeedbackSource; queueUrl: string },
  stopping: AbortSignal,
): Promise<Round> {
  const queue: Queue = { ...source.settings, queueUrl }
  const received = await receiveMessages(ctx, queue, stopping)
  if (received.kind === 'failed') return received
  const taken = Promise.all(received.messages.map((message) => take(ctx, takeNotice, source, message)))
  // Also while we stop: what was committed should not come again.
  const never = new AbortController().signal
  return { kind: 'received', ended: taken.then((done) => deleteMessages(ctx, queue, done.flat(), never)) }
}

/** The message when it is done with, whether it was acted on or can never be; none when it has to come again. */
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
    log.error({ err: error, notice: message.id }, 'A notice could not be taken; it has to come again')
    return []
  }
}
