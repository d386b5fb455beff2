/** The questions to DNS and its answers: the types that the resolver and its callers share. */

export interface MxRecord {
  preference: number
  /** Lower case, without the last dot; `.` alone is the null MX (RFC 7505). */
  exchange: string
}

export interface TlsaRecord {
  usage: number
  selector: number
  matchingType: number
  certificate: Buffer
}

/** The records of each type. Names are lower case and without the last dot. */
export interface RecordTypes {
  A: string
  AAAA: string
  MX: MxRecord
  /** The strings of one record joined without a space (RFC 7208 3.3, RFC 6376 3.6.2.2). */
  TXT: string
  CNAME: string
  TLSA: TlsaRecord
  NS: string
  PTR: string
}

export type RecordType = keyof RecordTypes

/**
 * Why there is no answer. It says nothing of the name: what depends on it is to be asked again
 * later.
 * - `bad_name`: the text cannot be a name (RFC 1035 2.3.4).
 * - `aborted`: the caller's signal.
 */
export type LookupFailure =
  | 'servfail'
  | 'refused'
  | 'malformed'
  | 'timeout'
  | 'unreachable'
  | 'no_server'
  | 'alias_loop'
  | 'bad_name'
  | 'aborted'

export interface AnsweredQuery {
  /**
   * The AD bit of every answer on the way, and only from a server at this machine: the way to any
   * other is not safe (RFC 6698 A.3).
   */
  authenticated: boolean
  /** The name that the answer is about, after all aliases. */
  name: string
  /** Seconds that the answer may be kept. */
  ttl: number
}

export type Lookup<Type extends RecordType = RecordType> =
  /** At least one record, in the server's order. */
  | (AnsweredQuery & { kind: 'found'; records: RecordTypes[Type][] })
  /** The name is there and has no such record (NODATA). */
  | (AnsweredQuery & { kind: 'none' })
  /** There is no such name (NXDOMAIN). */
  | (AnsweredQuery & { kind: 'unknown' })
  | { kind: 'failed'; why: LookupFailure }

/** Never rejects. A signal only ends the caller's waiting: others may wait for the same answer. */
export type Resolve = <Type extends RecordType>(
  name: string,
  type: Type,
  signal?: AbortSignal,
) => Promise<Lookup<Type>>

export interface Resolver {
  resolve: Resolve
  /** Bypasses our own cache, for records that a user has just changed. */
  resolveFresh: Resolve
  /**
   * Asks the servers but the one that answered last; `no_server` where it is the only one. Nothing
   * is cached.
   */
  resolveElsewhere: Resolve
}
