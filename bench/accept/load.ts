/**
 * A load of one request at a time on each of N kept-alive connections, over bare sockets: the
 * generator must not be what is measured.
 */
import { connect } from 'node:net'

export interface Load {
  port: number
  connections: number
  /** How long the measured part runs, in milliseconds; a quarter of it before is not counted. */
  ms: number
  /** Rest of each connection after an answer, in milliseconds. Absent if there is none. */
  restMs?: number
  /** The whole request of one call, headers and body. */
  request: (sequence: number) => Buffer
}

export interface Measured {
  perSecond: number
  /** All answers, those before the counting began included. */
  answered: number
  p50Ms: number
  p99Ms: number
  /** Answers whose status was neither 2xx nor 3xx. */
  refused: number
  firstRefusal: string
}

export async function runLoad(load: Load): Promise<Measured> {
  const latencies: number[] = []
  const countFrom = performance.now() + load.ms / 4
  const endsAt = countFrom + load.ms
  let sequence = 0
  let refused = 0
  let firstRefusal = ''
  const runOne = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(load.port, '127.0.0.1')
      socket.setNoDelay(true)
      let startedAt = 0
      let pending = Buffer.alloc(0)
      const ask = (): void => {
        startedAt = performance.now()
        if (startedAt >= endsAt) {
          socket.destroy()
          return resolve()
        }
        socket.write(load.request(sequence++))
      }
      socket.on('connect', ask)
      socket.on('error', reject)
      socket.on('close', () => resolve())
      socket.on('data', (chunk) => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
        const headEnd = pending.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        const head = pending.toString('latin1', 0, headEnd)
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        if (pending.length < headEnd + 4 + length) return
        if (head[9] !== '2' && head[9] !== '3') {
          refused++
          firstRefusal ||= pending.toString()
        }
        pending = Buffer.alloc(0)
        const now = performance.now()
        if (now >= countFrom && now < endsAt) latencies.push(now - startedAt)
        if (load.restMs === undefined) ask()
        else setTimeout(ask, load.restMs)
      })
    })
  await Promise.all(Array.from({ length: load.connections }, runOne))
  latencies.sort((a, b) => a - b)
  const at = (share: number): number =>
    Math.round((latencies[Math.floor(latencies.length * share)] ?? 0) * 100) / 100
  const perSecond = Math.round(latencies.length / (load.ms / 1000))
  return { perSecond, answered: sequence, p50Ms: at(0.5), p99Ms: at(0.99), refused, firstRefusal }
}
