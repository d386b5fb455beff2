/** Checks that the service answers at its port or could listen there. */
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Config } from '../../../ground/config.ts'
import { errorCodeOf, passed, failed, warned, type Check } from './check.ts'
import { isFacteur } from './is-facteur.ts'

/** `running`: whether the service answers there now. */
export async function checkPort({
  host,
  port,
}: Config): Promise<{ check: Check; running: boolean }> {
  if (port === 0)
    return { check: passed('port', 'the system chooses one at each start'), running: false }
  const code = await tryToListen(host, port)
  const running = code === 'EADDRINUSE' && (await isFacteur(`http://${reachable(host)}:${port}`))
  return {
    check: running
      ? passed('port', `Facteur answers on ${host}:${port}`)
      : checkOf('port', host, port, 'FACTEUR_PORT', code),
    running,
  }
}

/** The port of processes without the api role; null when none is set. */
export async function checkHealthPort({ host, healthPort }: Config): Promise<Check | null> {
  if (healthPort === null || healthPort === 0) return null
  const code = await tryToListen(host, healthPort)
  if (code === 'EADDRINUSE') {
    const asked = fetch(`http://${reachable(host)}:${healthPort}/healthz`, {
      signal: AbortSignal.timeout(2_000),
    })
    if ((await asked.catch(() => null))?.ok)
      return passed('health port', `a process of Facteur answers on ${host}:${healthPort}`)
  }
  return checkOf('health port', host, healthPort, 'FACTEUR_HEALTH_PORT', code)
}

/** The port for returned mail; null when none is set. */
export async function checkInboundPort({
  inboundHost: host,
  inboundPort: port,
  inboundDomain,
}: Config): Promise<Check | null> {
  if (port === null || port === 0) return null
  if (inboundDomain === null)
    return warned(
      'inbound port',
      'no mail comes to it',
      'Set FACTEUR_INBOUND_DOMAIN to the domain whose MX leads here.',
    )
  const code = await tryToListen(host, port)
  if (code === 'EADDRINUSE' && (await greetsBySmtp(host, port)))
    return passed('inbound port', `an SMTP server answers on ${host}:${port}`)
  return checkOf('inbound port', host, port, 'FACTEUR_INBOUND_PORT', code)
}

/**
 * Whether our own delivery can leave from the addresses in the settings; empty when they name none.
 */
export function checkSourceAddresses({ sourceAddresses }: Config): Promise<Check[]> {
  return Promise.all(
    sourceAddresses.map(async (address) => {
      const code = await tryToListen(address, 0)
      if (code === null) return passed('source address', `${address} is this machine's`)
      return failed(
        'source address',
        `${address} is no address of this machine (${code})`,
        `Set FACTEUR_SOURCE_ADDRESS to one that it has: ${ownAddresses().join(', ') || 'none is public'}.`,
      )
    }),
  )
}

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap(
    (found) =>
      found?.flatMap(({ address, internal, scopeid }) => (internal || scopeid ? [] : [address])) ??
      [],
  )

/** RFC 5321 4.3.1: the server greets a client with 220. */
function greetsBySmtp(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: reachable(host).replace(/^\[|\]$/g, ''), port })
    const end = (greets: boolean): void => {
      socket.destroy()
      resolve(greets)
    }
    socket.setTimeout(2_000, () => end(false))
    socket.once('error', () => end(false)).once('close', () => end(false))
    socket.once('data', (data: Buffer) => end(data.toString('latin1').startsWith('220')))
  })
}

function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Null when the port is free to listen on, else the system's error code. */
function tryToListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(errorCodeOf(error)))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}

function checkOf(
  name: string,
  host: string,
  port: number,
  setting: string,
  code: string | null,
): Check {
  const place = `${host}:${port}`
  switch (code) {
    case null:
      return passed(name, `${place} is free (the service is not running)`)
    case 'EADDRINUSE':
      return failed(name, `another program has ${place}`, `Stop it, or set ${setting}.`)
    case 'EACCES':
      return failed(
        name,
        `the system keeps ${place} for administrators`,
        `Set ${setting} above 1023.`,
      )
    default:
      return failed(
        name,
        `${place} cannot be listened on (${code})`,
        'Set FACTEUR_HOST to an address of this machine.',
      )
  }
}
