/**
 * A worker thread that parses submitted mails one after the other until it is ended: a parser that
 * hangs holds up no other mail.
 */
import { parentPort } from 'node:worker_threads'
import { createHash } from 'node:crypto'
import { readSubmission, type SubmittedMail } from '../../mail/submission/read-submission.ts'
import { Unacceptable } from '../../mail/submission/unacceptable.ts'

export type SubmissionRead =
  | {
      mail: SubmittedMail
      /** SHA-256 of the bytes. */
      digest: Uint8Array
    }
  | { kind: Unacceptable['kind']; why: string }
  | { unreadable: string }

parentPort?.on('message', (raw: Uint8Array) => say(read(raw)))
say('ready')

function read(raw: Uint8Array): SubmissionRead {
  try {
    const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
    return { mail: readSubmission(bytes), digest: createHash('sha256').update(bytes).digest() }
  } catch (error) {
    if (error instanceof Unacceptable) return { kind: error.kind, why: error.message }
    return { unreadable: error instanceof Error ? error.message : String(error) }
  }
}

function say(what: 'ready' | SubmissionRead): void {
  // A port of threads: only core/read-in-threads.ts is at its other end.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(what)
}
