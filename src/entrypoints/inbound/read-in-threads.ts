/** Parses returned mails in threads; networks take turns (core/read-in-threads.ts). */
import { Worker } from 'node:worker_threads'
import { createThreadReader, type ThreadReaderOptions } from '../../core/read-in-threads.ts'
import { networkOf } from '../../core/network-of.ts'
import type { Clock } from '../../ground/clock.ts'
import type { InboundKind, MailRead, ToRead } from './read-thread.ts'

export type MailReader = ReturnType<typeof createMailReader>

export function createMailReader({
  clock,
  ...options
}: Omit<ThreadReaderOptions, 'clock' | 'openWorker'> & { clock: Pick<Clock, 'sleep' | 'now'> }) {
  const { read, close } = createThreadReader<ToRead, MailRead>({
    ...{ ...options, clock },
    openWorker: (limits) => new Worker(new URL('./read-thread.ts', import.meta.url), limits),
  })
  return {
    close,
    read: (raw: Buffer, kind: InboundKind, address: string): Promise<MailRead | null> =>
      read({ raw, kind, nowSeconds: Math.floor(clock.now().getTime() / 1000) }, networkOf(address)),
  }
}
