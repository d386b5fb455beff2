/** The client of one SMTP relay: a pool of connections that all its hand-offs share. */
import { dialTcp, type Dial } from './dial.ts'
import { openSmtpSession } from './open-session.ts'
import { createSmtpPool, type SmtpPool, type SmtpPoolOptions } from './pool.ts'
import type { Relay } from './relay.ts'
import { rfcTimeouts } from './timeouts.ts'

export interface SmtpClientOptions extends Omit<
  SmtpPoolOptions,
  'open' | 'connections' | 'onBroken'
> {
  relay: Relay
  /** Our name in EHLO. Absent means an address literal. */
  name?: string
  /** How many connections are open at most; default 10. */
  connections?: number
  dial?: Dial
}

export function createSmtpClient({
  relay,
  name,
  dial = dialTcp,
  connections = 10,
  ...options
}: SmtpClientOptions): SmtpPool {
  const timeouts = { ...rfcTimeouts, ...options.timeouts }
  const opening = {
    relay,
    dial,
    timeouts,
    clock: options.clock,
    ...(name === undefined ? {} : { name }),
  }
  return createSmtpPool({
    ...options,
    connections: () => connections,
    open: (signal) => openSmtpSession(opening, signal),
  })
}
