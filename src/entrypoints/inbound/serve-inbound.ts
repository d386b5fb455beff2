/**
 * The SMTP port for returning mail: bounces, complaints, unsubscribes, reports (security: inbound
 * mail, reports by mail).
 *
 * 1. RCPT: the address must be one of ours, by its signature, or a fixed one for reports; otherwise
 *    550, without a look-up. Nothing is ever relayed or bounced. The host of an address says
 *    nothing: what leads here is a matter of MX records.
 * 2. DATA: up to 2 MB, or 5 MB of a report, parsed in a thread that may be stopped.
 * 3. The report is stored; only then 250. On any error of ours 451: the sender keeps the mail and
 *    tries again.
 */
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { waitAtMost } from '../../ground/clock.ts'
import { ofWorkspace } from '../../core/databases.ts'
import type { Service } from '../../core/context.ts'
import {
  receiveDmarcReport,
  receiveTlsReport,
  type ReceivedDomainReport,
} from '../../core/domain-reports/receive-domain-report.ts'
import { receiveComplaint, type ReceivedComplaint } from '../../core/feedback/receive-complaint.ts'
import { receiveReturnedMail } from '../../core/feedback/receive-returned-mail.ts'
import { reportKindOf } from '../../mail/reports/report-addresses.ts'
import { answerHalfClosed } from '../../mail/smtp-server/answer-half-closed.ts'
import { smtpServerOptions } from '../../mail/smtp-server/smtp-server-options.ts'
import { readIncomingMail } from '../../mail/smtp-server/read-incoming-mail.ts'
import { createConnectionLimits, type ConnectionLimits } from './connection-limits.ts'
import { createMailReader, type MailReader } from './read-in-threads.ts'
import type { InboundKind, MailRead } from './read-thread.ts'

export interface InboundOptions {
  host: string
  /** 0 asks the system for a free one. */
  port: number
  /** Our name in the greeting. Absent means the machine's. */
  name?: string
  /** For STARTTLS, as PEM. Null if STARTTLS is not offered. */
  tls: { key: string; cert: string } | null
  /** Counts the outcome of each mail and each refused command, for metrics. */
  ends: { inc(labels: { outcome: InboundEnd }): void }
}

/** The result for one recipient of a mail: recorded, ignored for a reason, or not taken. */
export type InboundEnd =
  | ReceivedComplaint
  | ReceivedDomainReport
  | 'bad_address'
  | 'too_large'
  | 'too_many'
  | 'unreadable'
  | 'busy'
  | 'error'
  | 'broken_off'

export interface ServedInbound {
  host: string
  port: number
  /** Accepts no new mail, and waits up to `withinMs` for mails under way. */
  close(withinMs: number): Promise<void>
}

/** A notice may hold the mail that it returns, and what matters stands before it. */
const bytesMax = 2_000_000
/**
 * A complaint may return the whole mail, whose body the signature covers: most mails with files
 * fit. More would need several times its memory in a thread, and the smallest host has 512 MB.
 */
const reportBytesMax = 5_000_000
const recipientsMax = 5
/** Beyond our own limit of connections: those that were not greeted yet count too. */
const clientsMax = 200
const idleMs = 60_000
/** Longest life of a connection, even of one that sends steadily. */
const connectionMs = 15 * 60_000
/** Limit of unknown addresses in one connection, which slows down clients that guess addresses. */
const badAddressesMax = 10

/** Listens; rejects with the system's error (EADDRINUSE…) when it cannot. */
export async function serveInbound(
  service: Service,
  options: InboundOptions,
): Promise<ServedInbound> {
  const reader = createMailReader({ clock: service.clock })
  const rateLimits = createConnectionLimits(service.clock)
  const since = new Map<string, number>()
  const bad = new Map<string, number>()
  const taking = new Set<Promise<void>>()
  let isClosing = false
  const server = new SMTPServer({
    ...(options.name === undefined ? {} : { name: options.name }),
    ...options.tls,
    disabledCommands: options.tls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    authOptional: true,
    ...smtpServerOptions,
    size: reportBytesMax,
    maxRecipients: recipientsMax,
    maxClients: clientsMax,
    socketTimeout: idleMs,
    onConnect(session, answer) {
      since.set(session.id, service.clock.monotonicMs())
      const opened = rateLimits.open(session.id, session.remoteAddress)
      if (opened) {
        endSessions(opened.ends)
        return answer()
      }
      options.ends.inc({ outcome: 'too_many' })
      answer(refusal(421, '4.7.0 Too many connections from this address'))
    },
    onClose(session) {
      rateLimits.close(session.id)
      since.delete(session.id)
      bad.delete(session.id)
    },
    onMailFrom(_address, _session, answer) {
      answer(isClosing ? refusal(421, '4.3.2 Stopping') : null)
    },
    onRcptTo({ address }, session, answer) {
      if (kindOf(service, address) !== null) return answer()
      const count = (bad.get(session.id) ?? 0) + 1
      bad.set(session.id, count)
      options.ends.inc({ outcome: 'bad_address' })
      service.log.info(
        { from: session.remoteAddress, why: 'bad_address' },
        'A mail to an unknown return address was refused',
      )
      answer(
        count < badAddressesMax
          ? refusal(550, '5.1.1 No such address here')
          : refusal(421, '4.7.0 Too many addresses that are not here'),
      )
    },
    onData(stream, session, answer) {
      rateLimits.markTaking(session.id, true)
      const taken = take(
        { service, reader, rateLimits, options, endSessions },
        stream,
        session,
      ).then(
        (error) => answer(error),
        (error: unknown) => {
          options.ends.inc({ outcome: 'error' })
          service.log.error(
            { err: error, from: session.remoteAddress },
            'A returned mail was not accepted; its sender tries again',
          )
          answer(refusal(451, '4.3.0 Not now, please try again'))
        },
      )
      taking.add(taken)
      void taken.finally(() => {
        taking.delete(taken)
        rateLimits.markTaking(session.id, false)
      })
    },
  })
  // Clients' errors, such as broken connections and failed handshakes: without a listener they
  // would end the process.
  server.on('error', (error) =>
    service.log.debug({ err: error }, 'A connection to the inbound port broke'),
  )
  server.server.on('connection', (socket) => answerHalfClosed(socket.setNoDelay(true)))
  const endSessions = (ends: string[]): void => {
    for (const connection of server.connections) {
      if (ends.includes(connection.session.id))
        connection.send(421, '4.3.2 Others wait, please try again')
    }
  }
  const polling = setInterval(() => {
    const before = service.clock.monotonicMs() - connectionMs
    for (const connection of server.connections) {
      if ((since.get(connection.session.id) ?? Infinity) < before)
        connection.send(421, '4.4.2 Enough for now')
    }
  }, 30_000)
  await listen(server, options)
  // It listens on a port, not on a pipe.
  const { address, port } = server.server.address() as AddressInfo
  return {
    host: address,
    port,
    async close(withinMs) {
      server.server.close()
      clearInterval(polling)
      isClosing = true
      await waitAtMost(service.clock, withinMs, Promise.all(taking))
      // RFC 5321 3.8: each open connection receives 421 with the reason before it is closed.
      for (const connection of server.connections) connection.send(421, '4.3.2 Stopping')
      await reader.close()
    },
  }
}

function listen(server: SMTPServer, { host, port }: InboundOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}

interface Parts {
  service: Service
  reader: MailReader
  rateLimits: ConnectionLimits
  options: InboundOptions
  endSessions: (ends: string[]) => void
}

/** Returns the refusal to reply instead of 250. Null if the report is committed. */
async function take(
  parts: Parts,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<Error | null> {
  const { service, reader, rateLimits, options, endSessions } = parts
  const kinds = [
    ...new Set(session.envelope.rcptTo.flatMap(({ address }) => kindOf(service, address) ?? [])),
  ]
  const memory = rateLimits.memoryOf(session.remoteAddress)
  const raw = await readIncomingMail(stream, {
    memory,
    bytesMax: kinds.includes('returned') ? bytesMax : reportBytesMax,
  })
  if (typeof raw === 'string') {
    options.ends.inc({ outcome: raw })
    // The sender comes again, and finds their memory free.
    if (raw === 'busy') endSessions(rateLimits.endOverdue())
    return raw === 'too_large'
      ? refusal(552, '5.3.4 Too large')
      : refusal(451, '4.3.2 Busy, please try again')
  }
  try {
    if (!rateLimits.takeMail(session.remoteAddress)) {
      options.ends.inc({ outcome: 'too_many' })
      return refusal(451, '4.7.0 Too many mails from this address, please try again')
    }
    await service.failpoints?.hit('inbound.before_read')
    const mails: ReadMail[] = []
    for (const kind of kinds) {
      const read = await reader.read(raw, kind, session.remoteAddress)
      if (read === null) {
        options.ends.inc({ outcome: 'busy' })
        return refusal(451, '4.3.2 Busy, please try again')
      }
      if ('unreadable' in read) {
        options.ends.inc({ outcome: 'unreadable' })
        service.log.warn(
          { from: session.remoteAddress, bytes: raw.length, why: read.unreadable, kind },
          'A returned mail could not be read',
        )
        return refusal(554, '5.6.0 This mail cannot be read')
      }
      mails.push(read)
    }
    for (const read of mails) await takeAs(parts, { read, raw, session })
    await service.failpoints?.hit('inbound.before_answer')
    return null
  } finally {
    memory.release(raw.length)
  }
}

type ReadMail = Exclude<MailRead, { unreadable: string }>

interface TakenMail<Read extends ReadMail = ReadMail> {
  read: Read
  raw: Buffer
  session: SMTPServerSession
}

/** A report is taken once, however often its address stands in the envelope. */
async function takeAs(parts: Parts, { read, raw, session }: TakenMail): Promise<void> {
  if (read.kind !== 'returned') return takeReport(parts, { read, raw, session })
  for (const { address } of session.envelope.rcptTo)
    await takeFor(parts, { address, read, raw, session })
}

/** Called for one recipient after the other: there are five at most, usually of one workspace. */
async function takeFor(
  { service, options }: Parts,
  mail: { address: string } & TakenMail<Extract<ReadMail, { kind: 'returned' }>>,
): Promise<void> {
  const { address, read, raw, session } = mail
  const token = localPartOf(address).toLowerCase()
  const named = service.verp.read(token)
  if (named === null) return
  const at = await ofWorkspace(service, named.subject.workspaceId)
  const taken = await receiveReturnedMail(at, { ...named, token, ...read, raw })
  options.ends.inc({ outcome: taken })
  const { workspaceId } = named.subject
  service.log.info(
    { from: session.remoteAddress, workspaceId, says: read.mail.kind, taken },
    'A returned mail was read',
  )
}

async function takeReport(
  { service, options }: Parts,
  { read, raw, session }: TakenMail<Exclude<ReadMail, { kind: 'returned' }>>,
): Promise<void> {
  const taken = await receiveReport(service, read, raw)
  options.ends.inc({ outcome: taken })
  service.log.info({ from: session.remoteAddress, kind: read.kind, taken }, 'A report was read')
}

function receiveReport(
  service: Service,
  read: Exclude<ReadMail, { kind: 'returned' }>,
  raw: Buffer,
): Promise<ReceivedComplaint | ReceivedDomainReport> {
  switch (read.kind) {
    case 'fbl':
      return receiveComplaint(service, { report: read.report, digest: read.digest, raw })
    case 'dmarc':
      return receiveDmarcReport(service, read)
    case 'tlsrpt':
      return receiveTlsReport(service, read)
  }
}

/** Null means no address of ours. */
const kindOf = ({ verp }: Pick<Service, 'verp'>, address: string): InboundKind | null =>
  verp.read(localPartOf(address)) === null ? reportKindOf(localPartOf(address)) : 'returned'

/** A reply instead of 250; `text` begins with its enhanced status code (RFC 2034 4). */
const refusal = (responseCode: number, text: string): Error =>
  Object.assign(new Error(text), { responseCode })

const localPartOf = (address: string): string => address.slice(0, address.lastIndexOf('@'))
