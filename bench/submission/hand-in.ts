/** Hands mails in by SMTP as a pooled client does: pipelined, so many to a connection. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'

export interface HandIn {
  port: number
  key: string
  secure: boolean
  mailsPerConnection: number
  /** The bytes of a mail without the final dot, and its recipient. */
  mail: (sequence: number) => { to: string; bytes: string }
}

/** Hands mails in over so many connections at once, for so long; answers how many were taken. */
export async function handInFor(
  load: HandIn & { connections: number; ms: number },
): Promise<number> {
  const ends = performance.now() + load.ms
  const isOver = (): boolean => performance.now() >= ends
  const counts = await Promise.all(
    Array.from({ length: load.connections }, () => worker(load, isOver)),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

let sequence = 0

async function worker(load: HandIn, isOver: () => boolean): Promise<number> {
  let taken = 0
  while (!isOver()) {
    const session = await open(load)
    for (let mails = 0; mails < load.mailsPerConnection && !isOver(); mails++) {
      const { to, bytes } = load.mail(++sequence)
      await session.say(`MAIL FROM:<hello@demo.test>\r\nRCPT TO:<${to}>\r\nDATA\r\n`, 3, '354')
      await session.say(`${bytes}\r\n.\r\n`, 1, '250')
      taken++
    }
    session.end()
  }
  return taken
}

/** Connected and logged in. */
async function open({ port, key, secure }: HandIn) {
  const socket: Socket | TLSSocket = secure
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect({ port, host: '127.0.0.1' })
  socket.setNoDelay(true)
  await once(socket, secure ? 'secureConnect' : 'connect')
  let heard = ''
  let query = (): void => undefined
  socket.setEncoding('latin1').on('data', (text: string) => {
    heard += text
    query()
  })
  socket.on('close', () => query())
  /** The last line of so many replies. Null if they are not all there. */
  const takeReplies = (count: number): string | null => {
    let [from, left] = [0, count]
    for (let end = heard.indexOf('\r\n'); end !== -1; end = heard.indexOf('\r\n', from)) {
      // A hyphen behind the code: the reply goes on (RFC 5321 4.2.1).
      const isLast = heard[from + 3] !== '-' && --left === 0
      const line = heard.slice(from, end)
      from = end + 2
      if (!isLast) continue
      heard = heard.slice(from)
      return line
    }
    return null
  }
  /** Waits for so many replies, of which the last begins so. */
  const replies = async (count: number, expected: string): Promise<void> => {
    for (;;) {
      const last = takeReplies(count)
      if (last !== null) {
        if (!last.startsWith(expected)) throw new Error(`The server said ${last}`)
        return
      }
      if (socket.destroyed) throw new Error(`The connection ended: ${heard}`)
      await new Promise<void>((resolve) => (query = resolve))
    }
  }
  await replies(1, '220')
  const say = (text: string, count: number, expected: string): Promise<void> => {
    socket.write(text, 'latin1')
    return replies(count, expected)
  }
  await say('EHLO bench.test\r\n', 1, '250')
  const plain = Buffer.from(`\0facteur\0${key}`).toString('base64')
  await say(`AUTH PLAIN ${plain}\r\n`, 1, '235')
  return { say, end: () => void socket.end('QUIT\r\n') }
}
