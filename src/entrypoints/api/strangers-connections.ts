/**
 * Limits the connections of callers without key or session by network (security: What attacks
 * taught). A connection is known once a call with a key or a session came over it; of the others,
 * the oldest beyond the limit are ended. Connections of a trusted proxy carry callers of all
 * networks, and are not counted.
 */
import { isIPv6, type Socket } from 'node:net'
import { networkOf } from '../../core/network-of.ts'
import { isAllowed, subnetList } from '../../ground/outbound/check-address.ts'

/** Of one network; a browser opens six. */
export const strangersConnectionsMax = 100
/**
 * Beyond these, connections get no time to become known: thousands in a few seconds would fill the
 * memory of a small process.
 */
export const burstMax = 1_000

export interface StrangersConnections {
  enter(socket: Socket): void
  markKnown(socket: Socket): void
  /** Ends what is too much; a connection has the time between two calls to become known. */
  sweep(): void
}

/** `trustProxy` as fastify reads it. */
export function createStrangersConnections(trustProxy: boolean | string): StrangersConnections {
  const open = new Map<string, Set<Socket>>()
  /** A socket that closed has no address. */
  const networks = new WeakMap<Socket, string>()
  const known = new WeakSet<Socket>()
  const isProxy = readProxies(trustProxy)
  const leave = (socket: Socket): void => {
    const network = networks.get(socket) ?? ''
    const sockets = open.get(network)
    sockets?.delete(socket)
    if (sockets?.size === 0) open.delete(network)
  }
  return {
    enter(socket) {
      const { remoteAddress } = socket
      if (remoteAddress === undefined || isProxy(remoteAddress)) return
      const network = remoteAddress.includes(':') ? networkOf(remoteAddress) : remoteAddress
      networks.set(socket, network)
      const sockets = (open.get(network) ?? new Set()).add(socket)
      open.set(network, sockets)
      socket.once('close', () => leave(socket))
      const [oldest] = sockets
      if (oldest && sockets.size > burstMax) {
        leave(oldest)
        oldest.destroy()
      }
    },
    markKnown: leave,
    sweep() {
      for (const sockets of [...open.values()]) {
        const old = [...sockets].filter((socket) => known.has(socket))
        for (const socket of old.slice(0, Math.max(0, old.length - strangersConnectionsMax)))
          socket.destroy()
        for (const socket of sockets) known.add(socket)
      }
    },
  }
}

function readProxies(trustProxy: boolean | string): (address: string) => boolean {
  if (typeof trustProxy === 'boolean') return () => trustProxy
  const ranges = trustProxy.split(',').map((text) => text.trim())
  const list = subnetList(
    ranges.map((range) => (range.includes('/') ? range : `${range}/${isIPv6(range) ? 128 : 32}`)),
  )
  return (address) => isAllowed(address, list)
}
