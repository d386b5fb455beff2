/** Who is dialled and how: the client's whole knowledge of its peer. */

/**
 * - `none`: never TLS.
 * - `starttls`: STARTTLS when the peer offers it (RFC 3207).
 * - `required`: STARTTLS, or nothing is sent.
 * - `implicit`: TLS from the first byte (RFC 8314 3.3).
 */
export type TlsMode = 'none' | 'starttls' | 'required' | 'implicit'

export interface Relay {
  host: string
  port: number
  tls: TlsMode
  /** PEM of the authority that signed the relay's certificate; absent: those the system trusts. The certificate is always checked. */
  ca?: string
  /** Absent: no AUTH. */
  login?: { user: string; password: string }
}

/** Whether what is written to this host cannot leave the machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}
