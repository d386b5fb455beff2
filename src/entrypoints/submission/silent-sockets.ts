/** Bounds the sockets before their greeting, such as those whose TLS has not begun. */
import type { Socket } from 'node:net'
import { createConnectionCounts } from '../../core/connection-counts.ts'
import type { Clock } from '../../ground/clock.ts'
import { answerHalfClosed } from '../../mail/smtp-server/answer-half-closed.ts'

/** More than may greet. */
const socketsBounds = { connectionsMax: 200, clientsMax: 500 }

export function createSilentSockets(clock: Pick<Clock, 'monotonicMs'>) {
  const counts = createConnectionCounts(clock, socketsBounds)
  /** By `nameOf`. */
  const open = new Map<string, { sinceMs: number; destroy: () => void }>()
  const leave = (name: string): void => {
    open.delete(name)
    counts.close(name)
  }
  return {
    /**
     * A connection as the system gives it. False means it ends. `destroy` ends TLS upon it before
     * it.
     */
    accept(socket: Socket, destroy: () => void): boolean {
      const name = nameOf(socket)
      // One that was reset already has no address.
      const opened = socket.remoteAddress ? counts.open(name, socket.remoteAddress) : null
      if (opened === null) {
        socket.destroy()
        return false
      }
      for (const other of opened.ends) open.get(other)?.destroy()
      open.set(name, { sinceMs: clock.monotonicMs(), destroy })
      socket.once('close', () => leave(name))
      answerHalfClosed(socket.setNoDelay(true))
      return true
    },
    greeted: (socket: Socket): void => leave(nameOf(socket)),
    /** Ends those that came before this time. */
    endSince(beforeMs: number): void {
      for (const { sinceMs, destroy } of [...open.values()]) if (sinceMs < beforeMs) destroy()
    },
  }
}

/** The same for a socket and TLS upon it, and of no other that is open. */
const nameOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  [localAddress, localPort, remoteAddress, remotePort].join(' ')
