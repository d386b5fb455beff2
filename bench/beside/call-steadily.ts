/**
 * Makes calls at planned times, whether or not earlier ones were answered, and times each from its
 * plan: no wait is hidden.
 */
import { setTimeout } from 'node:timers/promises'
import { Pool } from 'undici'

export interface SteadyCalls {
  port: number
  key: string
  perSecond: number
  ms: number
  body: (sequence: number) => object
}

/** Answers the milliseconds from plan to answer of each call. Throws when one was refused. */
export async function callSteadily({
  port,
  key,
  perSecond,
  ms,
  body,
}: SteadyCalls): Promise<number[]> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64 })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const beganMs = performance.now()
  const call = async (sequence: number): Promise<number> => {
    const answer = await pool.request({
      method: 'POST',
      path: '/api/v1/emails',
      headers,
      body: JSON.stringify(body(sequence)),
    })
    const output = await answer.body.text()
    const tookMs = performance.now() - beganMs - plannedMs(sequence)
    if (answer.statusCode >= 300)
      throw new Error(`A call was answered ${answer.statusCode} ${output}`)
    return tookMs
  }
  const plannedMs = (sequence: number): number => (sequence * 1_000) / perSecond
  const calls: Promise<number>[] = []
  for (let sequence = 0; plannedMs(sequence) < ms; sequence++) {
    const waitMs = beganMs + plannedMs(sequence) - performance.now()
    if (waitMs > 0) await setTimeout(waitMs)
    calls.push(call(sequence))
  }
  const took = await Promise.all(calls)
  await pool.close()
  return took
}
