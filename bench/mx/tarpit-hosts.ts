/**
 * The tarpits of the bench, in their own thread, since real ones run on other machines. Some say
 * nothing after the connection, the others nothing after RCPT.
 */
import { createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { tarpitAddresses } from './tarpit-addresses.ts'

/** Listens at `port` of both addresses until `stop`, which ends all their connections. */
export async function startTarpits(port: number): Promise<{ stop(): Promise<unknown> }> {
  const worker = new Worker(import.meta.filename, { workerData: port })
  await once(worker, 'message')
  return { stop: () => worker.terminate() }
}

if (!isMainThread) {
  const port: unknown = workerData
  const listening = [
    createServer((socket) => void socket.on('error', () => undefined)).listen({
      port,
      host: tarpitAddresses.mute,
    }),
    createServer(untilRcpt).listen({ port, host: tarpitAddresses.stuck }),
  ]
  await Promise.all(listening.map((server) => once(server, 'listening')))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage('listening')
}

/** Friendly up to MAIL, and silent from RCPT on. */
function untilRcpt(socket: Socket): void {
  socket.on('error', () => undefined)
  socket.write('220 tarpit.test ESMTP\r\n')
  socket.on('data', (bytes) => {
    const text = bytes.toString('latin1')
    if (text.startsWith('EHLO')) socket.write('250 tarpit.test\r\n')
    else if (text.startsWith('MAIL')) socket.write('250 ok\r\n')
  })
}
