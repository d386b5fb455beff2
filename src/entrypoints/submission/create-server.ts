/** Makes the SMTP server of one port: what it offers, and which session answers what. */
import type { Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { limits } from '../../contract/limits.ts'
import { parseMailbox } from '../../ground/address.ts'
import { smtpServerOptions } from '../../mail/smtp-server/smtp-server-options.ts'
import type { Sessions } from './sessions.ts'
import { asError, replies, type SmtpReply } from './smtp-replies.ts'
import type { SubmissionOptions } from './submission-options.ts'

/** RFC 5321 4.5.3.2.7: a server waits five minutes for a command. */
const idleMs = 5 * 60_000
const recipientsMax = 1_000
/** Of MAIL: RFC 1870 3, RFC 6152 2, RFC 6531 3.4, RFC 4954 5. RCPT has none without DSN. */
const mailParameters = new Set(['SIZE', 'BODY', 'SMTPUTF8', 'AUTH'])

/** A server that is to listen: on a port for TLS from the first byte, or on one without. */
export function createServer(
  sessions: Sessions,
  { name, tls }: SubmissionOptions,
  secure: boolean,
): SMTPServer {
  const server: SMTPServer = new SMTPServer({
    ...{ name, secure, ...tls, minVersion: 'TLSv1.2' },
    disabledCommands: ['WIZ', 'SHELL', 'KILL', ...(tls && !secure ? [] : ['STARTTLS'])],
    authMethods: ['PLAIN', 'LOGIN'],
    // session-rules.ts refuses AUTH where a password may not travel.
    allowInsecureAuth: true,
    authRequiredMessage: '5.7.0 Authentication required',
    hideENHANCEDSTATUSCODES: false,
    hideDSN: true,
    ...smtpServerOptions,
    size: limits.emailBodyBytes,
    maxRecipients: recipientsMax,
    socketTimeout: idleMs,
    onConnect: (session, answer) => answer(refusalIn(sessions.greet(session))),
    onClose: sessions.forget,
    onAuth({ username, password }, session, answer) {
      const [user, key] = [username ?? '', password ?? '']
      void sessions
        .logIn(session, { user, password: key })
        .then((refused) => answer(refusalIn(refused), refused ? undefined : { user }))
    },
    onMailFrom({ args }, _session, answer) {
      const isKnown = Object.keys(args || {}).every((parameter) => mailParameters.has(parameter))
      const refused = isKnown ? null : replies.unknownParameter
      answer(refusalIn(sessions.isClosing() ? replies.stopping : refused))
    },
    onRcptTo({ address, args }, _session, answer) {
      if (args) return answer(asError(replies.unknownParameter))
      answer('rule' in parseMailbox(address) ? asError(replies.badRecipient) : null)
    },
    onData(stream, session, answer) {
      void sessions.take(stream, session, (reply) => {
        if (reply?.code === 250) return answer(null, reply.text)
        answer(asError(reply ?? replies.internal))
      })
    },
  })
  // A connection is added before it greets, so that the rules see its first byte.
  const { connections } = server
  const add = connections.add.bind(connections)
  connections.add = (connection) => {
    sessions.begin(connection)
    return add(connection)
  }
  // Clients' errors, such as broken connections and failed handshakes: without a listener they
  // would end the process.
  server.on('error', () => undefined)
  const [serve] = server.server.listeners('connection')
  server.server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    // Node breaks where a socket has ended below TLS that is being set up.
    const destroy = () => (server._pendingSockets.get(socket) ?? socket).destroy()
    if (sessions.accept(socket, destroy)) serve?.call(server.server, socket)
  })
  return server
}

const refusalIn = (reply: SmtpReply | null): Error | null => reply && asError(reply)
