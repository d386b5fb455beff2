/**
 * Answers clients that half-close the connection after QUIT. A client that sends QUIT behind the
 * final dot may end its own side with it and still wait for the replies (RFC 2920 3.1 lets QUIT end
 * a group of commands): Exim does so with every mail. smtp-server treats a half-closed connection
 * as closed and drops its replies, so the client would send an accepted mail again and again.
 */
import type { Socket } from 'node:net'

/**
 * No further command can arrive, so an idle connection ends after this; smtp-server itself waits
 * for work under way.
 */
const idleMs = 100

/** For a socket of a server with `allowHalfOpen`, and for the TLS socket upon it. */
export function answerHalfClosed(socket: Socket): void {
  // smtp-server writes to a socket whose state is `open`, which in node means both sides.
  Object.defineProperty(socket, 'readyState', { get: () => (socket.writable ? 'open' : 'closed') })
  socket.once('end', () => socket.setTimeout(idleMs))
}
