/**
 * Parses a captured mail in a thread of its own and within a time limit.
 * Callers wrote its content, and a parser that hangs must not block the service.
 */
import { Worker } from 'node:worker_threads'
import type { Context } from '../context.ts'
import type { FoundLink } from '../../mail/html/mail-links.ts'
import { fewAtOnceOfEach } from '../few-at-once.ts'

export interface ReadMail {
  subject: string
  date: string | null
  addresses: { name: 'from' | 'to' | 'cc' | 'replyTo'; value: string }[]
  html: string | null
  /** The code to type (src/mail/content/one-time-code.ts). */
  otp: string | null
  text: string | null
  files: { name: string | null; type: string; size: number }[]
  /** Of the files, in base64; empty where they are too large together. */
  contents: string[]
  links: FoundLink[]
  /** Pictures of the HTML, and those of them without the attribute `alt`. */
  images: { all: number; withoutAlt: number }
  /** The header section, unchanged from the source. */
  headers: string
}

/** The requested part: the page's content, the HTML with its own images, or one file. */
export type ParseRequest = { want: 'page' } | { want: 'html' } | { want: 'file'; index: number }

export interface Answers {
  page: ReadMail
  html: string | null
  file: { name: string | null; content: Uint8Array } | null
}

/** It begins when the thread has loaded the parser, which takes seconds on a busy machine. */
const withinMs = 5_000
const heapMb = 256
/** The maximum of threads in a process: each one has its own heap. Workspaces take turns. */
const inTurn = fewAtOnceOfEach(2)

/** Returns null when it took too long, or the parser failed. */
export const parseCapturedMail = <Q extends ParseRequest>(
  ctx: Pick<Context, 'clock' | 'log'>,
  { workspaceId, raw, question }: { workspaceId: number; raw: Buffer; question: Q },
): Promise<Answers[Q['want']] | null> => inTurn(workspaceId, () => readInThread(ctx, raw, question))

async function readInThread<Q extends ParseRequest>(
  ctx: Pick<Context, 'clock' | 'log'>,
  raw: Buffer,
  question: Q,
): Promise<Answers[Q['want']] | null> {
  const worker = new Worker(new URL('./read-mail-worker.ts', import.meta.url), {
    workerData: { raw, question },
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  const late = new AbortController()
  try {
    return await new Promise<Answers[Q['want']]>((resolve, reject) => {
      worker.once('error', reject)
      worker.once('message', () => {
        worker.once('message', (answer: Answers[Q['want']]) => resolve(answer))
        ctx.clock
          .sleep(withinMs, late.signal)
          .then(() => reject(new Error(`not read within ${withinMs} ms`)), reject)
      })
    })
  } catch (error) {
    ctx.log.warn(
      { err: error, bytes: raw.length },
      'A captured mail could not be parsed; its bytes stay available',
    )
    return null
  } finally {
    late.abort()
    await worker.terminate()
  }
}
