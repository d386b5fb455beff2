/** The address of the peer and how to connect to it: all that the client knows of its peer. */
import type { TLSSocket } from 'node:tls'

/**
 * - `none`: never TLS.
 * - `starttls`: STARTTLS when the peer offers it (RFC 3207).
 * - `required`: STARTTLS, or nothing is sent.
 * - `implicit`: TLS from the first byte (RFC 8314 3.3).
 */
export type TlsMode = 'none' | 'starttls' | 'required' | 'implicit'

/**
 * How the peer's certificate is checked.
 * - `name`, the default: a trusted authority has signed it for the host.
 * - `none`: not at all (RFC 7435: encryption that an attacker could end is better than none).
 * - otherwise a function, which answers the problem, or null.
 */
export type CertificateCheck = 'name' | 'none' | ((socket: TLSSocket) => string | null)

export interface Relay {
  host: string
  port: number
  tls: TlsMode
  /**
   * PEM of the authority that signed the peer's certificate. Absent means those the system trusts.
   */
  ca?: string
  certificate?: CertificateCheck
  /** The name in SNI. Absent means the host's. */
  serverName?: string
  /** Absent means no AUTH. */
  login?: { user: string; password: string }
}
