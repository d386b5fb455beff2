/** Which name servers are asked: those of a setting, or the system's. */
import { getServers } from 'node:dns'
import { BlockList, isIP } from 'node:net'

export interface NameServer {
  address: string
  port: number
  family: 4 | 6
  /** At this machine: its word that an answer was validated can be believed. */
  local: boolean
}

/** As `192.0.2.1`, `192.0.2.1:5353`, `::1` or `[::1]:5353`; null when it is none of these. */
export function readNameServer(text: string): NameServer | null {
  const bare = isIP(text) === 0 ? /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(text) : null
  const address = bare ? (bare[1] ?? bare[2] ?? '') : text
  const port = bare ? Number(bare[3]) : 53
  const kind = isIP(address)
  if (kind === 0 || (bare?.[1] !== undefined && kind === 4) || port < 1 || port > 65_535)
    return null
  const family = kind === 6 ? 6 : 4
  return { address, port, family, local: loopback.check(address, family === 6 ? 'ipv6' : 'ipv4') }
}

/** The name servers of the system's configuration, in its order. */
export const systemServers = (): string[] => getServers()

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')
