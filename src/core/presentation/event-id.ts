/**
 * Writes and reads public identifiers of events and of webhook deliveries, which combine webhook
 * and event.
 */
import { isId } from '../../ground/ids.ts'

/** `evt_` and the 32 digits. */
export const presentEventId = (id: string): string => `evt_${id.replaceAll('-', '')}`

/** Returns null for a malformed identifier. */
export function readEventId(text: string): string | null {
  const [, a, b, c, d, e] =
    /^evt_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(text) ?? []
  return a === undefined ? null : `${a}-${b}-${c}-${d}-${e}`
}

/**
 * A webhook has one delivery per event, so its identifier is computed and not stored.
 * It is the event's identifier, its random bits combined with the webhook's by exclusive or.
 * Time and version stay, so that deliveries sort by time. The inverse is the same computation.
 */
export function deliveryIdOf(webhookId: string, eventId: string): string {
  const [webhook, event] = [randomOf(webhookId), randomOf(eventId)]
  // The two bits of the variant (RFC 9562 4.1) stay those of the event.
  const mixed = (webhook & randomMask) ^ event
  const digits = mixed.toString(16).padStart(16, '0')
  return `${eventId.slice(0, 19)}${digits.slice(0, 4)}-${digits.slice(4)}`
}

/** Returns the event of a webhook's delivery; null for a malformed identifier. */
export const eventIdOf = (webhookId: string, deliveryId: string): string | null =>
  isId(deliveryId) ? deliveryIdOf(webhookId, deliveryId) : null

const randomMask = 0x3fff_ffff_ffff_ffffn

const randomOf = (id: string): bigint => BigInt(`0x${id.slice(19).replace('-', '')}`)
