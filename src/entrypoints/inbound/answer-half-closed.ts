/**
 * Who sends QUIT behind the final dot may end its own side of the connection with it (RFC 2920 3.1 lets QUIT end a group of commands),
 * and still waits for the replies: Exim does so with every mail. To smtp-server a side that ended is a connection that ended, and
 * what it has to say is not said; the mail would be taken, and come again and again.
 */
import type { Socket } from 'node:net'

/** Nothing more can come, so what is not under way by then is over; smtp-server itself waits for what is. */
const idleMs = 100

/** For a socket of a server with `allowHalfOpen`, and for the TLS socket upon it. */
export function answerHalfClosed(socket: Socket): void {
  // smtp-server writes to a socket whose state is `open`, which in node means both sides.
  Object.defineProperty(socket, 'readyState', { get: () => (socket.writable ? 'open' : 'closed') })
  socket.once('end', () => socket.setTimeout(idleMs))
}
