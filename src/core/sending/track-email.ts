/** Adds one recipient's tracking pixel and links to a single message that asked for tracking. */
import { trackHtml } from '../../mail/html/track-html.ts'
import type { Context } from '../context.ts'
import type { AdmittedEmail } from './compose-email.ts'
import { messageSubject } from './track-subject.ts'

/**
 * Returns the same for every retry of the envelope. A message without tracking or without HTML
 * stays unchanged.
 */
export function trackEmail<Email extends Pick<AdmittedEmail, 'id' | 'head' | 'html' | 'text'>>(
  { linkTokens, settings }: Pick<Context, 'linkTokens' | 'settings'>,
  { workspaceId, email, position }: { workspaceId: number; email: Email; position: number },
): Email {
  const { track } = email.head
  if (track === undefined || email.html === null) return email
  const baseUrl = track.baseUrl ?? settings.baseUrl
  const token = linkTokens.make('track', messageSubject(workspaceId, email.id, position))
  return {
    // Text parts are never tracked: a text part that is made from the HTML was made earlier,
    // without our links.
    ...email,
    html: trackHtml(email.html, {
      linkAddress: track.clicks ? (index) => `${baseUrl}/c/${token}/${index}` : null,
      pixelAddress: track.opens ? `${baseUrl}/o/${token}` : null,
    }),
  }
}
