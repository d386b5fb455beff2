/**
 * Reads what an answer says of a name: follows its aliases, then takes the records of the asked
 * type.
 */
import type { Answer, DecodedPacket } from 'dns-packet'
import type { DnsQuestion } from './exchange.ts'
import type { RecordType, RecordTypes } from './lookup.ts'

export interface ReadRecords<Type extends RecordType> {
  records: RecordTypes[Type][]
  /** The name that the aliases in this answer end at. */
  name: string
  /**
   * Whether the name at the end is spoken of: by records, or by the SOA of a denial (RFC 2308 2).
   * When not, it is to be asked for.
   */
  settled: boolean
  /**
   * Seconds: the least of what was used; of a denial what its SOA says (RFC 2308 5). Null where
   * nothing says.
   */
  ttl: number | null
}

export function readResourceRecords<Type extends RecordType>(
  packet: DecodedPacket,
  { name, type }: DnsQuestion & { type: Type },
): ReadRecords<Type> {
  const answers = (packet.answers ?? []).filter(
    (answer) => !('class' in answer) || answer.class === 'IN',
  )
  const ttls: number[] = []
  const at = type === 'CNAME' ? name : endOfAliases(answers, name, ttls)
  const matches = answers.filter((answer) => answer.type === type && plainName(answer.name) === at)
  for (const answer of matches) if ('ttl' in answer) ttls.push(answer.ttl ?? 0)
  const denial = denialTtl(packet)
  if (matches.length === 0 && denial !== null) ttls.push(denial)
  return {
    records: asRecords<Type>(matches.flatMap(readRecord)),
    name: at,
    settled: matches.length > 0 || denial !== null || at === name,
    ttl: ttls.length > 0 ? Math.min(...ttls) : null,
  }
}

/**
 * Where the aliases of one answer lead; their TTLs count too. Each is followed once, so a circle
 * ends.
 */
function endOfAliases(answers: Answer[], name: string, ttls: number[]): string {
  const aliases = new Map<string, { to: string; ttl: number }>()
  for (const answer of answers)
    if (answer.type === 'CNAME')
      aliases.set(plainName(answer.name), { to: plainName(answer.data), ttl: answer.ttl ?? 0 })
  let at = name
  for (let alias = aliases.get(at); alias; alias = aliases.get(at)) {
    aliases.delete(at)
    ttls.push(alias.ttl)
    at = alias.to
  }
  return at
}

function denialTtl({ authorities = [] }: DecodedPacket): number | null {
  const soa = authorities.find((authority) => authority.type === 'SOA')
  return soa ? Math.min(soa.ttl ?? 0, soa.data.minimum ?? 0) : null
}

function readRecord(answer: Answer): RecordTypes[RecordType][] {
  switch (answer.type) {
    case 'A':
    case 'AAAA':
      return [answer.data]
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return [plainName(answer.data)]
    case 'MX':
      return [
        { preference: answer.data.preference ?? 0, exchange: plainName(answer.data.exchange) },
      ]
    case 'TXT':
      return [Buffer.concat([answer.data].flat().map((part) => Buffer.from(part))).toString('utf8')]
    case 'TLSA':
      return [answer.data]
    default:
      return []
  }
}

/** Only answers of this type were read. */
const asRecords = <Type extends RecordType>(
  records: RecordTypes[RecordType][],
): RecordTypes[Type][] => records as RecordTypes[Type][]

/** Names are compared without case, and written without the last dot; the root is `.`. */
export const plainName = (name: string): string =>
  name === '.' ? name : name.replace(/\.$/, '').toLowerCase()
