/**
 * Reads and writes the subject of a tracking token: a recipient of a campaign, or an envelope of a
 * single message.
 */
import type { LinkSubject } from '../../ground/link-tokens.ts'

export type TrackSubject =
  | { of: 'campaign'; workspaceId: number; campaignId: string; subscriberId: string }
  | { of: 'message'; workspaceId: number; messageId: string; position: number }

/**
 * For messages, the envelope's position replaces the subscriber's identifier, which is made of time
 * and never begins with zeros (ids.ts).
 */
const noSubscriber = '00000000-0000-0000-0000-'

export const messageSubject = (
  workspaceId: number,
  messageId: string,
  position: number,
): LinkSubject => ({
  workspaceId,
  first: messageId,
  second: noSubscriber + position.toString(16).padStart(12, '0'),
})

export function readTrackSubject({ workspaceId, first, second }: LinkSubject): TrackSubject {
  if (!second.startsWith(noSubscriber))
    return { of: 'campaign', workspaceId, campaignId: first, subscriberId: second }
  return {
    of: 'message',
    workspaceId,
    messageId: first,
    position: Number.parseInt(second.slice(noSubscriber.length), 16),
  }
}
