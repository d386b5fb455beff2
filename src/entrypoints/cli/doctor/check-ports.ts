/** Checks that the service answers at its port or could listen there. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isLoopback, leadsHere } from '../../../ground/is-loopback.ts'
import { submissionPorts } from '../../../core/submission-ports.ts'
import { systemClock } from '../../../ground/clock.ts'
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
    const requested = fetch(`http://${reachable(host)}:${healthPort}/healthz`, {
      signal: AbortSignal.timeout(2_000),
    })
    if ((await requested.catch(() => null))?.ok)
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

/** The ports that programs hand mail in by; empty when there are none. */
export async function checkSubmissionPorts(config: Config): Promise<Check[]> {
  const { host, port, tlsPort, isDefault } = submissionPorts(config)
  const places = [
    { port, setting: 'FACTEUR_SUBMISSION_PORT' },
    { port: tlsPort, setting: 'FACTEUR_SUBMISSION_TLS_PORT' },
  ]
  const checks = await Promise.all(
    places.map(async ({ port: requested, setting }) => {
      if (requested === null) return []
      const code = await tryToListen(host, requested)
      const answers =
        code === 'EADDRINUSE' && (setting.includes('TLS') || (await greetsBySmtp(host, requested)))
      if (answers) return [passed('submission', `a server answers on ${host}:${requested}`)]
      const check = checkOf('submission', host, requested, setting, code)
      // A start goes on without a port that no setting names.
      return [isDefault && check.next ? warned('submission', check.message, check.next) : check]
    }),
  )
  return [...checks.flat(), ...checkSubmissionLogins(config)]
}

/** Whether programs can log in at all, and for how long. */
function checkSubmissionLogins(config: Config): Check[] {
  const { host, port, tlsPort } = submissionPorts(config)
  const { submissionTls, baseUrl } = config
  if (port === null && tlsPort === null) return []
  if (submissionTls !== null) return [checkCertificate(submissionTls.certFile, systemClock.now())]
  const isLocal = isLoopback(host) && leadsHere(baseUrl)
  return isLocal
    ? []
    : [
        warned(
          'submission',
          'programs elsewhere cannot log in: without TLS only those on this machine may, and only where the base URL is of this machine',
          'Set FACTEUR_SUBMISSION_TLS_CERT and FACTEUR_SUBMISSION_TLS_KEY.',
        ),
      ]
}

const certificateDays = 14

/** The first certificate of the file is the server's own; the others lead to its authority. */
export function checkCertificate(certFile: string, now: Date): Check {
  const name = 'submission certificate'
  const next = `Renew ${certFile}; a running process reads it again within seconds.`
  try {
    const { validToDate } = new X509Certificate(readFileSync(certFile))
    const days = Math.floor((validToDate.getTime() - now.getTime()) / 86_400_000)
    const date = validToDate.toISOString().slice(0, 10)
    if (days < 0) return failed(name, `it ended on ${date}: clients refuse it`, next)
    return days < certificateDays
      ? warned(name, `it ends on ${date}, in ${days} day${days === 1 ? '' : 's'}`, next)
      : passed(name, `valid until ${date}`)
  } catch (error) {
    return failed(name, `${certFile} cannot be read (${errorCodeOf(error) || 'no PEM'})`, next)
  }
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
    (result) =>
      result?.flatMap(({ address, internal, scopeid }) => (internal || scopeid ? [] : [address])) ??
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
  const location = `${host}:${port}`
  switch (code) {
    case null:
      return passed(name, `${location} is free (the service is not running)`)
    case 'EADDRINUSE':
      return failed(name, `another program has ${location}`, `Stop it, or set ${setting}.`)
    case 'EACCES':
      return failed(
        name,
        `the system keeps ${location} for administrators`,
        `Set ${setting} above 1023.`,
      )
    default:
      return failed(
        name,
        `${location} cannot be listened on (${code})`,
        'Set FACTEUR_HOST to an address of this machine.',
      )
  }
}
