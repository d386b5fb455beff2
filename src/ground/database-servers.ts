/**
 * Reads the servers that the address of a database names, as libpq does:
 * `postgres://a,b:5433/facteur?target_session_attrs=read-write`.
 */
import { escapesInLogin } from './login-in-url.ts'

export interface DatabaseServers {
  /**
   * For each server, in the order of the address: the address of it alone, and what may be shown of
   * it.
   */
  servers: readonly DatabaseServer[]
  /** Whether only the server that takes writes will do: one of several is the primary. */
  mustWrite: boolean
}

export interface DatabaseServer {
  url: string
  /** A name, an address, or the folder of a socket. */
  host: string
  port: number
}

/**
 * The login ends at the last `@`, as `pg` has it. Throws with a sentence that shows neither user
 * nor password.
 */
export function readDatabaseServers(text: string): DatabaseServers {
  const [, before = '', authority = '', path = '', query = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)\??([^#]*)/.exec(text) ?? []
  const settings = new URLSearchParams(query)
  const mustWrite = readSessionAttributes(settings.get('target_session_attrs'))
  const isListed = (settings.get('host') ?? '') !== ''
  const hosts = isListed ? readHostSetting(settings) : authority.split(',').map(readHost)
  const [only] = hosts
  // One server that is named in the usual way: its address is left as it was written.
  if (only && hosts.length === 1 && !mustWrite)
    return { servers: [{ url: text, ...only }], mustWrite }
  for (const name of ['target_session_attrs', 'host', 'port']) settings.delete(name)
  const servers = hosts.map(({ host, port }) => {
    const isSocket = host.startsWith('/')
    const own = isSocket ? new URLSearchParams({ host, port: String(port) }) : new URLSearchParams()
    for (const [name, value] of settings) own.append(name, value)
    const location = isSocket ? '' : `${host.includes(':') ? `[${host}]` : host}:${port}`
    return {
      url: `${before}${location}${path}${own.size === 0 ? '' : `?${own.toString()}`}`,
      host,
      port,
    }
  })
  return { servers, mustWrite: true }
}

type Host = Pick<DatabaseServer, 'host' | 'port'>

/** What we do is to write; servers that take no writes are no use. */
function readSessionAttributes(value: string | null): boolean {
  if (value === null || value === '' || value === 'any') return false
  if (value === 'read-write' || value === 'primary') return true
  throw new Error('target_session_attrs has to be read-write: Facteur writes to its database')
}

/** `host`, `host:port`, `[::1]:port`; the folder of a socket has its slashes as %2F. */
function readHost(text: string, _index: number, all: string[]): Host {
  const [, six, plain = '', port] = /^(?:\[([^\]]+)\]|([^:[\]]*))(?::(\d*))?$/.exec(text) ?? []
  const host = six ?? decodeURIComponent(plain)
  if (host === '' && all.length > 1)
    throw new Error(
      'expected several hosts as in postgres://user:password@first:5432,second:5432/facteur',
    )
  refuseOddName(host)
  return { host, port: readPort(port) }
}

/** `?host=a,b&port=5432,5433`: one port is that of all hosts. */
function readHostSetting(settings: URLSearchParams): Host[] {
  const hosts = (settings.get('host') ?? '').split(',')
  const ports = (settings.get('port') ?? '').split(',')
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new Error(
      `host names ${hosts.length} servers and port ${ports.length}: name one port for all, or one for each`,
    )
  return hosts.map((host, index) => {
    if (host === '') throw new Error('a name is missing in the list of hosts')
    refuseOddName(host)
    return { host, port: readPort(ports[index] ?? ports[0]) }
  })
}

/**
 * It is shown, and would show a password whose end is not where it seems. A folder may have spaces.
 */
function refuseOddName(host: string): void {
  if (host.includes('@') || (!host.startsWith('/') && /\s/.test(host)))
    throw new Error(`a host is named with an @ or a space; ${escapesInLogin}`)
}

const defaultPort = 5432

function readPort(text = ''): number {
  if (text === '') return defaultPort
  if (!/^\d+$/.test(text) || Number(text) < 1 || Number(text) > 65_535)
    throw new Error('a port is a number from 1 to 65535')
  return Number(text)
}

/** `host:port`, which may be shown. */
export const serverName = ({ host, port }: DatabaseServer): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
