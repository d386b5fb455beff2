/**
 * One question to one name server (RFC 1035 4.2, 7.3): over UDP from a port of its own, over TCP
 * when the answer did not fit.
 *
 * 1. A random identifier and a fresh socket, so that an answer from elsewhere has 32 bits to guess
 *    (RFC 5452 4.2, 4.5).
 * 2. EDNS(0) with the DO bit (RFC 6891, RFC 3225), and once without where the server knows nothing
 *    of it.
 * 3. A datagram without our identifier, our question and the response bit is not an answer: we wait
 *    further (RFC 5452 9.1).
 */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import {
  AUTHENTIC_DATA,
  decode,
  DNSSEC_OK,
  encode,
  RECURSION_DESIRED,
  type DecodedPacket,
} from 'dns-packet'
import type { LookupFailure, RecordType } from './lookup.ts'
import type { NameServer } from './servers.ts'

export interface DnsQuestion {
  /** Lower case, without the last dot. */
  name: string
  type: RecordType
}

/** `rcode` 0 is NOERROR, 3 is NXDOMAIN; every other ends as a failure. */
export type Exchanged = { packet: DecodedPacket; rcode: 0 | 3 } | { why: LookupFailure }

/** The size of a datagram that the network does not cut, in bytes (DNS flag day 2020). */
const payloadMax = 1232

/** Never rejects; ends within `timeoutMs` over UDP, and as long again when TCP is needed. */
export async function exchange(
  server: NameServer,
  question: DnsQuestion,
  timeoutMs: number,
): Promise<Exchanged> {
  const first = await ask(server, question, { edns: true, timeoutMs })
  // RFC 6891 7: a server that does not know EDNS says FORMERR or NOTIMP.
  const plain = 'packet' in first && (rcodeOf(first.packet) === 1 || rcodeOf(first.packet) === 4)
  const reply = plain ? await ask(server, question, { edns: false, timeoutMs }) : first
  if (!('packet' in reply)) return reply
  const rcode = rcodeOf(reply.packet)
  if (rcode === 0 || rcode === 3) return { packet: reply.packet, rcode }
  return { why: rcode === 2 ? 'servfail' : rcode === 5 ? 'refused' : 'malformed' }
}

const rcodeOf = ({ flags = 0 }: DecodedPacket): number => flags & 0xf

type Reply = { packet: DecodedPacket } | { why: LookupFailure }

async function ask(
  server: NameServer,
  question: DnsQuestion,
  how: { edns: boolean; timeoutMs: number },
): Promise<Reply> {
  const id = randomInt(0x10000)
  const bytes = encodeQuestion(id, question, how.edns)
  const over = {
    server,
    bytes,
    timeoutMs: how.timeoutMs,
    read: (answer: Buffer) => readAnswer(answer, id, question),
  }
  const reply = await overUdp(over)
  return 'packet' in reply && reply.packet.flag_tc ? overTcp(over) : reply
}

/** The AD bit in a question asks for the one in the answer (RFC 6840 5.7). */
function encodeQuestion(id: number, question: DnsQuestion, edns: boolean): Buffer {
  return encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED | AUTHENTIC_DATA,
    questions: [{ ...question, class: 'IN' }],
    additionals: edns
      ? [
          {
            ...{
              type: 'OPT',
              name: '.',
              udpPayloadSize: payloadMax,
              extendedRcode: 0,
              ednsVersion: 0,
            },
            ...{ flags: DNSSEC_OK, flag_do: true, options: [] },
          },
        ]
      : [],
  })
}

/** Null if it answers something else, and the true answer may still come. */
function readAnswer(bytes: Buffer, id: number, question: DnsQuestion): Reply | null {
  if (bytes.length < 12 || bytes.readUInt16BE(0) !== id) return null
  try {
    const packet = decode(bytes)
    const [requests, ...more] = packet.questions ?? []
    const ours =
      packet.flag_qr &&
      requests?.name.toLowerCase() === question.name &&
      requests.type === question.type &&
      more.length === 0
    return ours ? { packet } : refusesUnread(packet) ? { packet } : null
  } catch {
    return { why: 'malformed' }
  }
}

/** A server that could not read the question does not repeat it. */
const refusesUnread = (packet: DecodedPacket): boolean =>
  packet.flag_qr &&
  (packet.questions ?? []).length === 0 &&
  (rcodeOf(packet) === 1 || rcodeOf(packet) === 4)

interface Way {
  server: NameServer
  bytes: Buffer
  timeoutMs: number
  read(answer: Buffer): Reply | null
}

function overUdp({ server, bytes, timeoutMs, read }: Way): Promise<Reply> {
  return new Promise((resolve) => {
    const socket = createSocket(server.family === 6 ? 'udp6' : 'udp4')
    const end = (reply: Reply): void => {
      clearTimeout(timer)
      socket.removeAllListeners('message')
      resolve(reply)
      // An error of an abandoned socket does not matter, but without a listener it would end the
      // process.
      socket.removeAllListeners('error').on('error', () => undefined)
      socket.close()
    }
    const timer = setTimeout(() => end({ why: 'timeout' }), timeoutMs)
    socket.on('error', () => end({ why: 'unreachable' }))
    socket.on('message', (answer) => {
      const reply = read(answer)
      // A forged packet with a guessed identifier must not end the wait; the server's own answer is
      // well formed.
      if (reply && 'packet' in reply) end(reply)
    })
    // A connected socket ignores packets from other addresses, and reports a closed port at once.
    socket.connect(server.port, server.address, () => {
      socket.send(bytes, (error) => {
        if (error) end({ why: 'unreachable' })
      })
    })
  })
}

/** Two octets of length go in front (RFC 1035 4.2.2). */
function overTcp({ server, bytes, timeoutMs, read }: Way): Promise<Reply> {
  return new Promise((resolve) => {
    const socket = connect({ host: server.address, port: server.port, noDelay: true })
    const end = (reply: Reply): void => {
      clearTimeout(timer)
      resolve(reply)
      socket.destroy()
    }
    const timer = setTimeout(() => end({ why: 'timeout' }), timeoutMs)
    let buffered = Buffer.alloc(0)
    socket.on('error', () => end({ why: 'unreachable' }))
    socket.on('close', () => end({ why: 'unreachable' }))
    socket.on('data', (chunk) => {
      buffered = Buffer.concat([buffered, chunk])
      if (buffered.length < 2 || buffered.length < 2 + buffered.readUInt16BE(0)) return
      end(read(buffered.subarray(2, 2 + buffered.readUInt16BE(0))) ?? { why: 'malformed' })
    })
    const length = Buffer.alloc(2)
    length.writeUInt16BE(bytes.length)
    socket.write(Buffer.concat([length, bytes]))
  })
}
