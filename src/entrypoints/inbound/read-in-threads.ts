/**
 * Parses mails in worker threads, each within a time limit: senders choose what the parser has to read, and small
 * mails have kept parsers busy for ten seconds. A thread over its time is ended, and another takes its place.
 */
import { Worker } from 'node:worker_threads'
import { waitAtMost, type Clock } from '../../clock.ts'
import type { InboundKind, InboundMail } from '../../mail/reports/read-inbound-mail.ts'

/** `digest`: SHA-256 of the bytes, hexadecimal. */
export type MailRead = (InboundMail & { digest: string }) | { unreadable: string }

/** What a thread is given. `nowSeconds`: since 1970, for signatures that expire. */
export interface ToRead {
  raw: Uint8Array
  kind: InboundKind
  nowSeconds: number
}

/** The messages of a thread: once that it is ready, then an answer for each mail. */
export type ThreadAnswer = 'ready' | MailRead

export type MailReader = ReturnType<typeof createMailReader>

export interface MailReaderOptions {
  clock: Pick<Clock, 'sleep' | 'now'>
  threads?: number
  /** Milliseconds for one mail. */
  withinMs?: number
  waitingMax?: number
}

export function createMailReader(options: MailReaderOptions) {
  const { clock, threads = 2, withinMs = 2_000, waitingMax = 50 } = options
  const idle: Thread[] = []
  const all = new Set<Thread>()
  const waiting: (() => void)[] = []
  let taken = 0
  let closed = false

  const takePlace = async (): Promise<boolean> => {
    if (closed || waiting.length >= waitingMax) return false
    if (taken < threads) taken++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    return !closed
  }
  /** Gives the slot to the longest waiting caller, if there is one. */
  const givePlace = (): void => {
    const next = waiting.shift()
    if (next) next()
    else taken--
  }
  const end = async (thread: Thread): Promise<void> => {
    all.delete(thread)
    await thread.end()
  }

  return {
    /** Null: too many mails wait, or the service stops; the sender may try again. */
    async read(raw: Buffer, kind: InboundKind): Promise<MailRead | null> {
      if (!(await takePlace())) return null
      try {
        const thread = idle.pop() ?? new Thread()
        all.add(thread)
        const answer = await thread.ask({ raw, kind, nowSeconds: Math.floor(clock.now().getTime() / 1000) }, clock, withinMs)
        if (typeof answer === 'object') idle.push(thread)
        else await end(thread)
        if (answer === 'ended' && closed) return null
        return typeof answer === 'object' ? answer : { unreadable: reasons[answer] }
      } finally {
        givePlace()
      }
    },
    async close(): Promise<void> {
      closed = true
      for (const next of waiting.splice(0)) next()
      await Promise.all([...all].map(end))
    },
  }
}

const reasons = { late: 'reading it took too long', ended: 'the parser broke' }

/** Memory limit of a thread, without the bytes of the mail. No mail within the limits needs it; one that does ends only its thread. */
const heapMb = 128

class Thread {
  readonly #worker: Worker
  readonly #ready: Promise<unknown>
  #answer: (what: MailRead | 'ended') => void = () => undefined
  #isEnded = false

  constructor() {
    this.#worker = new Worker(new URL('./read-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
    this.#ready = new Promise<void>((resolve) => {
      // The threads send no other messages.
      this.#worker.on('message', (what: ThreadAnswer) => (what === 'ready' ? resolve() : this.#answer(what)))
      const onEnd = (): void => {
        this.#isEnded = true
        resolve()
        this.#answer('ended')
      }
      this.#worker.on('error', onEnd).on('exit', onEnd)
    })
  }

  /** The time limit starts when the thread is ready. */
  async ask(mail: ToRead, clock: Pick<Clock, 'sleep'>, withinMs: number): Promise<MailRead | 'late' | 'ended'> {
    const answer = new Promise<MailRead | 'ended'>((resolve) => (this.#answer = resolve))
    await this.#ready
    if (this.#isEnded) return 'ended'
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(mail)
    return (await waitAtMost(clock, withinMs, answer)) ?? 'late'
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
