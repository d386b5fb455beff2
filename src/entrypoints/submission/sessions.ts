/**
 * Holds the connections of all submission ports: their logins, their mails under way, their end.
 */
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { createConnectionCounts } from '../../core/connection-counts.ts'
import type { Service } from '../../core/context.ts'
import { countInEachDatabase } from '../../core/dispatch/count-request.ts'
import { createDispatch } from '../../core/dispatch/dispatch.ts'
import { waitAtMost } from '../../ground/clock.ts'
import { isLoopback, leadsHere } from '../../ground/is-loopback.ts'
import { mailBytesMax, memoryOfProcess } from '../../ground/memory-bounds.ts'
import { authenticate } from './authenticate.ts'
import { createMailMemory } from './mail-memory.ts'
import { createIncomingMails } from './incoming-mails.ts'
import { createSubmissionReader } from './read-together.ts'
import { applyRules, type SmtpConnection, type SubmissionSession } from './session-rules.ts'
import { createSilentSockets } from './silent-sockets.ts'
import { replies, type SmtpReply } from './smtp-replies.ts'
import type { SubmissionOptions } from './submission-options.ts'
import { takeMail, type TakingParts } from './take-mail.ts'

/** Programs of a team behind one address share these. */
const sendersBounds = { connectionsMax: 200, clientsMax: 1_000 }
/** Until they have logged in: they take no place of those who have. */
const strangersBounds = { connectionsMax: 100, clientsMax: 400 }
/** A client logs in within this time. */
const strangerMs = 60_000
const failedLoginsMax = 3

export type Sessions = ReturnType<typeof createSessions>

/** The connections of all ports, and the work for them. */
export function createSessions(
  service: Service,
  { ends, intake, bufferedBytesMax = mailBytesMax(memoryOfProcess()) }: SubmissionOptions,
) {
  const { clock, log, settings } = service
  const countRequest = countInEachDatabase(service)
  const dispatch = createDispatch(service, countRequest, intake)
  const incoming = createIncomingMails((workspaceId) => service.sending.expect(workspaceId))
  const reader = createSubmissionReader(clock, incoming)
  const taking: TakingParts = { service, dispatch, ends, read: reader.read }
  const mailMemory = createMailMemory(bufferedBytesMax)
  const strangers = createConnectionCounts(clock, strangersBounds)
  const senders = createConnectionCounts(clock, sendersBounds)
  const sockets = createSilentSockets(clock)
  const known = new Map<string, SubmissionSession>()
  const underWay = new Set<Promise<void>>()
  let isClosing = false

  const end = (ids: Iterable<string>, { code, text }: SmtpReply): void => {
    for (const id of ids) known.get(id)?.connection.send(code, text)
  }
  const sweeping = setInterval(() => {
    const before = clock.monotonicMs() - strangerMs
    sockets.endSince(before)
    const slow = [...known].filter(([, { login, sinceMs }]) => login === null && sinceMs < before)
    const ids = slow.map(([id]) => id)
    end(ids, replies.tooSlow)
  }, 5_000)
  const isLocal = leadsHere(settings.baseUrl)

  return {
    isClosing: () => isClosing,
    accept: sockets.accept,
    /** Before the connection has said or read anything. */
    begin(connection: SmtpConnection): void {
      const mayAuthenticate = (): boolean =>
        connection.secure || (isLocal && isLoopback(connection.remoteAddress))
      known.set(connection.id, {
        ...{ connection, rules: applyRules(connection, mayAuthenticate) },
        ...{ sinceMs: clock.monotonicMs(), login: null, failedLogins: 0 },
      })
    },
    /** The refusal of a connection. Null if it may go on. */
    greet({ id, remoteAddress }: SMTPServerSession): SmtpReply | null {
      const session = known.get(id)
      if (session) sockets.greeted(session.connection._socket)
      const opened = strangers.open(id, remoteAddress)
      end(opened?.ends ?? [], replies.tooManyConnections)
      return opened ? null : replies.tooManyConnections
    },
    forget({ id }: SMTPServerSession): void {
      known.delete(id)
      strangers.close(id)
      senders.close(id)
    },
    /** The refusal of a login. Null if the key may send. */
    async logIn(
      { id, remoteAddress: address }: SMTPServerSession,
      { user, password }: { user: string; password: string },
    ): Promise<SmtpReply | null> {
      const session = known.get(id)
      if (!session) return replies.stopping
      const request = authenticate(service, countRequest, { user, password, address })
      const result = await request.catch((error: unknown) => {
        log.error({ err: error }, 'A login by SMTP could not be checked; its client tries again')
        return null
      })
      if (result === null) return replies.notNow
      if (typeof result === 'object') {
        strangers.close(id)
        // A client that logs in again inside TLS is the same.
        senders.close(id)
        const opened = senders.open(id, address)
        end(opened?.ends ?? [], replies.tooManyConnections)
        if (!opened) return replies.tooManyConnections
        session.login = { ...result, password }
        return null
      }
      ends.inc({ outcome: result === 'throttled' ? 'login_throttled' : 'login_refused' })
      log.info({ from: address, why: result }, 'A login by SMTP was refused')
      if (++session.failedLogins >= failedLoginsMax) return replies.tooManyLogins
      return result === 'throttled' ? replies.throttled : replies.wrongKey
    },
    /** Answers a mail. Null if the client is gone. Nothing ends its session before the reply. */
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
      const mail = incoming.begin(login.workspaceId)
      senders.markTaking(session.id, true)
      const taken = takeMail(taking, stream, {
        ...{ session, login, isDataBroken: rules.isDataBroken, memory: mailMemory.enter() },
        onWhole() {
          mail.whole()
          senders.markWhole(session.id)
        },
        onRead: mail.read,
      })
      const answered = taken.then(answer, (error: unknown) => {
        ends.inc({ outcome: 'error' })
        log.error({ err: error }, 'A mail by SMTP was not taken; its client tries again')
        answer(replies.internal)
      })
      underWay.add(answered)
      await answered
      underWay.delete(answered)
      mail.answered()
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
