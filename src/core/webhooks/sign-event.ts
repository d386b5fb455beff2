/**
 * Signs a webhook call, in two schemes; during a rotation, each carries a signature with either
 * secret.
 *
 * - `Service-Signature: t=<seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>`, keyed with the secret's
 *   text (spec: Signature)
 * - `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64>`: HMAC-SHA256 of
 *   `<id>.<t>.<body>`, keyed with the bytes that the secret encodes (Standard Webhooks)
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
  'service-signature' | 'webhook-id' | 'webhook-timestamp' | 'webhook-signature',
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
  return {
    'service-signature': `t=${at},${hexes.join(',')}`,
    'webhook-id': eventId,
    'webhook-timestamp': String(at),
    'webhook-signature': base64s.join(' '),
  }
}

const bytesOf = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64')
