/**
 * Rules that smtp-server lacks, put on each connection before it reads anything: enhanced codes of
 * ours, AUTH only where a password may travel, nothing sent where a recipient was refused, and
 * lines that end with CRLF.
 */
import type { Socket } from 'node:net'
import type { SMTPServer } from 'smtp-server'
import { LineGuard } from './guard-lines.ts'
import { replies } from './smtp-replies.ts'

export type SmtpConnection = SMTPServer['connections'] extends Set<infer Each> ? Each : never

export interface SessionRules {
  /** Whether the mail that was received last has a bare CR or LF. */
  isDataBroken(): boolean
}

/** A connection, from its greeting to its end. */
export interface SubmissionSession {
  connection: SmtpConnection
  rules: SessionRules
  sinceMs: number
  login: { workspaceId: number; password: string } | null
  failedLogins: number
}

/** `mayAuthenticate` says whether a password may travel over this connection as it is now. */
export function applyRules(
  connection: SmtpConnection,
  mayAuthenticate: () => boolean,
): SessionRules {
  const guard = new LineGuard()
  const sendNow = connection.send.bind(connection)
  const send: SmtpConnection['send'] = (...reply) => {
    corkForTick(connection._socket)
    sendNow(...reply)
  }
  const sendReply = ({ code, text }: { code: number; text: string }): void =>
    send(code, text, false)
  const refuseBareLine = (): void => {
    sendReply(replies.bareCommand)
    connection.close()
  }

  connection.send = (code, data, context) => {
    if (code === 354) guard.beginData()
    if (Array.isArray(data) && !mayAuthenticate())
      // RFC 4954 4: a mechanism is offered only where it may be used.
      return send(
        code,
        data.filter((line) => !line.startsWith('AUTH ')),
        context,
      )
    const better = typeof data === 'string' ? betterOf.get(data) : undefined
    if (!better) return send(code, data, isEnhanced(data) ? false : context)
    sendReply(better)
    // smtp-server ends a connection by this code alone.
    if (code === 421) connection.close()
  }
  const guarding = { guard, refuse: refuseBareLine }
  connection._parser = guarded(connection._parser, guarding)
  const createParser = connection._createParser.bind(connection)
  // The session inside TLS has a parser of its own.
  connection._createParser = () => guarded(createParser(), guarding)

  const auth = connection.handler_AUTH.bind(connection)
  connection.handler_AUTH = (command, done) => {
    if (mayAuthenticate()) return auth(command, done)
    sendReply(replies.encryptFirst)
    done()
  }
  refuseAfterRefusedRecipient(connection, () => sendReply(replies.refusedRecipient))
  return { isDataBroken: () => guard.isDataBroken }
}

/** The replies to commands in one piece leave in one piece (RFC 2920 3.2). */
function corkForTick(socket: Socket): void {
  if (socket.writableCorked > 0) return
  socket.cork()
  process.nextTick(() => socket.uncork())
}

/** What smtp-server says of itself, with the codes of docs/smtp.md. */
const betterOf = new Map([
  ['Server shutting down', replies.stopping],
  // RFC 4954 4: what is no Base64.
  ['Error: invalid userdata', replies.undecodable],
  ['Error: missing username', replies.undecodable],
  ['Error: Command line too long', replies.longCommand],
  ['Error: too many unrecognized commands', replies.tooManyCommands],
  ['Error: too many unauthenticated commands', replies.tooManyCommands],
])

const isEnhanced = (data: unknown): boolean =>
  typeof data === 'string' && /^[245]\.\d{1,3}\.\d{1,3} /.test(data)

interface Guarding {
  guard: LineGuard
  refuse: () => void
}

function guarded<Parser extends SmtpConnection['_parser']>(
  parser: Parser,
  { guard, refuse }: Guarding,
): Parser {
  if (parser === false) return parser
  const write = parser.write.bind(parser) as (chunk: Buffer) => boolean
  parser.write = (chunk: Buffer): boolean => {
    if (!guard.inspect(chunk)) {
      refuse()
      return true
    }
    return write(chunk)
  }
  return parser
}

/** An envelope is an object of its own, so that RSET, EHLO and a sent mail forget the refusal. */
function refuseAfterRefusedRecipient(connection: SmtpConnection, refuse: () => void): void {
  const refused = new WeakSet<object>()
  const [rcpt, data] = [connection.handler_RCPT, connection.handler_DATA]
  connection.handler_RCPT = (command, done) => {
    const { envelope } = connection.session
    const before = envelope.rcptTo.length
    const { send } = connection
    let isRefused = false
    connection.send = (code, ...rest) => {
      isRefused ||= code >= 400
      send(code, ...rest)
    }
    rcpt.call(connection, command, () => {
      connection.send = send
      if (isRefused && envelope.mailFrom && envelope.rcptTo.length === before) refused.add(envelope)
      done()
    })
  }
  connection.handler_DATA = (command, done) => {
    if (!refused.has(connection.session.envelope)) return data.call(connection, command, done)
    refuse()
    done()
  }
}
