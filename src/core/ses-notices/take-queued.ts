/** One round of a queue: what waits is received and taken, and deleted only after that was committed. */
import { deleteMessages, receiveMessages } from '../../providers/amazon-ses/queue.ts'
import type { Queue, QueuedMessage } from '../../providers/amazon-ses/queue.ts'
import type { NewsSource } from '../../providers/providers.ts'
import type { Context } from '../context.ts'
import type { TakeNotice } from './take-notice.ts'

/** Null: the queue was asked, and what came was looked at. Else why it could not be asked. */
export async function takeQueued(
  ctx: Pick<Context, 'outbound' | 'clock' | 'log'>,
  takeNotice: TakeNotice,
  { source, queueUrl }: { source: NewsSource; queueUrl: string },
  stopping: AbortSignal,
): Promise<string | null> {
  const queue: Queue = { ...source.settings, queueUrl }
  const received = await receiveMessages(ctx, queue, stopping)
  if (received.kind === 'failed') return received.why
  const done = await Promise.all(received.messages.map((message) => take(ctx, takeNotice, source, message)))
  // Also while we stop: what was committed should not come again.
  const never = new AbortController().signal
  return deleteMessages(ctx, queue, done.flat(), never)
}

/** The message when it is done with, whether it was acted on or can never be; none when it has to come again. */
async function take(
  { log }: Pick<Context, 'log'>,
  takeNotice: TakeNotice,
  source: NewsSource,
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
