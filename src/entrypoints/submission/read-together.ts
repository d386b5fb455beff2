/**
 * Hands small mails of a workspace to the parsing thread together: those that are on their way at
 * once. A message between threads costs as much as parsing a small mail, and mails that are read
 * together are admitted together.
 */
import { Worker } from 'node:worker_threads'
import { createThreadReader } from '../../core/read-in-threads.ts'
import type { Clock } from '../../ground/clock.ts'
import { gatherByWorkspace } from '../../ground/gather.ts'
import type { IncomingMails } from './incoming-mails.ts'
import type { SubmissionBatch, SubmissionRead } from './read-submission-thread.ts'

export type SubmissionFound = SubmissionRead | { unreadable: string } | null

export interface SubmissionReader {
  /** Null means too many mails wait, or the service stops. Throws where the thread fails. */
  read(raw: Buffer, workspaceId: number): Promise<SubmissionFound>
  close(): Promise<void>
}

/** Bytes of a mail that is read with others. */
const smallMax = 8_192
const togetherMax = 32
/** Milliseconds for which a batch waits for mails that are on their way, where there are some. */
const patienceMs = 2
/** Batches that wait for a thread. */
const waitingMax = 1_000

export function createSubmissionReader(
  clock: Pick<Clock, 'sleep'>,
  incoming: IncomingMails,
): SubmissionReader {
  const threads = createThreadReader<SubmissionBatch, { results: SubmissionRead[] }>({
    ...{ clock, waitingMax },
    openWorker: (options) =>
      new Worker(new URL('./read-submission-thread.ts', import.meta.url), options),
  })
  const ask = async (mails: Buffer[], workspaceId: number) => {
    // Memory of its own, so that it goes to the thread.
    const bytes = joinBytes(mails)
    const lengths = mails.map(({ length }) => length)
    return threads.read({ bytes, lengths }, String(workspaceId), [bytes.buffer])
  }
  const readAlone = async (raw: Buffer, workspaceId: number): Promise<SubmissionFound> => {
    const answer = await ask([raw], workspaceId)
    return answer === null || 'unreadable' in answer ? answer : (answer.results[0] ?? null)
  }
  const readTogether = async (mails: Buffer[], workspaceId: number): Promise<Result[]> => {
    if (mails.length > 1) {
      const answer = await ask(mails, workspaceId).catch(() => 'failed' as const)
      if (answer === null) return mails.map(() => fulfilled(null))
      if (answer !== 'failed' && 'results' in answer) return answer.results.map(fulfilled)
    }
    // Where a batch fails, each mail is read alone: a hostile one refuses no other.
    return Promise.allSettled(mails.map((raw) => readAlone(raw, workspaceId)))
  }
  const small = gatherByWorkspace<Buffer, Result>({
    groupMax: togetherMax,
    inHalves: true,
    atOnceMax: 2,
    patienceMs,
    coming: incoming.coming,
    callers: incoming.all,
    work: (workspaceId) => (mails) => readTogether(mails, workspaceId),
  })

  return {
    async read(raw, workspaceId) {
      if (raw.length > smallMax) return readAlone(raw, workspaceId)
      const result = await small(workspaceId, raw)
      if (result.status === 'rejected') throw result.reason
      return result.value
    },
    close: () => threads.close(),
  }
}

type Result = PromiseSettledResult<SubmissionFound>

const fulfilled = (value: SubmissionFound): Result => ({ status: 'fulfilled', value })

function joinBytes(mails: Buffer[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(mails.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const mail of mails) {
    bytes.set(mail, at)
    at += mail.length
  }
  return bytes
}
