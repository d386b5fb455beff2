/**
 * An authoritative name server for tests, over UDP and TCP on one port: zones are data, and any
 * name can be set to misbehave.
 *
 *   const dns = await startDnsServer({ names: { 'example.test': { MX: [{ preference: 10, exchange:
 *   'mx.example.test' }] } } }) dns.set('mx.example.test', { A: ['127.0.0.2'] })
 *   dns.misbehave('slow.test', 'hang')
 *
 * A name that nothing is said of is NXDOMAIN, or NODATA where names stand below it.
 */
import { createSocket } from 'node:dgram'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { after } from 'node:test'
import {
  AUTHENTIC_DATA,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  TRUNCATED_RESPONSE,
  type Answer,
  type Packet,
  type Question,
} from 'dns-packet'

/** The records of one name. A TXT is one string (split into parts of 255 octets), or its parts. */
export interface ZoneRecords {
  A?: string[]
  AAAA?: string[]
  MX?: { preference: number; exchange: string }[]
  TXT?: (string | string[])[]
  CNAME?: string
  NS?: string[]
  PTR?: string[]
  TLSA?: { usage: number; selector: number; matchingType: number; certificate: Buffer }[]
}

/**
 * - `truncate`: over UDP nothing but the TC bit
 * - `hang`: no answer
 * - `spoof`: first an answer of another identifier, another of another question, and one from
 *   another port; then the true one
 * - `garbage`: octets that are no message, with the right identifier
 * - `no_edns`: FORMERR to a query with an OPT record (RFC 6891 7)
 * - `half_alias`: a CNAME without what it leads to
 */
export type Misbehaviour =
  | 'servfail'
  | 'refused'
  | 'formerr'
  | 'truncate'
  | 'hang'
  | 'spoof'
  | 'garbage'
  | 'no_edns'
  | 'half_alias'

export interface Requested {
  name: string
  type: string
  over: 'udp' | 'tcp'
  id: number
  port: number
  edns: boolean
  dnssecOk: boolean
}

export interface DnsServer {
  /** `address:port`, as FACTEUR_DNS_SERVERS takes it. */
  address: string
  port: number
  /** Replaces all records of a name; null takes the name away. */
  set(name: string, records: ZoneRecords | null): void
  /** Null means well-behaved again. `*` is every name. */
  misbehave(name: string, how: Misbehaviour | null): void
  /**
   * A name of an unsigned zone: answers about it, or by an alias that leads there, are not
   * validated.
   */
  unsign(name: string): void
  /** The questions so far, in order. */
  queries: Requested[]
  /** Stops early: a port where nothing listens. */
  stop(): Promise<void>
}

export interface DnsServerOptions {
  /** Records of names. */
  names?: Record<string, ZoneRecords>
  /** Seconds of every record and denial. Default 0: nothing is cached. */
  ttl?: number
  /** Says that it validated its answers (the AD bit). Default false. */
  validates?: boolean
  /** Default: a free port of 127.0.0.1. */
  at?: { host: string; port: number }
}

/** Ends with the test file. */
export async function startDnsServer(options: DnsServerOptions = {}): Promise<DnsServer> {
  const world: World = {
    names: new Map(),
    bad: new Map(),
    ttl: options.ttl ?? 0,
    validates: options.validates ?? false,
    unsigned: new Set(),
  }
  for (const [name, records] of Object.entries(options.names ?? {}))
    world.names.set(name.toLowerCase(), records)
  const requests: Requested[] = []
  const { host, port: expected } = options.at ?? { host: '127.0.0.1', port: 0 }
  const tcp = createServer((socket) => answerStream(socket, world, requests))
  await new Promise<void>((resolve) => tcp.listen(expected, host, resolve))
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4')
  udp.on('message', (bytes, from) => {
    const question = readQuestion(bytes, requests, { over: 'udp', port: from.port })
    if (question)
      answerDatagrams(world, question, (answer) => udp.send(answer, from.port, from.address), from)
  })
  await new Promise<void>((resolve) => udp.bind(port, host, resolve))
  let stopped = false
  const stop = async (): Promise<void> => {
    if (stopped) return
    stopped = true
    await Promise.all([
      new Promise<void>((end) => udp.close(end)),
      new Promise((end) => tcp.close(end)),
    ])
  }
  after(stop)
  return {
    address: `${host}:${port}`,
    port,
    queries: requests,
    stop,
    set: (name, records) =>
      void (records
        ? world.names.set(name.toLowerCase(), records)
        : world.names.delete(name.toLowerCase())),
    unsign: (name) => void world.unsigned.add(name.toLowerCase()),
    misbehave: (name, how) =>
      void (how ? world.bad.set(name.toLowerCase(), how) : world.bad.delete(name.toLowerCase())),
  }
}

interface World {
  names: Map<string, ZoneRecords>
  bad: Map<string, Misbehaviour>
  ttl: number
  validates: boolean
  unsigned: Set<string>
}

interface ReadQuestion extends Requested {
  question: Question
}

function readQuestion(
  bytes: Buffer,
  requests: Requested[],
  { over, port }: Pick<Requested, 'over' | 'port'>,
): ReadQuestion | null {
  const packet = decode(bytes)
  const [question] = packet.questions ?? []
  if (!question) return null
  const opt = (packet.additionals ?? []).find((answer) => answer.type === 'OPT')
  const item = {
    ...{ name: question.name.toLowerCase(), type: question.type, over, port, id: packet.id ?? 0 },
    ...{ edns: opt !== undefined, dnssecOk: opt?.flag_do ?? false },
  }
  requests.push(item)
  return { ...item, question }
}

const badOf = (world: World, name: string): Misbehaviour | undefined =>
  world.bad.get(name) ?? world.bad.get('*')

function answerDatagrams(
  world: World,
  question: ReadQuestion,
  send: (bytes: Buffer) => void,
  from: { port: number; address: string },
): void {
  const bad = badOf(world, question.name)
  const answer = answerTo(world, question)
  switch (bad) {
    case 'hang':
      return
    case 'garbage': {
      const bytes = Buffer.alloc(40, 0xff)
      bytes.writeUInt16BE(question.id)
      return send(bytes)
    }
    case 'truncate':
      return send(
        encode({
          ...answer,
          flags: (answer.flags ?? 0) | TRUNCATED_RESPONSE,
          answers: [],
          authorities: [],
        }),
      )
    case 'spoof':
      return sendAfterForgeries(answer, send, from)
    default: {
      const bytes = encode(answer)
      const room = question.edns ? 1232 : 512
      if (bytes.length <= room) return send(bytes)
      return send(
        encode({
          ...answer,
          flags: (answer.flags ?? 0) | TRUNCATED_RESPONSE,
          answers: [],
          authorities: [],
        }),
      )
    }
  }
}

/** The forged address is in no other record. */
function sendAfterForgeries(
  answer: Packet,
  send: (bytes: Buffer) => void,
  from: { port: number; address: string },
): void {
  const forged: Answer[] = (answer.questions ?? []).map(({ name }) => ({
    type: 'A',
    name,
    ttl: 60,
    data: '127.66.66.66',
  }))
  const lie = { ...answer, flags: (answer.flags ?? 0) & ~0xf, answers: forged }
  const elsewhere = createSocket('udp4')
  elsewhere.send(encode(lie), from.port, from.address, () => {
    elsewhere.close()
    send(encode({ ...lie, id: ((answer.id ?? 0) + 1) & 0xffff }))
    send(encode({ ...lie, questions: [{ type: 'A', name: 'forged.test', class: 'IN' }] }))
    send(encode({ ...lie, type: 'query' }))
    setTimeout(() => send(encode(answer)), 20)
  })
}

function answerStream(socket: Socket, world: World, requests: Requested[]): void {
  let buffered = Buffer.alloc(0)
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    buffered = Buffer.concat([buffered, chunk])
    if (buffered.length < 2 || buffered.length < 2 + buffered.readUInt16BE(0)) return
    const bytes = buffered.subarray(2, 2 + buffered.readUInt16BE(0))
    buffered = buffered.subarray(2 + bytes.length)
    const question = readQuestion(bytes, requests, { over: 'tcp', port: socket.remotePort ?? 0 })
    if (!question || badOf(world, question.name) === 'hang') return
    const answer = encode(answerTo(world, question))
    const length = Buffer.alloc(2)
    length.writeUInt16BE(answer.length)
    // In two writes, as a slow line would bring it.
    socket.write(length)
    socket.write(answer)
  })
}

function answerTo(world: World, { question, id, name, edns }: ReadQuestion): Packet {
  const bad = badOf(world, name)
  const whole = (rcode: number, answers: Answer[] = [], authorities: Answer[] = []): Packet => {
    const about = [
      name,
      ...answers.flatMap((answer) => (answer.type === 'CNAME' ? answer.data : [])),
    ]
    const isSigned =
      world.validates &&
      (question.type === 'CNAME' ? [name] : about).every((entry) => !world.unsigned.has(entry))
    const flags = AUTHORITATIVE_ANSWER | (isSigned ? AUTHENTIC_DATA : 0) | rcode
    return { type: 'response', id, flags, questions: [question], answers, authorities }
  }
  if (bad === 'servfail') return whole(2)
  if (bad === 'refused') return whole(5)
  if (bad === 'formerr' || (bad === 'no_edns' && edns)) return whole(1)
  return follow(world, name, question, { whole, half: bad === 'half_alias' })
}

function follow(
  world: World,
  requested: string,
  question: Question,
  {
    whole,
    half,
  }: {
    whole: (rcode: number, answers?: Answer[], authorities?: Answer[]) => Packet
    half: boolean
  },
): Packet {
  const answers: Answer[] = []
  let name = requested
  for (let step = 0; step < 20; step++) {
    const records = world.names.get(name)
    if (!records) {
      return whole(isAbove(world, name) ? 0 : 3, answers, [soa(world, name)])
    }
    const result = recordsOf(name, records, question.type, world.ttl)
    if (result.length > 0) return whole(0, [...answers, ...result])
    if (records.CNAME === undefined) return whole(0, answers, [soa(world, name)])
    answers.push({ type: 'CNAME', name, ttl: world.ttl, data: records.CNAME })
    if (half) return whole(0, answers)
    name = records.CNAME.toLowerCase()
  }
  return whole(0, answers)
}

const isAbove = (world: World, name: string): boolean =>
  [...world.names.keys()].some((known) => known.endsWith(`.${name}`))

const soa = (world: World, name: string): Answer => ({
  ...{ type: 'SOA', name: name.split('.').slice(-2).join('.'), ttl: world.ttl },
  data: {
    mname: 'ns.test',
    rname: 'root.test',
    serial: 1,
    refresh: 1,
    retry: 1,
    expire: 1,
    minimum: world.ttl,
  },
})

function recordsOf(name: string, records: ZoneRecords, type: string, ttl: number): Answer[] {
  const about = { name, ttl }
  switch (type) {
    case 'A':
    case 'AAAA':
    case 'NS':
    case 'PTR':
      return (records[type] ?? []).map((data) => ({ type, ...about, data }))
    case 'CNAME':
      return records.CNAME === undefined ? [] : [{ type, ...about, data: records.CNAME }]
    case 'MX':
      return (records.MX ?? []).map((data) => ({ type, ...about, data }))
    case 'TLSA':
      return (records.TLSA ?? []).map((data) => ({ type, ...about, data }))
    case 'TXT':
      return (records.TXT ?? []).map((text) => ({
        type,
        ...about,
        data: typeof text === 'string' ? inParts(text) : [...text],
      }))
    default:
      return []
  }
}

/** A string of DNS holds 255 octets. */
const inParts = (text: string): string[] => text.match(/[\s\S]{1,255}/g) ?? ['']
