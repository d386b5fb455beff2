/**
 * Callers of the API during faults. Half of them send with an Idempotency-Key and repeat a call
 * until it is accepted, as the docs say; the others send without, and never repeat; one of them
 * waits for its answer. One suppresses addresses, and mails to suppressed ones are tried as well.
 */
import { acceptedId, call, rest, describeEnd, type CallEnd } from '../support/fault-calls.ts'
import { mailTo, type FaultWorkspace } from '../support/fault-world.ts'

export interface Callers {
  /** So far: accepted mails, and answers to the one who waits. */
  progress(): { accepted: number; patient: number }
  /**
   * No new mails; resolves when every call with a key was accepted, or one of them hangs for so
   * long. Call it once the faults are over.
   */
  stop(withinMs?: number): Promise<CallerResult>
  /** No new calls, whatever was accepted: their world has ended. */
  abandon(): void
}

export interface CallerResult {
  /** The ids that a 202 gave, by recipient. */
  accepted: Map<string, Set<string>>
  /** Recipients of calls without a key whose outcome nobody knows. */
  unknown: Set<string>
  /** When the call that suppressed an address had answered, in milliseconds of the wall clock. */
  suppressed: Map<string, number>
  /** Calls that were not answered, or by 503. */
  refusals: number
  /** Answers that no fault excuses, in words. */
  wrong: string[]
}

/**
 * A caller gives up waiting after so long, as long as faults go on. What then happens to its call
 * is unknown to it.
 */
const patienceMs = 2_000

/**
 * What every call ends within: much longer than it may wait for a connection (10 s) and for the
 * answer to a statement (`query_timeout`, 20 s).
 */
export const hungMs = 90_000

/**
 * `subscribers`: those of the campaign who are suppressed meanwhile, one after the other. `lives`:
 * counts the lives of the API's process; a caller never hears from one that vanished.
 */
export function startCallers(
  workspace: FaultWorkspace & { recipientDomain: string },
  subscribers: string[],
  lives: () => number,
): Callers {
  const result: CallerResult = {
    accepted: new Map(),
    unknown: new Set(),
    suppressed: new Map(),
    refusals: 0,
    wrong: [],
  }
  const stopped = new AbortController()
  const base = { url: workspace.addressOf(0), apiKey: workspace.apiKey }
  let patientAnswers = 0
  let isAbandoned = false
  /** Of a call that nothing disturbs any more. */
  let lastMs = hungMs
  const checked = async (
    line: string,
    requested: { body?: object; idempotencyKey?: string; withinMs?: number },
    expected: number[],
  ): Promise<CallEnd> => {
    const withinMs = stopped.signal.aborted ? lastMs : patienceMs
    const end = await call({ ...base, withinMs, line, ...requested })
    if (typeof end === 'string' || end.status === 503) result.refusals++
    if (!isExcused(end, expected)) result.wrong.push(`${line} ended with ${describeEnd(end)}`)
    return end
  }

  const sender = async (number: number): Promise<void> => {
    const hasKey = number % 2 === 0
    for (let count = 0; !stopped.signal.aborted; count++) {
      const to = `${hasKey ? 'keyed' : 'single'}-${number}-${count}@${workspace.recipientDomain}`
      if (hasKey) await sendWithKey(to)
      else await sendOnce(to)
      await rest(senderPauseMs)
    }
  }

  const accept = (to: string, end: CallEnd): boolean => {
    const id = acceptedId(end)
    if (id !== null) result.accepted.set(to, (result.accepted.get(to) ?? new Set()).add(id))
    return id !== null
  }

  const sendOnce = async (to: string, wait: { withinMs?: number } = {}): Promise<CallEnd> => {
    const end = await checked(
      'POST /api/v1/emails',
      { body: mailTo(workspace, to), ...wait },
      [202],
    )
    if (!accept(to, end) && typeof end === 'string') result.unknown.add(to)
    return end
  }

  const patient = async (): Promise<void> => {
    for (let count = 0; !stopped.signal.aborted; count++) {
      const to = `patient-${count}@${workspace.recipientDomain}`
      const life = lives()
      const end = await sendOnce(to, { withinMs: hungMs })
      patientAnswers++
      if (end === 'late' && lives() === life)
        result.wrong.push(`hung: the call for ${to} had no answer within ${hungMs / 1000} s`)
      await rest(senderPauseMs)
    }
  }

  /** After the first 202 once more: the answer has to be the same. */
  const sendWithKey = async (to: string): Promise<void> => {
    const requested = { body: mailTo(workspace, to), idempotencyKey: to }
    for (;;) {
      const isLast = stopped.signal.aborted
      const end = await checked('POST /api/v1/emails', requested, [202])
      if (accept(to, end)) break
      if (isAbandoned) return
      if (isLast && end === 'late')
        return void result.wrong.push(`hung: the call for ${to} had no answer after all faults`)
      await rest(repeatPauseMs)
    }
    if (stopped.signal.aborted) accept(to, await checked('POST /api/v1/emails', requested, [202]))
  }

  const suppressor = async (): Promise<void> => {
    for (const email of subscribers) {
      if (stopped.signal.aborted) return
      await rest(suppressPauseMs)
      for (;;) {
        const end = await checked('POST /api/v1/suppression', { body: { email } }, [201])
        if (isAbandoned) return
        if (typeof end !== 'string' && end.status === 201) break
        await rest(repeatPauseMs)
      }
      result.suppressed.set(email, Date.now())
      await checked('POST /api/v1/emails', { body: mailTo(workspace, email) }, [422])
    }
  }

  const all = Promise.all([
    ...Array.from({ length: senders }, (_, number) => sender(number)),
    patient(),
    suppressor(),
  ])
  return {
    progress: () => ({ accepted: result.accepted.size, patient: patientAnswers }),
    async stop(withinMs = hungMs) {
      lastMs = withinMs
      stopped.abort()
      await all
      return result
    },
    abandon() {
      isAbandoned = true
      stopped.abort()
      void all.catch(() => undefined)
    },
  }
}

const senders = 4
const [senderPauseMs, repeatPauseMs, suppressPauseMs] = [120, 150, 250]

/** A lost connection, no answer in time, and "try again later" are what faults may cause. */
function isExcused(end: CallEnd, expected: number[]): boolean {
  if (typeof end === 'string') return true
  return expected.includes(end.status) || (end.status === 503 && end.retryAfter !== null)
}
