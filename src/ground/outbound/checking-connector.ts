/**
 * Opens a connection to a checked address: it looks the name up once, and refuses if any of its
 * addresses is not public.
 */
import type { LookupAddress, LookupOptions } from 'node:dns'
import type { BlockList } from 'node:net'
import { buildConnector } from 'undici'
import { skipContinue } from './skip-continue.ts'
import {
  isAllowed,
  checkAddress,
  literalOf,
  RefusedAddress,
  type RefusalReason,
} from './check-address.ts'

export interface Address {
  address: string
  /** 4 or 6. */
  family: number
}

/** All addresses of a name; throws an error with a code of the system's when there are none. */
export type ResolveAddress = (host: string) => Promise<Address[]>

export interface CheckingOptions {
  allowed: BlockList
  /** Whether http may go to any public address. */
  plainHttp: boolean
  /** Whether ports other than 80 and 443 are for addresses that the operator allows only. */
  webPortsOnly: boolean
  resolve: ResolveAddress
  /** Authorities that sign servers' certificates, PEM. Undefined means those of Node.js. */
  authorities: string | undefined
}

/** Longest that opening a connection takes, look-up and TLS included, in milliseconds. */
const openWithinMs = 15_000

export function checkingConnector(options: CheckingOptions): buildConnector.connector {
  const { allowed, webPortsOnly } = options
  const open = (plainHttp: boolean, anyPort: boolean): Way => {
    const check: Check = (address) =>
      checkAddress(address, { allowed, plainHttp }) ??
      (anyPort || isAllowed(address, allowed) ? null : 'port')
    return { check, connect: connectorOf(check, options) }
  }
  const ways = {
    http: open(options.plainHttp, true),
    https: open(true, true),
    otherPort: open(true, false),
  }
  return (to, done) => {
    const isWebPort = ['', '80', '443'].includes(to.port ?? '')
    const way =
      webPortsOnly && !isWebPort
        ? ways.otherPort
        : to.protocol === 'https:'
          ? ways.https
          : ways.http
    // A host that is written as an address is never looked up, so the check is here.
    const literal = literalOf(to.hostname)
    const refusal = literal === null ? null : way.check(literal)
    if (refusal) done(new RefusedAddress(refusal), null)
    else way.connect(to, done)
  }
}

type Check = (address: string) => RefusalReason | null

interface Way {
  check: Check
  connect: buildConnector.connector
}

function connectorOf(
  check: Check,
  { resolve, authorities: ca }: Pick<CheckingOptions, 'resolve' | 'authorities'>,
): buildConnector.connector {
  type AnswerLookup = (
    error: NodeJS.ErrnoException | null,
    address: string | LookupAddress[],
    family?: number,
  ) => void
  const resolveHost = (hostname: string, options: LookupOptions, result: AnswerLookup): void => {
    resolve(hostname).then(
      (addresses) => {
        const refusals = addresses.map(({ address }) => check(address))
        const refusal = refusals.find((reason) => reason !== null)
        const [first] = addresses
        if (refusal) result(new RefusedAddress(refusal), '')
        else if (!first)
          result(Object.assign(new Error('The name has no address'), { code: 'ENOTFOUND' }), '')
        else if (options.all) result(null, addresses)
        else result(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => result(error, ''),
    )
  }
  const connect = buildConnector({
    ...{ allowH2: false, timeout: openWithinMs, lookup: resolveHost },
    ...(ca !== undefined && { ca }),
  })
  return (to, done) =>
    connect(to, (error, connection) =>
      error ? done(error, null) : done(null, connection && skipContinue(connection)),
    )
}
