/** A single message that asked to be tracked, as one envelope of it leaves: with that envelope's pixel and links. */
import { trackHtml } from '../../mail/html/track-html.ts'
import type { Context } from '../context.ts'
import type { AdmittedEmail } from './compose-email.ts'
import { messageSubject } from './track-subject.ts'

/** The same for every repeat of the envelope; what did not ask, and what has no html, stays as it is. */
export function trackEmail<Email extends Pick<AdmittedEmail, 'id' | 'head' | 'html' | 'text'>>(
  { linkTokens, settings }: Pick<Context, 'linkTokens' | 'settings'>,
  workspaceId: number,
  email: Email,
  position: number,
): Email {
  const { track } = email.head
  if (track === undefined || email.html === null) return email
  const token = linkTokens.make('track', messageSubject(workspaceId, email.id, position))
  return {
    // Text parts are never tracked: one that is made of the html was made before, without our links.
    ...email,
    html: trackHtml(email.html, {
      linkAddress: track.clicks ? (index) => `${settings.baseUrl}/c/${token}/${index}` : null,
      pixelAddress: track.opens ? `${settings.baseUrl}/o/${token}` : null,
    }),
  }
}
