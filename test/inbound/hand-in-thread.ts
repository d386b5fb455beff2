/**
 * Hands mails in from a thread of its own, so that their making and sending does not disturb the
 * measured pauses.
 */
import { parentPort, Worker } from 'node:worker_threads'
import { handIn } from '../support/smtp-talk.ts'

type Mail = Parameters<typeof handIn>[1]

export interface Sender {
  handIn(port: number, mail: Mail): Promise<string>
  close(): Promise<number>
}

/** One at a time for each sender. */
export function startSender(): Sender {
  const worker = new Worker(new URL(import.meta.url))
  return {
    handIn: (port, mail) =>
      new Promise((resolve) => {
        worker.once('message', resolve)
        // oxlint-disable-next-line unicorn/require-post-message-target-origin
        worker.postMessage({ port, mail })
      }),
    close: () => worker.terminate(),
  }
}

parentPort?.on('message', ({ port, mail }: { port: number; mail: Mail }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  void handIn(port, mail).then((reply) => parentPort?.postMessage(reply))
})
