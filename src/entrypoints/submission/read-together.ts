/**
 * Hands small mails of a workspace to the parsing thread together: those that came while it read
 * the ones before. A message between threads costs as much as parsing a small mail, and mails that
 * are read together are admitted together.
 */
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createThreadReader } from '../../core/read-in-threads.ts'
import type { Clock } from '../../ground/clock.ts'
import type { SubmissionBatch, SubmissionRead } from './read-submission-thread.ts'

export type SubmissionFound = SubmissionRead | { unreadable: string } | null

export interface SubmissionReader {
  /** Null: too many mails wait, or the service stops. Throws where the thread fails. */
  read(raw: Buffer, workspaceId: number): Promise<SubmissionFound>
  close(): Promise<void>
}

/** Bytes of a mail that is read with others, and of all of them. */
const smallMax = 65_536
const togetherBytesMax = 262_144
const togetherMax = 32
/** Batches that wait for a thread. */
const waitingMax = 1_000

interface Waiting {
  raw: Buffer
  resolve: (found: SubmissionFound | Promise<SubmissionFound>) => void
}

export function createSubmissionReader(clock: Pick<Clock, 'sleep'>): SubmissionReader {
  const threads = createThreadReader<SubmissionBatch, { found: SubmissionRead[] }>({
    ...{ clock, waitingMax },
    openWorker: (options) =>
      new Worker(new URL('./read-submission-thread.ts', import.meta.url), options),
  })
  /** Small mails by workspace; one that has a line has mails in a thread. */
  const lines = new Map<number, Waiting[]>()

  const ask = async (mails: Buffer[], workspaceId: number) => {
    // Memory of its own, so that it goes to the thread.
    const bytes = joinBytes(mails)
    const lengths = mails.map(({ length }) => length)
    return threads.read({ bytes, lengths }, String(workspaceId), [bytes.buffer])
  }
  const readAlone = async (raw: Buffer, workspaceId: number): Promise<SubmissionFound> => {
    const answer = await ask([raw], workspaceId)
    return answer === null || 'unreadable' in answer ? answer : (answer.found[0] ?? null)
  }
  /** Where a batch fails, each mail is read alone: a hostile one refuses no other. */
  const readBatch = async (batch: Waiting[], workspaceId: number): Promise<void> => {
    const mails = batch.map(({ raw }) => raw)
    const answer = mails.length === 1 ? 'alone' : await ask(mails, workspaceId).catch(() => 'alone')
    for (const [place, { raw, resolve }] of batch.entries())
      if (answer === null) resolve(null)
      else if (typeof answer === 'string' || 'unreadable' in answer) {
        const alone = readAlone(raw, workspaceId)
        resolve(alone)
        await alone.catch(() => null)
      } else resolve(answer.found[place] ?? null)
  }
  const readLine = async (line: Waiting[], workspaceId: number): Promise<void> => {
    while (line.length > 0) {
      // What other connections have sent by now is read first.
      await setImmediate()
      await readBatch(takeBatch(line), workspaceId)
    }
    lines.delete(workspaceId)
  }

  return {
    read(raw, workspaceId) {
      if (raw.length > smallMax) return readAlone(raw, workspaceId)
      return new Promise((resolve) => {
        const line = lines.get(workspaceId) ?? []
        line.push({ raw, resolve })
        if (lines.has(workspaceId)) return
        lines.set(workspaceId, line)
        void readLine(line, workspaceId)
      })
    },
    close: () => threads.close(),
  }
}

/** The first mails of a line, which then has the others. */
function takeBatch(line: Waiting[]): Waiting[] {
  let bytes = 0
  const over = line.findIndex(
    ({ raw }, place) => place === togetherMax || (bytes += raw.length) > togetherBytesMax,
  )
  return line.splice(0, over === -1 ? line.length : over)
}

function joinBytes(mails: Buffer[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(mails.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const mail of mails) {
    bytes.set(mail, at)
    at += mail.length
  }
  return bytes
}
