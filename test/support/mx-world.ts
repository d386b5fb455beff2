/**
 * A world for our own delivery: a name server, and mail hosts at addresses of 127.0.0.0/8 on one
 * port.
 */
import { after } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { createResolver } from '../../src/ground/dns/resolver.ts'
import { rfcTimeouts } from '../../src/mail/smtp-client/timeouts.ts'
import { subnetList, loopbackRanges } from '../../src/ground/outbound/check-address.ts'
import {
  createDirectMx,
  type DirectMxOptions,
  type Learned,
  type SharedMemory,
} from '../../src/providers/direct-mx/create-direct-mx.ts'
import type { Envelope, Lease, Outcome, Provider, Sign } from '../../src/providers/provider.ts'
import { startDnsServer, type DnsServer, type DnsServerOptions } from './dns-server.ts'
import { freePort } from './free-port.ts'
import { startScriptedPeer, type PeerOptions, type ScriptedPeer } from './scripted-peer.ts'

export interface MxWorld {
  dns: DnsServer
  port: number
  /** A mail host at an address, friendly unless a script says otherwise. */
  host(address: string, options?: PeerOptions): Promise<ScriptedPeer>
  /** A domain whose hosts are at these addresses, in the order of preference. */
  domain(name: string, addresses: string[]): void
  provider(options?: Partial<DirectMxOptions>): Provider
}

/** Ends with the test file. */
export async function startMxWorld(dnsOptions: DnsServerOptions = {}): Promise<MxWorld> {
  const dns = await startDnsServer(dnsOptions)
  const port = await freePort()
  return {
    dns,
    port,
    async host(address, options = {}) {
      const peer = await startScriptedPeer({ ...options, at: { host: address, port } })
      after(() => peer.close())
      return peer
    },
    domain(name, addresses) {
      const hosts = addresses.map((address, at) => ({
        address,
        name: `mx${at + 1}.${name}`,
        preference: 10 * (at + 1),
      }))
      dns.set(name, {
        MX: hosts.map(({ name: exchange, preference }) => ({ preference, exchange })),
      })
      for (const host of hosts)
        dns.set(
          host.name,
          host.address.includes(':') ? { AAAA: [host.address] } : { A: [host.address] },
        )
    },
    provider(options = {}) {
      const provider = createDirectMx({ ...mxOptions({ dns, port }), ...options })
      after(() => provider.close(0))
      return provider
    },
  }
}

/** Longer than a test waits: a busy machine makes no server silent. */
const patienceMs = 600_000

export function mxOptions({ dns, port }: Pick<MxWorld, 'dns' | 'port'>): DirectMxOptions {
  return {
    clock: systemClock,
    log: { warn: () => undefined },
    countTls: () => undefined,
    resolver: createResolver({ servers: [dns.address], timeoutMs: patienceMs, clock: systemClock }),
    memory: forgetful,
    sign: (envelope) => Promise.resolve(envelope),
    openPolicies: () => ({ of: () => Promise.resolve(null) }),
    heloName: 'sender.test',
    sourceAddresses: [],
    port,
    connectionsEach: 20,
    allowed: subnetList(loopbackRanges),
    timeouts: { ...rfcTimeouts, dial: patienceMs },
  }
}

/** No other process hands mail over. */
const alone = () => ({ count: 1, index: 0 })

/** No other process learns of it. */
const forgetful: SharedMemory = {
  take: ({ count: expected }) => Promise.resolve(expected),
  keepThrottle: () => undefined,
  keepCircuit: () => undefined,
  watch: () => ({ share: alone, stop: () => undefined }),
}

/** Stores one provider's findings, and hands them to others. */
export function sharedMemory(): SharedMemory & { reports: Learned[] } {
  const listeners = new Set<(learned: Learned) => void>()
  const reports: Learned[] = []
  const report = (learned: Learned): void => {
    reports.push(learned)
    for (const listener of listeners) listener(learned)
  }
  const closed = { failures: 0, openMs: 0, response: null }
  return {
    ...forgetful,
    reports,
    keepThrottle: (name, throttle) => report({ name, throttle, circuit: closed }),
    keepCircuit: (name, circuit) => report({ name, throttle: null, circuit }),
    watch(listener) {
      listeners.add(listener)
      return { share: alone, stop: () => void listeners.delete(listener) }
    },
  }
}

export const freeLease: Lease = { mayProceed: () => true, mayPassDot: () => true }

export function envelopeTo(recipient: string, rest: Partial<Envelope> = {}): Envelope {
  return {
    ...{
      workspaceId: 1,
      reference: `test/${recipient}`,
      attempt: 1,
      returnPath: 'bounces@demo.test',
      fromDomain: 'demo.test',
    },
    ...{
      recipient,
      bytes: Buffer.from(`From: a@demo.test\r\nTo: ${recipient}\r\nSubject: x\r\n\r\nHello\r\n`),
      utf8: false,
    },
    ...rest,
  }
}

export const send = (
  provider: Provider,
  recipient: string,
  rest: Partial<Envelope> = {},
): Promise<Outcome> => provider.handOff(envelopeTo(recipient, rest), freeLease)

/** Marks the mail of this domain as signed; that of others cannot be signed now. */
export const signedFor =
  (domain: string): Sign =>
  ({ workspaceId, fromDomain, ...mail }) =>
    Promise.resolve(
      fromDomain === domain
        ? {
            ...{ ...mail, workspaceId, fromDomain },
            bytes: Buffer.concat([
              Buffer.from(`X-Signed: ${workspaceId} ${fromDomain}\r\n`),
              mail.bytes,
            ]),
          }
        : { kind: 'deferred', phase: 'dial', code: null, response: 'no key', slower: false },
    )
