/**
 * Signs a webhook call, in two schemes; during a rotation, each carries a signature with either
 * secret.
 *
 * - `Service-Signature: t=<seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>`, keyed with the secret's
 *   text (spec: Signature)
 * - `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64>`: HMAC-SHA256 of
 *   `<id>.<t>.<body>`, keyed with the bytes that the secret encodes (Standard Webhooks); the same
 *   values as `svix-id`, `svix-timestamp`, `svix-signature`, where Resend's receivers look
 */
import { createHmac } from 'node:crypto'

export interface ToSign {
  /** The public form: `evt_…`. */
  eventId: string
  body: string
  /** The present one first. */
  secrets: readonly string[]
  /** Seconds since 1970. */
  at: number
}

export type SigningHeaders = Record<
  'service-signature' | `${'webhook' | 'svix'}-${'id' | 'timestamp' | 'signature'}`,
  string
>

export function signEvent({ eventId, body, secrets, at }: ToSign): SigningHeaders {
  const hexes = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`,
  )
  const base64s = secrets.map(
    (secret) =>
      `v1,${createHmac('sha256', bytesOf(secret)).update(`${eventId}.${at}.${body}`).digest('base64')}`,
  )
  return writeHeaders({
    service: `t=${at},${hexes.join(',')}`,
    id: eventId,
    timestamp: String(at),
    standard: base64s.join(' '),
  })
}

/** The headers of a call, by the values that they carry. */
export const writeHeaders = ({
  service,
  id,
  timestamp,
  standard,
}: Record<'service' | 'id' | 'timestamp' | 'standard', string>): SigningHeaders => ({
  'service-signature': service,
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': standard,
  'svix-id': id,
  'svix-timestamp': timestamp,
  'svix-signature': standard,
})

const bytesOf = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64')
