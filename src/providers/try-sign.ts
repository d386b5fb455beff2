/**
 * Signs an envelope's mail before it leaves; a mail that cannot be signed now is deferred, and does
 * not leave unsigned.
 */
import type { Envelope, Outcome } from './provider.ts'

/**
 * Puts the sending domain's signatures in front of a message; as it was where the domain has no
 * keys.
 */
export type Sign = (workspaceId: number, fromDomain: string, bytes: Buffer) => Promise<Buffer>

export interface Signing {
  sign: Sign
  log: { warn(fields: object, message: string): void }
}

export async function trySign<E extends Envelope>(
  { sign, log }: Signing,
  envelope: E,
): Promise<E | Outcome> {
  const { workspaceId, fromDomain } = envelope
  try {
    return { ...envelope, bytes: await sign(workspaceId, fromDomain, envelope.bytes) }
  } catch (error) {
    log.warn(
      { err: error, workspaceId, fromDomain },
      'A message could not be signed; it is tried again',
    )
    return {
      kind: 'deferred',
      phase: 'dial',
      code: null,
      response: 'the message could not be signed',
      slower: false,
    }
  }
}
