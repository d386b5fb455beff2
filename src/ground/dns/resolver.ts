/**
 * Asks DNS for the records of a name.
 *
 * 1. an earlier answer serves again for as long as its TTL allows
 * 2. the same question that is under way is not asked twice
 * 3. server after server, each twice at most: SERVFAIL and silence are the server's, not the name's
 * 4. aliases are followed to their end, also where an answer stops half-way
 */
import type { Clock } from '../clock.ts'
import { createAnswerCache } from './answer-cache.ts'
import { exchange, type Exchanged, type DnsQuestion } from './exchange.ts'
import type { Lookup, LookupFailure, RecordType, Resolve, Resolver } from './lookup.ts'
import { plainName, readResourceRecords } from './read-records.ts'
import { readNameServer, type NameServer } from './servers.ts'

export interface ResolverOptions {
  /** In the order of asking, as `readNameServer` reads them; what it cannot read is left out. */
  servers: readonly string[]
  /** For one question to one server. */
  timeoutMs: number
  clock: Pick<Clock, 'monotonicMs'>
}

/** As many as resolvers commonly follow. */
const aliasesMax = 8

export function createResolver({ servers, timeoutMs, clock }: ResolverOptions): Resolver {
  const request: Requested = {
    servers: servers.flatMap((text) => readNameServer(text) ?? []),
    timeoutMs,
    first: 0,
  }
  const cache = createAnswerCache(clock)
  const underWay = new Map<string, Promise<Lookup>>()
  const lookUp = (question: DnsQuestion): Promise<Lookup> => {
    const key = `${question.type} ${question.name}`
    const pending = underWay.get(key)
    if (pending) return pending
    const work = followAliases(request, question)
      .then((lookup) => {
        cache.keep(key, lookup)
        return lookup
      })
      .finally(() => underWay.delete(key))
    underWay.set(key, work)
    return work
  }
  const answer =
    (fresh: boolean): Resolve =>
    async <Type extends RecordType>(text: string, type: Type, signal?: AbortSignal) => {
      const name = plainName(text)
      if (!isName(name)) return { kind: 'failed', why: 'bad_name' }
      const cached = fresh ? undefined : cache.find(`${type} ${name}`)
      return asLookup<Type>(cached ?? (await orAborted(lookUp({ name, type }), signal)))
    }
  const resolveElsewhere: Resolve = async <Type extends RecordType>(
    text: string,
    type: Type,
    signal?: AbortSignal,
  ) => {
    const name = plainName(text)
    if (!isName(name)) return { kind: 'failed', why: 'bad_name' }
    const others = {
      ...request,
      servers: request.servers.filter((_, index) => index !== request.first),
      first: 0,
    }
    return asLookup<Type>(await orAborted(followAliases(others, { name, type }), signal))
  }
  return { resolve: answer(false), resolveFresh: answer(true), resolveElsewhere }
}

/** A key of the cache names the type, so the lookup under it is of that type. */
const asLookup = <Type extends RecordType>(lookup: Lookup): Lookup<Type> => lookup as Lookup<Type>

/**
 * RFC 1035 2.3.4: labels of 1 to 63 octets, 253 in all. Any other octet than a dot may stand in a
 * label (RFC 2181 11).
 */
const isName = (name: string): boolean =>
  Buffer.byteLength(name) <= 253 &&
  name.split('.').every((label) => label !== '' && Buffer.byteLength(label) <= 63)

interface Requested {
  servers: NameServer[]
  timeoutMs: number
  /** The one that answered last: a dead server is not waited for again and again. */
  first: number
}

async function followAliases(request: Requested, question: DnsQuestion): Promise<Lookup> {
  const names = new Set<string>()
  let { name } = question
  let authenticated = true
  let aliasTtl = Infinity
  while (names.size <= aliasesMax && !names.has(name)) {
    names.add(name)
    const reply = await askServers(request, { name, type: question.type })
    if ('why' in reply) return { kind: 'failed', why: reply.why }
    const read = readResourceRecords(reply.packet, { name, type: question.type })
    authenticated &&= reply.server.local && reply.packet.flag_ad
    const ttl = Math.min(aliasTtl, read.ttl ?? 0)
    const about = { authenticated, name: read.name }
    if (read.records.length > 0) return { kind: 'found', ...about, records: read.records, ttl }
    if (reply.rcode === 3) return { kind: 'unknown', ...about, ttl }
    if (read.settled) return { kind: 'none', ...about, ttl }
    aliasTtl = ttl
    name = read.name
  }
  return { kind: 'failed', why: 'alias_loop' }
}

type Answered = Exclude<Exchanged, { why: LookupFailure }> & { server: NameServer }

async function askServers(
  request: Requested,
  question: DnsQuestion,
): Promise<Answered | { why: LookupFailure }> {
  const { servers, timeoutMs, first } = request
  let why: LookupFailure = 'no_server'
  let left = servers.map((_, step) => (first + step) % servers.length)
  for (let round = 0; round < 2; round++) {
    const silent: number[] = []
    for (const index of left) {
      const server = servers[index]
      if (!server) continue
      const reply = await exchange(server, question, timeoutMs)
      if ('packet' in reply) {
        request.first = index
        return { ...reply, server }
      }
      // Its word counts for more than another's silence.
      if (reply.why === 'timeout') silent.push(index)
      if (why === 'no_server' || reply.why !== 'timeout') why = reply.why
    }
    left = silent
  }
  return { why }
}

async function orAborted(work: Promise<Lookup>, signal: AbortSignal | undefined): Promise<Lookup> {
  if (!signal) return work
  const aborted: Lookup = { kind: 'failed', why: 'aborted' }
  if (signal.aborted) return aborted
  const { promise, resolve } = Promise.withResolvers<Lookup>()
  const stop = (): void => resolve(aborted)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
