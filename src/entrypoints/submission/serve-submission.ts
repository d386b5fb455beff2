/**
 * The SMTP ports for mail of programs that speak no HTTP (RFC 6409): `POST /emails` by another way
 * (semantics 7).
 *
 * 1. AUTH: the password is an API key. Without TLS only on this machine.
 * 2. RCPT: any address is taken; what the send refuses, it refuses for the whole mail.
 * 3. DATA: up to the bytes of a call, parsed in a thread that may be stopped, and sent by the
 *    dispatcher. 250 with the id after the commit.
 */
import type { AddressInfo } from 'node:net'
import type { SMTPServer } from 'smtp-server'
import type { Service } from '../../core/context.ts'
import { createServer } from './create-server.ts'
import { createSessions } from './sessions.ts'
import type { Certificate, SubmissionOptions } from './submission-options.ts'

export interface ServedSubmission {
  host: string
  port: number | null
  tlsPort: number | null
  /** From the next handshake on. */
  renew(certificate: Certificate): void
  /** Accepts no new mail, and waits up to `withinMs` for mails under way. */
  close(withinMs: number): Promise<void>
}

/** Listens; rejects with the system's error (EADDRINUSE…) when it cannot. */
export async function serveSubmission(
  service: Service,
  options: SubmissionOptions,
): Promise<ServedSubmission> {
  const sessions = createSessions(service, options)
  const servers: SMTPServer[] = []
  const open = async (port: number | null, secure: boolean): Promise<number | null> => {
    if (port === null) return null
    const server = createServer(sessions, options, secure)
    const bound = await listen(server, options.host, port)
    servers.push(server)
    return bound
  }
  const close = async (withinMs: number): Promise<void> => {
    for (const { server } of servers) server.close()
    await sessions.close(withinMs)
  }
  try {
    const port = await open(options.port, false)
    const tlsPort = await open(options.tlsPort, true)
    const renew = (certificate: Certificate): void =>
      servers.forEach((server) => server.updateSecureContext({ ...certificate }))
    return { host: options.host, port, tlsPort, renew, close }
  } catch (error) {
    await close(0)
    throw error
  }
}

function listen(server: SMTPServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      // It listens on a port, not on a pipe.
      resolve((server.server.address() as AddressInfo).port)
    })
  })
}
