/** Opens the port for bounces and other returning mail, where the settings name one. */
import { hostname } from 'node:os'
import type { Config } from '../ground/config.ts'
import type { Service } from '../core/context.ts'
import type { Metrics } from '../entrypoints/health/metrics.ts'
import type { ServedInbound } from '../entrypoints/inbound/serve-inbound.ts'
import { explainingPort } from './explaining-port.ts'
import { readCertificate } from './read-certificate.ts'

export const inboundCertificate = {
  cert: 'FACTEUR_INBOUND_TLS_CERT',
  key: 'FACTEUR_INBOUND_TLS_KEY',
} as const

/** Null if this process has no inbound port. */
export async function openInbound(
  { service, metrics }: { service: Service; metrics: Metrics },
  { inboundHost: host, inboundPort: port, inboundDomain, inboundTls }: Config,
): Promise<ServedInbound | null> {
  if (port === null) return null
  const { serveInbound } = await import('../entrypoints/inbound/serve-inbound.ts')
  const tls = inboundTls && readCertificate(inboundTls, inboundCertificate)
  return explainingPort(
    { host, port, setting: 'FACTEUR_INBOUND_PORT', hostSetting: 'FACTEUR_INBOUND_HOST' },
    () =>
      serveInbound(service, {
        host,
        port,
        name: inboundDomain ?? hostname(),
        tls,
        ends: metrics.returned,
      }),
  )
}
