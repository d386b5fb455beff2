/** What is held after a restore, in the words of the command line. */
import {
  isAnyWithheld,
  type CampaignInDoubt,
  type WithheldCampaign,
  type WithheldWorkspace,
} from '../../../db/restore/withheld-counts.ts'
import { shownNumber, shownTime } from '../result.ts'

export const jsonOfWithheld = (withheld: WithheldWorkspace): object => ({
  id: String(withheld.workspaceId),
  slug: withheld.slug,
  mails: withheld.mails,
  mails_begun: withheld.started,
  campaigns: withheld.campaigns,
  campaign_recipients: withheld.recipients,
  webhook_deliveries: withheld.deliveries,
  sign_ups: withheld.signUps,
  imports: withheld.imports,
  known_sent: withheld.knownSent,
  since: withheld.since?.toISOString() ?? null,
})

export const jsonOfWithheldCampaign = ({
  id,
  name,
  slug,
  was,
  at,
  recipients,
  pending,
  inDoubt,
  knownSent,
}: WithheldCampaign): object => ({
  ...{ id, name, workspace: slug, was },
  at: at?.toISOString() ?? null,
  ...{
    recipients,
    pending,
    in_doubt: inDoubt,
    known_sent: knownSent ?? 0,
    begun_since: was === 'scheduled' && knownSent !== null,
  },
})

export const jsonOfDoubt = ({ id, name, slug, inDoubt }: CampaignInDoubt): object => ({
  ...{ id, name, workspace: slug, recipients: inDoubt },
})

/** Nothing for no doubts; else a heading, and a line with its command for each campaign. */
export const doubtLines = (all: readonly CampaignInDoubt[]): string[] =>
  all.length === 0
    ? []
    : [
        'In doubt: their mail may have left. They are not sent to until you release them:',
        ...all.map(
          ({ id, name, slug, inDoubt }) =>
            `- ${slug}: "${name}", ${countWords(inDoubt, 'recipient')} in doubt: facteur campaign release --workspace ${slug} ${id}`,
        ),
      ]

/** `more`: where an s does not make the plural. */
export const countWords = (count: number, singular: string, more = `${singular}s`): string =>
  `${shownNumber(count)} ${count === 1 ? singular : more}`

/** A line for each workspace, and the next step; after a review, that is to decide. */
export function withheldLines(
  all: readonly WithheldWorkspace[],
  { now, isReview }: { now: Date; isReview: boolean },
): string[] {
  if (all.length === 0) return ['Nothing was pending in it, so nothing is held.']
  const withheld = all.filter(isAnyWithheld)
  const others = all.length - withheld.length
  return [
    'Held until you decide, since it may have left meanwhile:',
    ...withheld.map(
      (each) =>
        `- ${each.slug}: ${countsOfWithheld(each)}${each.since === null ? '' : dueWords(each.since, now)}${knownWords(each.knownSent)}`,
    ),
    ...(others > 0 ? [`- ${countWords(others, 'workspace')} without pending mail`] : []),
    `Delivery events of older mail and our own notices wait too. ${isReview ? 'Next' : 'Look at it: facteur restore review. Then'}: facteur restore release or discard, with --workspace, --campaign or --all`,
  ]
}

const dueWords = (since: Date, now: Date): string =>
  `; the ${since > now ? 'first is' : 'oldest was'} due at ${shownTime(since)} UTC`

export const knownWords = (knownSent: number | null): string =>
  knownSent
    ? `; ${shownNumber(knownSent)} more ${knownSent === 1 ? 'is' : 'are'} known as sent, and release leaves them out`
    : ''

export function countsOfWithheld(
  withheld: Pick<
    WithheldWorkspace,
    'mails' | 'started' | 'campaigns' | 'recipients' | 'deliveries' | 'signUps' | 'imports'
  >,
): string {
  // A scheduled campaign has no recipients yet.
  const toGo =
    withheld.recipients === 0 ? '' : ` with ${countWords(withheld.recipients, 'recipient')} to go`
  const parts: [count: number, one: string, more: string][] = [
    [withheld.mails, 'mail', 'mails'],
    [withheld.started, 'mail whose hand-off had begun', 'mails whose hand-off had begun'],
    [withheld.campaigns, `campaign${toGo}`, `campaigns${toGo}`],
    [withheld.deliveries, 'webhook delivery', 'webhook deliveries'],
    [withheld.signUps, 'sign-up', 'sign-ups'],
    [withheld.imports, 'import', 'imports'],
  ]
  return parts
    .flatMap(([count, singular, more]) => (count > 0 ? [countWords(count, singular, more)] : []))
    .join(', ')
}
