/** Opens the port that mail comes back to, where the settings name one. */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Config } from '../config.ts'
import type { Service } from '../core/context.ts'
import type { Metrics } from '../entrypoints/health/metrics.ts'
import type { ServedInbound } from '../entrypoints/inbound/serve-inbound.ts'
import { OperatorError } from '../operator-error.ts'
import { explainingPort } from './explaining-port.ts'

/** Null: nothing is heard in this process. */
export async function openInbound(
  { service, metrics }: { service: Service; metrics: Metrics },
  { inboundHost: host, inboundPort: port, inboundDomain, inboundTls }: Config,
): Promise<ServedInbound | null> {
  if (port === null) return null
  const { serveInbound } = await import('../entrypoints/inbound/serve-inbound.ts')
  const tls = inboundTls && { cert: readPem(inboundTls.certFile), key: readPem(inboundTls.keyFile) }
  return explainingPort({ host, port, setting: 'FACTEUR_INBOUND_PORT', hostSetting: 'FACTEUR_INBOUND_HOST' }, () =>
    serveInbound(service, { host, port, name: inboundDomain ?? hostname(), tls, onEnd: metrics.countReturned }),
  )
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`FACTEUR_INBOUND_TLS_CERT or FACTEUR_INBOUND_TLS_KEY: ${String(error)}`)
  }
}
