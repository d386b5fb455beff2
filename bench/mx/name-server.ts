/**
 * The name server of the bench, in a thread of its own: a burst of two thousand questions would
 * otherwise wait for our own work, and overflow the socket's buffer. A hundred domains have one
 * mail host; some have hosts of their own, and some are tarpits.
 */
import { createSocket } from 'node:dgram'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { decode, encode, type Answer } from 'dns-packet'
import { tarpitAddresses } from './tarpit-addresses.ts'

/** Answers its port of 127.0.0.1. */
export async function startNameServer(): Promise<{ port: number; close(): void }> {
  const worker = new Worker(import.meta.filename)
  const port = await new Promise<number>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  )
  return { port, close: () => void worker.terminate() }
}

if (!isMainThread) {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 })
  socket.on('message', (requested, from) => {
    const { id = 0, questions = [] } = decode(requested)
    const [question] = questions
    if (!question) return
    const { name, type } = question
    const host = /^(?:tarpit|own|mute|stuck)\d*\.test$/.test(name) ? `mx.${name}` : 'mx.sink.test'
    const answers: Answer[] =
      type === 'MX'
        ? [{ type, name, ttl: 3600, data: { preference: 10, exchange: host } }]
        : type === 'A'
          ? [{ type, name, ttl: 3600, data: addressOf(name) }]
          : []
    socket.send(
      encode({ type: 'response', id, flags: 0, questions, answers }),
      from.port,
      from.address,
    )
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  socket.bind(0, '127.0.0.1', () => parentPort?.postMessage(socket.address().port))
}

function addressOf(host: string): string {
  if (/^mx\.(?:tarpit|mute)/.test(host)) return tarpitAddresses.mute
  return host.startsWith('mx.stuck') ? tarpitAddresses.stuck : '127.0.0.1'
}
