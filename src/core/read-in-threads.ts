/**
 * Parses mails in worker threads, each within a limit of processor time: senders choose what the
 * parser has to read, and small mails have kept parsers busy for ten seconds. A thread over its
 * time is ended, and another takes its place.
 *
 * Networks take turns, none has all threads, and where too many mails wait, the newest of the
 * network with the most of them gives way: whatever one network sends, the mail of another is read
 * next.
 */
import { parentPort, type ResourceLimits, type Worker } from 'node:worker_threads'
import { waitAtMost, type Clock } from '../ground/clock.ts'

export interface ThreadReaderOptions {
  clock: Pick<Clock, 'sleep'>
  /** Its worker says `ready` once, then answers each message with an object (`sayFromThread`). */
  openWorker: (options: { resourceLimits: ResourceLimits }) => Worker
  threads?: number
  /** Milliseconds of a processor for one mail. */
  withinMs?: number
  waitingMax?: number
}

export interface ThreadReader<Requested, Answer> {
  /**
   * Null means too many mails wait, or the service stops; the sender may try again. Throws where
   * the thread fails, which is no fault of the mail. `network`: whose mail it is, since those take
   * turns. `transfer`: memory of the mail that goes to the thread.
   */
  read(
    request: Requested,
    network: string,
    transfer?: ArrayBuffer[],
  ): Promise<Answer | { unreadable: string } | null>
  close(): Promise<void>
}

export function createThreadReader<Requested, Answer extends object>(
  options: ThreadReaderOptions,
): ThreadReader<Requested, Answer> {
  const { clock, openWorker, threads = 2, withinMs = 2_000, waitingMax = 50 } = options
  const idle: Thread<Requested, Answer>[] = []
  const all = new Set<Thread<Requested, Answer>>()
  /** Waiting mails by network; the network whose turn is next is the first. */
  const waiting = new Map<string, ((mayRead: boolean) => void)[]>()
  const reading = new Map<string, number>()
  let closed = false

  const mayBegin = (network: string): boolean =>
    sum(reading.values()) < threads && (reading.get(network) ?? 0) < Math.max(1, threads - 1)
  const count = (network: string, more: number): void => {
    const now = (reading.get(network) ?? 0) + more
    if (now > 0) reading.set(network, now)
    else reading.delete(network)
  }
  /** Whether one more of this network may wait. */
  const makeRoom = (network: string): boolean => {
    const lines = [...waiting.values()]
    if (sum(lines.map(({ length }) => length)) < waitingMax) return true
    const longest = lines.reduce((a, b) => (b.length > a.length ? b : a), [])
    if (longest.length <= (waiting.get(network)?.length ?? 0)) return false
    longest.pop()?.(false)
    return true
  }
  const takeSlot = async (network: string): Promise<boolean> => {
    if (closed) return false
    if (!mayBegin(network)) {
      if (!makeRoom(network)) return false
      return new Promise<boolean>((resolve) =>
        waiting.set(network, [...(waiting.get(network) ?? []), resolve]),
      )
    }
    count(network, 1)
    return true
  }
  /** Gives the thread to the network whose turn it is. */
  const releaseSlot = (network: string): void => {
    count(network, -1)
    for (const [next, [first, ...rest]] of [...waiting]) {
      if (!mayBegin(next)) continue
      waiting.delete(next)
      if (rest.length > 0) waiting.set(next, rest)
      if (!first) continue
      count(next, 1)
      first(true)
    }
  }
  /** One that ended meanwhile makes room for another. */
  const takeIdle = (): Thread<Requested, Answer> | undefined => {
    for (let thread = idle.pop(); thread; thread = idle.pop()) {
      if (!thread.isEnded) return thread
      all.delete(thread)
    }
    return undefined
  }
  const end = async (thread: Thread<Requested, Answer>): Promise<void> => {
    all.delete(thread)
    await thread.end()
  }

  return {
    async read(requests, network, transfer = []) {
      if (!(await takeSlot(network))) return null
      try {
        const thread = takeIdle() ?? new Thread<Requested, Answer>(openWorker)
        all.add(thread)
        const answer = await thread.ask({ query: requests, transfer }, clock, withinMs)
        if (typeof answer === 'object') idle.push(thread)
        else await end(thread)
        if (answer === 'ended' && closed) return null
        if (answer === 'ended')
          throw new Error('The thread that read a mail ended', { cause: thread.error })
        return typeof answer === 'object' ? answer : { unreadable: 'reading it took too long' }
      } finally {
        releaseSlot(network)
      }
    },
    async close() {
      closed = true
      for (const resolve of [...waiting.values()].flat()) resolve(false)
      waiting.clear()
      await Promise.all([...all].map(end))
    },
  }
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((a, b) => a + b, 0)

/**
 * Memory limit of a thread, without the bytes of the mail. No mail within the limits needs it; one
 * that does ends only its thread.
 */
const heapMb = 128

/**
 * How often the time of a mail passes, while the thread gets little of a processor, until it is
 * refused all the same.
 */
const waitsMax = 10

/** The messages of a thread: once that it is ready, then an answer for each mail. */
export interface ThreadMessage<Answer> {
  what: 'ready' | Answer
  /** Processor time of the thread so far, in milliseconds; 0 where Node does not know it. */
  usedMs: number
}

/** Says it from within a thread. To ask a thread from outside costs as much as a small mail. */
export function sayFromThread(what: 'ready' | object, transfer: ArrayBuffer[] = []): void {
  const { user, system } = process.threadCpuUsage?.() ?? { user: 0, system: 0 }
  const message: ThreadMessage<object> = { what, usedMs: (user + system) / 1_000 }
  // A port of threads: only the class below is at its other end.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(message, transfer)
}

class Thread<Query, Answer extends object> {
  readonly #worker: Worker
  readonly #ready: Promise<unknown>
  #answer: (what: Answer | 'ended') => void = () => undefined
  isEnded = false
  /** What ended it. */
  error: unknown
  /** Processor time up to its last answer, in milliseconds. */
  #usedBeforeMs = 0

  constructor(openWorker: ThreadReaderOptions['openWorker']) {
    this.#worker = openWorker({ resourceLimits: { maxOldGenerationSizeMb: heapMb } })
    this.#ready = new Promise<void>((resolve) => {
      // The threads send no other messages.
      this.#worker.on('message', ({ what, usedMs }: ThreadMessage<Answer>) => {
        this.#usedBeforeMs = usedMs
        if (what === 'ready') resolve()
        else this.#answer(what)
      })
      const onEnd = (): void => {
        this.isEnded = true
        resolve()
        this.#answer('ended')
      }
      this.#worker.on('exit', onEnd).on('error', (error) => {
        this.error = error
        onEnd()
      })
    })
  }

  /**
   * The limit is processor time: on a busy machine a mail waits longer, and is not refused. It
   * starts when the thread is ready.
   */
  async ask(
    { query: requests, transfer }: { query: Query; transfer: ArrayBuffer[] },
    clock: Pick<Clock, 'sleep'>,
    withinMs: number,
  ): Promise<Answer | 'late' | 'ended'> {
    const answer = new Promise<Answer | 'ended'>((resolve) => (this.#answer = resolve))
    await this.#ready
    if (this.isEnded) return 'ended'
    const before = this.#usedBeforeMs
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(requests, transfer)
    for (let wait = 0; wait < waitsMax; wait++) {
      const answered = await waitAtMost(clock, withinMs, answer)
      if (answered !== null) return answered
      const used = (await this.#usedMs(clock, withinMs)) ?? Infinity
      if (used - before >= withinMs) break
    }
    return 'late'
  }

  /** Processor time so far, in milliseconds. Null if the thread does not say it. */
  async #usedMs(clock: Pick<Clock, 'sleep'>, withinMs: number): Promise<number | null> {
    try {
      const used = await waitAtMost(clock, withinMs, this.#worker.cpuUsage())
      return used && (used.user + used.system) / 1_000
    } catch {
      // It has ended, or Node is older than 24.6.
      return null
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
