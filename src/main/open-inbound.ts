/** Opens the port for bounces and other returning mail, where the settings name one. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { hostname } from 'node:os'
import { createSecureContext } from 'node:tls'
import type { Config } from '../ground/config.ts'
import type { Service } from '../core/context.ts'
import type { Metrics } from '../entrypoints/health/metrics.ts'
import type { ServedInbound } from '../entrypoints/inbound/serve-inbound.ts'
import { OperatorError } from '../ground/operator-error.ts'
import { readSecretFile } from '../ground/secret-file.ts'
import { explainingPort } from './explaining-port.ts'

/** Null: this process has no inbound port. */
export async function openInbound(
  { service, metrics }: { service: Service; metrics: Metrics },
  { inboundHost: host, inboundPort: port, inboundDomain, inboundTls }: Config,
): Promise<ServedInbound | null> {
  if (port === null) return null
  const { serveInbound } = await import('../entrypoints/inbound/serve-inbound.ts')
  const tls = inboundTls && readCertificate(inboundTls)
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

/**
 * Throws `OperatorError` when a file cannot be read, is no PEM, or the key is not the
 * certificate's.
 */
export function readCertificate({ certFile, keyFile }: NonNullable<Config['inboundTls']>): {
  cert: string
  key: string
} {
  const cert = readSecretFile('FACTEUR_INBOUND_TLS_CERT', certFile)
  const key = readSecretFile('FACTEUR_INBOUND_TLS_KEY', keyFile)
  tryPem(
    `FACTEUR_INBOUND_TLS_CERT: ${certFile} holds no certificate in PEM`,
    () => new X509Certificate(cert),
  )
  tryPem(
    `FACTEUR_INBOUND_TLS_KEY: ${keyFile} holds no private key in PEM, or one with a passphrase`,
    () => createPrivateKey(key),
  )
  tryPem(
    `FACTEUR_INBOUND_TLS_KEY: ${keyFile} is not the key of the certificate in ${certFile}`,
    () => createSecureContext({ cert, key }),
  )
  return { cert, key }
}

function tryPem(otherwise: string, use: () => unknown): void {
  try {
    use()
  } catch {
    throw new OperatorError(otherwise)
  }
}
