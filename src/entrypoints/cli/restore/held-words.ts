/** What is held after a restore, in the words of the command line. */
import { isAnyHeld, type HeldCampaign, type HeldWorkspace } from '../../../db/backups/held-counts.ts'
import { numberCell, timeCell } from '../result.ts'

export const jsonOfHeld = (held: HeldWorkspace): object => ({
  id: String(held.workspaceId),
  slug: held.slug,
  mails: held.mails,
  mails_begun: held.begun,
  campaigns: held.campaigns,
  campaign_recipients: held.recipients,
  webhook_deliveries: held.deliveries,
  sign_ups: held.signUps,
  imports: held.imports,
  known_sent: held.knownSent,
  since: held.since?.toISOString() ?? null,
})

export const jsonOfHeldCampaign = ({ id, name, slug, was, at, recipients, pending, knownSent }: HeldCampaign): object => ({
  ...{ id, name, workspace: slug, was },
  at: at?.toISOString() ?? null,
  ...{ recipients, pending, known_sent: knownSent ?? 0, begun_since: was === 'scheduled' && knownSent !== null },
})

/** A line for each workspace, and the next step. */
export function heldLines(all: readonly HeldWorkspace[]): string[] {
  if (all.length === 0) return ['Nothing was pending in it, so nothing is held.']
  const held = all.filter(isAnyHeld)
  const others = all.length - held.length
  return [
    'Held until you decide, since it may have left meanwhile:',
    ...held.map(
      (each) =>
        `- ${each.slug}: ${countsOfHeld(each)}${each.since === null ? '' : `; the oldest was due at ${timeCell(each.since)} UTC`}${knownWords(each.knownSent)}`,
    ),
    ...(others > 0 ? [`- ${others === 1 ? '1 workspace' : `${numberCell(others)} workspaces`} without pending mail`] : []),
    'Delivery events of older mail and our own notices wait too. Look at it: facteur restore review. Then: facteur restore release or discard, with --workspace, --campaign or --all',
  ]
}

export const knownWords = (knownSent: number | null): string =>
  knownSent ? `; ${numberCell(knownSent)} more ${knownSent === 1 ? 'is' : 'are'} known as sent, and release leaves them out` : ''

export function countsOfHeld(
  held: Pick<HeldWorkspace, 'mails' | 'begun' | 'campaigns' | 'recipients' | 'deliveries' | 'signUps' | 'imports'>,
): string {
  const toGo = `${held.recipients === 1 ? '1 recipient' : `${numberCell(held.recipients)} recipients`} to go`
  const parts: [count: number, one: string, more: string][] = [
    [held.mails, 'mail', 'mails'],
    [held.begun, 'mail whose hand-off had begun', 'mails whose hand-off had begun'],
    [held.campaigns, `campaign with ${toGo}`, `campaigns with ${toGo}`],
    [held.deliveries, 'webhook delivery', 'webhook deliveries'],
    [held.signUps, 'sign-up', 'sign-ups'],
    [held.imports, 'import', 'imports'],
  ]
  return parts.flatMap(([count, one, more]) => (count > 0 ? [`${numberCell(count)} ${count === 1 ? one : more}`] : [])).join(', ')
}
