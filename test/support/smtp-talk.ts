/**
 * Speaks SMTP by hand, one command and one reply at a time: tests send our server what no mail
 * program would.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface Talk {
  /** One whole reply, its lines joined by `\n`; `closed` when the connection ended instead. */
  heard(): Promise<string>
  /** Sends a command and answers the reply to it. */
  say(line: string): Promise<string>
  /** Sends bytes as they are; answers once the system has taken them. */
  send(bytes: Buffer | string): Promise<void>
  /** From here on in TLS, with any certificate. */
  secure(): Promise<void>
  close(): void
}

/**
 * Connects, from another address of this machine where one is named; the greeting is left for
 * `heard`.
 */
export async function talkTo(port: number, localAddress = '127.0.0.1'): Promise<Talk> {
  let socket: Socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true })
  await once(socket, 'connect')
  let text = ''
  let ended = false
  let query = (): void => undefined
  const attach = (): void => {
    socket.setEncoding('utf8')
    socket.on('data', (data: string) => {
      text += data
      query()
    })
    for (const end of ['close', 'end', 'error']) {
      socket.on(end, () => {
        ended = true
        query()
      })
    }
  }
  attach()
  const heard = async (): Promise<string> => {
    for (;;) {
      const reply = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(text)?.[0]
      if (reply !== undefined) {
        text = text.slice(reply.length)
        return reply.trimEnd().replaceAll('\r\n', '\n')
      }
      if (ended) return 'closed'
      await new Promise<void>((resolve) => (query = resolve))
    }
  }
  const send = (bytes: Buffer | string): Promise<void> =>
    new Promise((resolve) => socket.write(bytes, () => resolve()))
  return {
    heard,
    send,
    async say(line) {
      await send(`${line}\r\n`)
      return heard()
    },
    async secure() {
      socket.removeAllListeners('data')
      const clear = socket
      socket = connectTls({ socket: clear, rejectUnauthorized: false })
      await once(socket, 'secureConnect')
      attach()
    },
    close: () => void socket.destroy(),
  }
}

export interface Mail {
  from?: string
  to: string | string[]
  bytes: Buffer | string
}

/**
 * One mail as a mail server hands it over; answers the reply to the final dot, or to the first
 * command that was refused.
 */
export async function handIn(port: number, mail: Mail): Promise<string> {
  const [reply = ''] = await handInAll(port, [mail])
  return reply
}

/** The same for several, over one connection. */
export async function handInAll(port: number, mails: Mail[]): Promise<string[]> {
  const talk = await talkTo(port)
  const replies: string[] = []
  try {
    await talk.heard()
    await talk.say('EHLO mx.example.test')
    for (const mail of mails) replies.push(await handOne(talk, mail))
    return replies
  } finally {
    talk.close()
  }
}

async function handOne(talk: Talk, mail: Mail): Promise<string> {
  for (const line of [
    `MAIL FROM:<${mail.from ?? ''}>`,
    ...[mail.to].flat().map((to) => `RCPT TO:<${to}>`),
  ]) {
    const reply = await talk.say(line)
    if (!reply.startsWith('250')) return reply
  }
  const opened = await talk.say('DATA')
  if (!opened.startsWith('354')) return opened
  const stuffed = Buffer.from(mail.bytes).toString('latin1').replaceAll(/^\./gm, '..')
  await talk.send(Buffer.from(`${stuffed}\r\n.\r\n`, 'latin1'))
  return talk.heard()
}
