/**
 * A worker thread that parses submitted mails one after the other until it is ended: a parser that
 * hangs holds up no other mail.
 */
import { parentPort } from 'node:worker_threads'
import { hash } from 'node:crypto'
import { sayFromThread } from '../../core/read-in-threads.ts'
import { readSubmission, type SubmittedMail } from '../../mail/submission/read-submission.ts'
import { Unacceptable } from '../../mail/submission/unacceptable.ts'

export type SubmissionRead =
  | {
      mail: SubmittedMail
      /** SHA-256 of the bytes, hexadecimal. */
      digest: string
    }
  | { kind: Unacceptable['kind']; why: string }

parentPort?.on('message', (raw: Uint8Array) => {
  const found = read(raw)
  const files = 'mail' in found ? found.mail.files : []
  sayFromThread(
    found,
    files.map(({ content }) => content.buffer),
  )
})
sayFromThread('ready')

function read(raw: Uint8Array): SubmissionRead {
  try {
    const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
    const mail = readSubmission(bytes)
    return { mail, digest: hash('sha256', bytes, 'hex') }
  } catch (error) {
    if (error instanceof Unacceptable) return { kind: error.kind, why: error.message }
    // A fault of ours ends the thread: the client tries again, and another thread reads.
    throw error
  }
}
