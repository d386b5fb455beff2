/**
 * A worker thread that parses submitted mails one after the other until it is ended: a parser that
 * hangs holds up no other mail.
 */
import { parentPort } from 'node:worker_threads'
import { hash } from 'node:crypto'
import { sayFromThread } from '../../core/read-in-threads.ts'
import { readSubmission, type SubmittedMail } from '../../mail/submission/read-submission.ts'
import { Unacceptable } from '../../mail/submission/unacceptable.ts'

/** Mails one behind the other. The thread answers one result for each. */
export interface SubmissionBatch {
  bytes: Uint8Array<ArrayBuffer>
  lengths: number[]
}

export type SubmissionRead =
  | {
      mail: SubmittedMail
      /** SHA-256 of the bytes, hexadecimal. */
      digest: string
    }
  | { kind: Unacceptable['kind']; why: string }

parentPort?.on('message', ({ bytes, lengths }: SubmissionBatch) => {
  const mails = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const result = lengths.map((length) => read(mails.subarray(at, (at += length))))
  const files = result.flatMap((submissionRead) =>
    'mail' in submissionRead ? submissionRead.mail.files : [],
  )
  sayFromThread({ results: result }, [...new Set(files.map(({ content }) => content.buffer))])
})
sayFromThread('ready')

function read(bytes: Buffer): SubmissionRead {
  try {
    const mail = readSubmission(bytes)
    return { mail, digest: hash('sha256', bytes, 'hex') }
  } catch (error) {
    if (error instanceof Unacceptable) return { kind: error.kind, why: error.message }
    // A fault of ours ends the thread: the client tries again, and another thread reads.
    throw error
  }
}
