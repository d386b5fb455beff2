/**
 * Opens sockets: plain TCP, and TLS around one. It is an interface, so that a caller can add its
 * own address check.
 */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Relay } from './relay.ts'

/**
 * Resolves with a connected socket, rejects when there is none before `signal` aborts.
 * `localAddress`: the one it leaves from.
 */
export type Dial = (
  to: { host: string; port: number; localAddress?: string },
  signal: AbortSignal,
) => Promise<Socket>

/**
 * After so long without a packet the kernel sends the peer up to ten probes, one each second (libuv
 * sets both numbers). So a peer that acknowledged all and was lost without FIN or RST is noticed
 * after some 40 s; the limits of RFC 5321 4.5.3.2 are for peers that are slow to reply. RFC 1122
 * 4.2.3.6 has two hours as the default and lets an application choose. The price: a line that is
 * cut for ten seconds in a long silence ends the connection. A mail before its dot is then tried
 * again, one after it is in doubt.
 */
const keepAliveDelayMs = 30_000

export const dialTcp: Dial = ({ host, port, localAddress }, signal) =>
  finishedSocket(
    connect({
      host,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveDelayMs,
      ...(localAddress === undefined ? {} : { localAddress }),
    }),
    'connect',
    signal,
  )

/**
 * The certificate is checked against the host's name, unless the caller checks it in another way
 * (security: SMTP).
 */
export async function startTls(socket: Socket, relay: Relay, signal: AbortSignal): Promise<Socket> {
  const { certificate = 'name', serverName = relay.host } = relay
  const tlsSocket = connectTls({
    socket,
    host: relay.host,
    // RFC 6066 3: no literal addresses in SNI.
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    ...(relay.ca === undefined ? {} : { ca: relay.ca }),
    rejectUnauthorized: certificate === 'name',
  })
  await finishedSocket(tlsSocket, 'secureConnect', signal)
  const wrong = typeof certificate === 'function' ? certificate(tlsSocket) : null
  if (wrong === null) return tlsSocket
  tlsSocket.destroy()
  throw new TlsError('NOT_PROVEN', wrong)
}

/** A failure of encryption that we find ourselves. */
export class TlsError extends Error {
  /**
   * Like the codes of errors below: `NO_STARTTLS` where none is offered, `NOT_PROVEN` where the
   * certificate is another one.
   */
  readonly code: 'NO_STARTTLS' | 'NOT_PROVEN'

  constructor(code: TlsError['code'], message: string) {
    super(message)
    this.code = code
  }
}

function finishedSocket<S extends Socket>(
  socket: S,
  ready: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  return new Promise((resolve, reject) => {
    const onReady = (): void => {
      complete()
      resolve(socket)
    }
    const onFailure = (error: Error): void => {
      complete()
      socket.destroy()
      reject(error)
    }
    const onClose = (): void => onFailure(new Error('the peer closed the connection'))
    const onAbort = (): void =>
      onFailure(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)))
    const complete = (): void => {
      socket.off(ready, onReady).off('error', onFailure).off('close', onClose)
      signal.removeEventListener('abort', onAbort)
    }
    // An error of a socket without a listener (between connect and TLS, or while it is given up)
    // would end the process.
    socket.on('error', () => {})
    socket.on(ready, onReady).on('error', onFailure).on('close', onClose)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
