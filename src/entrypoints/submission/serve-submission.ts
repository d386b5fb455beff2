/**
 * The SMTP ports for mail of programs that speak no HTTP (RFC 6409): `POST /emails` by another way
 * (semantics 7).
 *
 * 1. AUTH: the password is an API key. Without TLS only on this machine.
 * 2. RCPT: any address is taken; what the send refuses, it refuses for the whole mail.
 * 3. DATA: up to the bytes of a call, parsed in a thread that may be stopped, and sent by the
 *    dispatcher. 250 with the id after the commit.
 */
import type { AddressInfo, Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { limits } from '../../contract/limits.ts'
import { createConnectionCounts } from '../../core/connection-counts.ts'
import type { Service } from '../../core/context.ts'
import { countInEachDatabase } from '../../core/dispatch/count-request.ts'
import { createDispatch } from '../../core/dispatch/dispatch.ts'
import { leadsHere } from '../../core/identity/session-token.ts'
import type { Intake } from '../../core/intake.ts'
import { createThreadReader } from '../../core/read-in-threads.ts'
import { parseMailbox } from '../../ground/address.ts'
import { waitAtMost } from '../../ground/clock.ts'
import { mailsHeldMax, memoryOfProcess } from '../../ground/memory-bounds.ts'
import { isLoopback } from '../../mail/smtp-client/relay.ts'
import { answerHalfClosed } from '../../mail/smtp-server/answer-half-closed.ts'
import { authenticate } from './authenticate.ts'
import { createMailRoom } from './mail-room.ts'
import type { SubmissionRead } from './read-submission-thread.ts'
import { applyRules, type SmtpConnection, type SessionRules } from './session-rules.ts'
import { asError, replies, type SmtpReply } from './smtp-replies.ts'
import { takeMail, type TakingParts } from './take-mail.ts'

/** In PEM. */
export interface Certificate {
  key: string
  cert: string
}

export interface SubmissionOptions {
  host: string
  /** Our name in the greeting. */
  name: string
  /** Without TLS, or with STARTTLS where there is a certificate; null: none. 0: any free port. */
  port: number | null
  /** With TLS from the first byte (RFC 8314 3.3); null: none. */
  tlsPort: number | null
  tls: Certificate | null
  /** Why nothing new is accepted now. */
  intake: Intake
  /** Counts the end of each mail and each refused login, for metrics. */
  ends: TakingParts['ends']
}

export interface ServedSubmission {
  host: string
  port: number | null
  tlsPort: number | null
  /** From the next handshake on. */
  renew(certificate: Certificate): void
  /** Accepts no new mail, and waits up to `withinMs` for mails under way. */
  close(withinMs: number): Promise<void>
}

/** Programs of a team behind one address share these. */
const sendersBounds = { connectionsMax: 200, clientsMax: 1_000 }
/** Until they have logged in: they take no place of those who have. */
const strangersBounds = { connectionsMax: 100, clientsMax: 400 }
/** Sockets before their greeting, such as those whose TLS has not begun: more than may greet. */
const socketsBounds = { connectionsMax: 200, clientsMax: 500 }
/** RFC 5321 4.5.3.2.7: a server waits five minutes for a command. */
const idleMs = 5 * 60_000
/** A client logs in within this time. */
const strangerMs = 60_000
const recipientsMax = 1_000
const failedLoginsMax = 3
/** Mails that wait for a thread. */
const waitingMax = 1_000

/** Listens; rejects with the system's error (EADDRINUSE…) when it cannot. */
export async function serveSubmission(
  service: Service,
  options: SubmissionOptions,
): Promise<ServedSubmission> {
  const sessions = createSessions(service, options)
  const servers: SMTPServer[] = []
  const open = async (port: number | null, secure: boolean): Promise<number | null> => {
    if (port === null) return null
    const server = createServer(sessions, options, secure)
    const bound = await listen(server, options.host, port)
    servers.push(server)
    return bound
  }
  const close = async (withinMs: number): Promise<void> => {
    for (const { server } of servers) server.close()
    await sessions.close(withinMs)
  }
  try {
    const port = await open(options.port, false)
    const tlsPort = await open(options.tlsPort, true)
    const renew = (certificate: Certificate): void =>
      servers.forEach((server) => server.updateSecureContext({ ...certificate }))
    return { host: options.host, port, tlsPort, renew, close }
  } catch (error) {
    await close(0)
    throw error
  }
}

function listen(server: SMTPServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      // It listens on a port, not on a pipe.
      resolve((server.server.address() as AddressInfo).port)
    })
  })
}

/** A connection, from its greeting to its end. */
interface Session {
  connection: SmtpConnection
  rules: SessionRules
  sinceMs: number
  login: { workspaceId: number; password: string } | null
  failedLogins: number
}

type Sessions = ReturnType<typeof createSessions>

/** The connections of all ports, and the work for them. */
function createSessions(service: Service, { ends, intake }: SubmissionOptions) {
  const { clock, log, settings } = service
  const countRequest = countInEachDatabase(service)
  const dispatch = createDispatch(service, countRequest, intake)
  const reader = createThreadReader<Uint8Array, SubmissionRead>({
    ...{ clock, waitingMax },
    openWorker: (given) =>
      new Worker(new URL('./read-submission-thread.ts', import.meta.url), given),
  })
  const taking: TakingParts = {
    ...{ service, dispatch, ends },
    read(raw, workspaceId) {
      // Memory of its own goes to the thread; small buffers share theirs with others.
      const own = raw.buffer.byteLength > Buffer.poolSize ? raw : new Uint8Array(raw)
      return reader.read(own, String(workspaceId), [own.buffer as ArrayBuffer])
    },
  }
  const room = createMailRoom(mailsHeldMax(memoryOfProcess()))
  const strangers = createConnectionCounts(clock, strangersBounds)
  const senders = createConnectionCounts(clock, sendersBounds)
  const sockets = createConnectionCounts(clock, socketsBounds)
  /** Sockets before their greeting, by `nameOf`. */
  const coming = new Map<string, { sinceMs: number; destroy: () => void }>()
  const known = new Map<string, Session>()
  const underWay = new Set<Promise<void>>()
  let isClosing = false

  const end = (ids: Iterable<string>, { code, text }: SmtpReply): void => {
    for (const id of ids) known.get(id)?.connection.send(code, text)
  }
  const leave = (socket: string): void => {
    coming.delete(socket)
    sockets.close(socket)
  }
  const sweeping = setInterval(() => {
    const before = clock.monotonicMs() - strangerMs
    for (const { sinceMs, destroy } of [...coming.values()]) if (sinceMs < before) destroy()
    const slow = [...known].filter(([, { login, sinceMs }]) => login === null && sinceMs < before)
    end(
      slow.map(([id]) => id),
      replies.tooSlow,
    )
  }, 5_000)
  const isLocal = leadsHere(settings.baseUrl)

  return {
    isClosing: () => isClosing,
    /**
     * A connection as the system gives it; false: it ends. `destroy` ends TLS upon it before it.
     */
    accept(socket: Socket, destroy: () => void): boolean {
      const name = nameOf(socket)
      // One that was reset already has no address.
      const opened = socket.remoteAddress ? sockets.open(name, socket.remoteAddress) : null
      if (opened === null) {
        socket.destroy()
        return false
      }
      for (const other of opened.ends) coming.get(other)?.destroy()
      coming.set(name, { sinceMs: clock.monotonicMs(), destroy })
      socket.once('close', () => leave(name))
      answerHalfClosed(socket.setNoDelay(true))
      return true
    },
    /** Before the connection has said or read anything. */
    begin(connection: SmtpConnection): void {
      const mayAuthenticate = (): boolean =>
        connection.secure || (isLocal && isLoopback(connection.remoteAddress))
      known.set(connection.id, {
        ...{ connection, rules: applyRules(connection, mayAuthenticate) },
        ...{ sinceMs: clock.monotonicMs(), login: null, failedLogins: 0 },
      })
    },
    /** The refusal of a connection; null: it may go on. */
    greet({ id, remoteAddress }: SMTPServerSession): SmtpReply | null {
      const session = known.get(id)
      if (session) leave(nameOf(session.connection._socket))
      const opened = strangers.open(id, remoteAddress)
      end(opened?.ends ?? [], replies.tooManyConnections)
      return opened ? null : replies.tooManyConnections
    },
    forget({ id }: SMTPServerSession): void {
      known.delete(id)
      strangers.close(id)
      senders.close(id)
    },
    /** The refusal of a login; null: the key may send. */
    async logIn(
      { id, remoteAddress: address }: SMTPServerSession,
      { user, password }: { user: string; password: string },
    ): Promise<SmtpReply | null> {
      const session = known.get(id)
      if (!session) return replies.stopping
      const asked = authenticate(service, countRequest, { user, password, address })
      const found = await asked.catch((error: unknown) => {
        log.error({ err: error }, 'A login by SMTP could not be checked; its client tries again')
        return null
      })
      if (found === null) return replies.notNow
      if (typeof found === 'object') {
        strangers.close(id)
        // A client that logs in again inside TLS is the same.
        senders.close(id)
        const opened = senders.open(id, address)
        end(opened?.ends ?? [], replies.tooManyConnections)
        if (!opened) return replies.tooManyConnections
        session.login = { ...found, password }
        return null
      }
      ends.inc({ outcome: found === 'throttled' ? 'login_throttled' : 'login_refused' })
      log.info({ from: address, why: found }, 'A login by SMTP was refused')
      if (++session.failedLogins >= failedLoginsMax) return replies.tooManyLogins
      return found === 'throttled' ? replies.throttled : replies.wrongKey
    },
    /** Answers a mail; null: the client is gone. Nothing ends its session before the reply. */
    async take(
      stream: SMTPServerDataStream,
      session: SMTPServerSession,
      answer: (reply: SmtpReply | null) => void,
    ): Promise<void> {
      const { login, rules } = known.get(session.id) ?? {}
      if (!login || !rules) {
        stream.resume()
        return answer(null)
      }
      senders.markTaking(session.id, true)
      const taken = takeMail(taking, stream, {
        ...{ session, login, isDataBroken: rules.isDataBroken, memory: room.enter() },
        onWhole: () => senders.markWhole(session.id),
      })
      const answered = taken.then(answer, (error: unknown) => {
        ends.inc({ outcome: 'error' })
        log.error({ err: error }, 'A mail by SMTP was not taken; its client tries again')
        answer(replies.internal)
      })
      underWay.add(answered)
      await answered
      underWay.delete(answered)
      senders.markTaking(session.id, false)
      // The client comes again, and finds the memory of mails that took their time.
      if ((await taken.catch(() => null)) === replies.busy)
        end(senders.endOverdue(), replies.tooSlow)
    },
    async close(withinMs: number): Promise<void> {
      clearInterval(sweeping)
      isClosing = true
      await waitAtMost(clock, withinMs, Promise.all(underWay))
      // RFC 5321 3.8: each open connection receives 421 with the reason before it is closed.
      end([...known.keys()], replies.stopping)
      await reader.close()
    },
  }
}

function createServer(
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
    disableReverseLookup: true,
    size: limits.emailBodyBytes,
    rejectOversized: true,
    maxRecipients: recipientsMax,
    maxCommandLength: 4_096,
    socketTimeout: idleMs,
    logger: false,
    allowHalfOpen: true,
    onSecure(socket, _session, answer) {
      answerHalfClosed(socket)
      answer()
    },
    onConnect: (session, answer) => answer(refusalIn(sessions.greet(session))),
    onClose: sessions.forget,
    onAuth({ username, password }, session, answer) {
      const [user, key] = [username ?? '', password ?? '']
      void sessions
        .logIn(session, { user, password: key })
        .then((refused) => answer(refusalIn(refused), refused ? undefined : { user }))
    },
    onMailFrom(_address, _session, answer) {
      answer(sessions.isClosing() ? asError(replies.stopping) : null)
    },
    onRcptTo({ address }, _session, answer) {
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

/** The same for a socket and TLS upon it, and of no other that is open. */
const nameOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  [localAddress, localPort, remoteAddress, remotePort].join(' ')

const refusalIn = (reply: SmtpReply | null): Error | null => reply && asError(reply)
