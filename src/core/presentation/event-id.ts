/** Identifiers as they are shown: of events, and of the journal's entries, which are made of webhook and event. */
import { isId } from '../../ids.ts'

/** `evt_` and the 32 digits. */
export const presentEventId = (id: string): string => `evt_${id.replaceAll('-', '')}`

/** Null: nothing that could be one. */
export function readEventId(text: string): string | null {
  const [, a, b, c, d, e] = /^evt_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(text) ?? []
  return a === undefined ? null : `${a}-${b}-${c}-${d}-${e}`
}

/**
 * There is one entry for each webhook and event, so its identifier need not be stored: it is the event's, with the webhook's
 * random digits mixed into its own (exclusive or). Time and version stay, so that entries sort as they come. The way back is the
 * same.
 */
export function deliveryIdOf(webhookId: string, eventId: string): string {
  const [webhook, event] = [randomOf(webhookId), randomOf(eventId)]
  // The two bits of the variant (RFC 9562 4.1) are the event's own.
  const mixed = (webhook & randomMask) ^ event
  const digits = mixed.toString(16).padStart(16, '0')
  return `${eventId.slice(0, 19)}${digits.slice(0, 4)}-${digits.slice(4)}`
}

/** Which event an entry of this webhook is about; null: nothing that could be one. */
export const eventIdOf = (webhookId: string, deliveryId: string): string | null =>
  isId(deliveryId) ? deliveryIdOf(webhookId, deliveryId) : null

const randomMask = 0x3fff_ffff_ffff_ffffn

const randomOf = (id: string): bigint => BigInt(`0x${id.slice(19).replace('-', '')}`)
