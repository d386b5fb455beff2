/**
 * `facteur reputation …`: a workspace's bounce and complaint rates, its suspension, and the
 * operator's override.
 */
import {
  bounceRateMax,
  complaintRateMax,
  gmailDaysCounted,
  gmailSpamRateMax,
} from '../../contract/thresholds.ts'
import { notifySuspensionChange } from '../../core/reputation/notify-suspension-change.ts'
import {
  beginReputationEpoch,
  setReputationFloors,
  accountStatus,
  type AccountStatusRow,
} from '../../db/workspaces/account-status.ts'
import type { WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import { flag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { shownNumber, printed, shownTime, type PrintedValue } from './result.ts'
import { pairs } from './terminal-text.ts'
import { readWhole } from './values.ts'
import { defineWorkspaceCommand, type WorkspaceContext } from './workspace-command.ts'
import { gmailRate, sendingStatus, suspendedSince } from '../../core/reputation/account-status.ts'

const percentOf = (rate: number): string => `${rate * 100} %`
const [bounceLimit, complaintLimit, gmailLimit] = [
  bounceRateMax,
  complaintRateMax,
  gmailSpamRateMax,
].map(percentOf)
const rule =
  `Sending is suspended above ${bounceLimit} hard bounces or ${complaintLimit} complaints of 30 days, once the floors are reached. ` +
  `A day on which Gmail's users reported more than ${gmailLimit} of a domain's mails as spam, by Google's Postmaster Tools, suspends it until the day is ${gmailDaysCounted} days old, once the floor of hand-offs is reached.`

const reputationShow = defineWorkspaceCommand({
  name: 'reputation show',
  summary: 'Show the bounces and complaints of a workspace and whether it may send',
  note: rule,
  examples: ['reputation show --workspace acme'],
  run: (ctx) => showReputation(ctx, ''),
})

const reputationResume = defineWorkspaceCommand({
  name: 'reputation resume',
  summary: 'Let a suspended workspace send again: its 30 days start over',
  note: 'The workspace receives a mail about it. Paused campaigns stay paused: campaign resume continues each.',
  examples: ['reputation resume --workspace acme'],
  run: async (ctx) => {
    const { id, slug } = ctx.workspace
    await beginReputationEpoch(ctx.db, id)
    await notifySuspensionChange(ctx, id)
    return showReputation(ctx, `${slug} may send; earlier counts no longer apply.\n\n`)
  },
})

const floor = (text: string) => flag('N', text, readWhole(0, 1_000_000_000))

const reputationSet = defineWorkspaceCommand({
  name: 'reputation set',
  summary: 'Set below how many hand-offs, bounces and complaints nothing is suspended',
  note: `${rule} Floors that are not given stay.`,
  flags: {
    'min-handoffs': floor('Hand-offs of 30 days; 100 at first.'),
    'min-bounces': floor('Hard bounces; 5 at first.'),
    'min-complaints': floor('Complaints; 2 at first.'),
  },
  checkLine: (words) => {
    if (
      words['min-handoffs'] === null &&
      words['min-bounces'] === null &&
      words['min-complaints'] === null
    )
      throw new CommandRefusal(
        'usage',
        'Nothing to set: give --min-handoffs, --min-bounces or --min-complaints.',
      )
  },
  examples: ['reputation set --workspace acme --min-handoffs 500 --min-bounces 25'],
  run: async (
    ctx,
    { 'min-handoffs': handOffs, 'min-bounces': bounces, 'min-complaints': complaints },
  ) => {
    const { id, slug } = ctx.workspace
    await setReputationFloors(ctx.db, id, { handOffs, bounces, complaints })
    await notifySuspensionChange(ctx, id)
    return showReputation(ctx, `The floors of ${slug} are set.\n\n`)
  },
})

async function showReputation(
  { db, workspace }: WorkspaceContext,
  sentence: string,
): Promise<PrintedValue> {
  const account = await accountStatus(db, workspace.id)
  const sending = sendingStatus(account)
  const { handOffs, bounces, complaints, handOffsMin, bouncesMin, complaintsMin } = account
  const json = {
    id: String(workspace.id),
    ...sending,
    suspended_since: suspendedSince(account),
    gmail: gmailRate(account),
    hand_offs: handOffs,
    bounces,
    complaints,
    min_hand_offs: handOffsMin,
    min_bounces: bouncesMin,
    min_complaints: complaintsMin,
  }
  return printed(json, `${sentence}${describe(workspace, account, sending)}`)
}

function describe(
  workspace: WorkspaceRow,
  account: AccountStatusRow,
  sending: ReturnType<typeof sendingStatus>,
): string {
  const { handOffs, bounces, complaints, handOffsMin, bouncesMin, complaintsMin } = account
  const since = suspendedSince(account)
  const percent = (share: number): string => `${(share * 100).toFixed(2)} %`
  const lines = pairs([
    [
      'Sending',
      since === null
        ? sending.status
        : `${sending.status}, reported on ${shownTime(new Date(since))} UTC`,
    ],
    ['Hand-offs', `${shownNumber(handOffs)} in 30 days (floor ${shownNumber(handOffsMin)})`],
    [
      'Hard bounces',
      `${shownNumber(bounces)}, ${percent(sending.bounce_rate)} (floor ${shownNumber(bouncesMin)}, limit ${bounceLimit})`,
    ],
    [
      'Complaints',
      `${shownNumber(complaints)}, ${percent(sending.complaint_rate)} (floor ${shownNumber(complaintsMin)}, limit ${complaintLimit})`,
    ],
  ])
  const gmail = gmailRate(account)
  const shown = gmail === null ? lines : `${lines}\n${describeGmail(gmail)}`
  if (sending.status === 'active') return shown
  const until =
    sending.suspended_by === 'gmail_spam_rate'
      ? 'that day no longer counts'
      : 'the last 30 days look better'
  return `${shown}
Nothing new is accepted and campaigns are paused, until ${until}.
Next: find the cause, then facteur reputation resume --workspace ${workspace.slug}`
}

const describeGmail = ({
  domain,
  day,
  spam_rate: rate,
  until,
}: NonNullable<ReturnType<typeof gmailRate>>): string =>
  `Gmail: ${(rate * 100).toFixed(2)} % of the mails of ${domain} were reported as spam on ${day} (limit ${gmailLimit}); that counts until ${shownTime(new Date(until))} UTC.`

export const reputationCommands = [reputationShow, reputationResume, reputationSet]
