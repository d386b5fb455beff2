/**
 * A worker thread that parses mails one after the other until it is ended: a parser that hangs
 * holds up no other mail.
 */
import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { readInboundMail } from '../../mail/reports/read-inbound-mail.ts'
import type { ThreadAnswer, ToRead } from './read-in-threads.ts'

parentPort?.on('message', (mail: ToRead) => void read(mail).then(say))
say('ready')

async function read({ raw, kind, nowSeconds }: ToRead): Promise<ThreadAnswer> {
  try {
    return {
      ...(await readInboundMail(raw, kind, nowSeconds)),
      digest: createHash('sha256').update(raw).digest('hex'),
    }
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) }
  }
}

function say(what: ThreadAnswer): void {
  // A port of threads: only readInThreads is at its other end.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(what)
}
