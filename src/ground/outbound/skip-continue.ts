/**
 * Takes `100 Continue` out of what a server answers. A client has to read interim responses that it
 * did not ask for (RFC 9110 15.2), and old servers send this one to each POST; undici reads all
 * others, and ends the connection at this one.
 */
import type { Socket } from 'node:net'

/**
 * Longest interim response that is taken out, in bytes; a longer one is left to undici, which
 * refuses it.
 */
const interimMax = 16_384

/**
 * The connection, whose `read` answers without them. It has one call at a time, as undici sends
 * them.
 */
export function skipContinue<Connection extends Socket>(connection: Connection): Connection {
  const write = connection.write.bind(connection) as (...args: unknown[]) => boolean
  const read = connection.read.bind(connection) as (size?: number) => Buffer | null
  /**
   * The bytes of an answer while they may still be an interim response. Null if it has begun, and
   * is passed on as it comes.
   */
  let beginning: Buffer | null = null
  return Object.assign(connection, {
    write(...args: unknown[]): boolean {
      beginning ??= Buffer.alloc(0)
      return write(...args)
    },
    read(size?: number): Buffer | null {
      for (let chunk = read(size); chunk !== null; chunk = read(size)) {
        if (beginning === null) return chunk
        const { rest, hasBegun } = withoutContinue(Buffer.concat([beginning, chunk]))
        beginning = hasBegun ? null : rest
        if (hasBegun) return rest
      }
      return null
    },
  })
}

const statusLine = 'HTTP/1.1 100'

function withoutContinue(answer: Buffer): { rest: Buffer; hasBegun: boolean } {
  for (let rest = answer; ;) {
    const head = rest.toString('latin1', 0, interimMax)
    const isInterim = statusLine.startsWith(
      head.slice(0, statusLine.length).replace('/1.0', '/1.1'),
    )
    const end = /\r?\n\r?\n/.exec(head)
    if (!isInterim || (end === null && rest.length >= interimMax)) return { rest, hasBegun: true }
    if (end === null) return { rest, hasBegun: false }
    rest = rest.subarray(end.index + end[0].length)
  }
}
