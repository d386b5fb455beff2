/** `facteur campaign preview`, `test`, `preflight`: checks of a campaign before it is sent. */
import { previewCampaign } from '../../../core/campaigns/preview-campaign.ts'
import { preflightCampaign, type Preflight } from '../../../core/campaigns/preflight-campaign.ts'
import { sendTest } from '../../../core/campaigns/send-test.ts'
import { argument, flag } from '../parameters.ts'
import { reportFindings } from '../report-findings.ts'
import { shownNumber, printed, type Result } from '../result.ts'
import { readAddress } from '../values.ts'
import { defineCampaignCommand, exampleId } from './campaign-command.ts'
import { printFinding } from './print-finding.ts'

const campaignPreview = defineCampaignCommand({
  name: 'campaign preview',
  summary: 'Write a campaign as a reader would see it to standard output',
  note: 'The HTML; with --json subject, HTML and text. Its personal links are placeholders: a click changes nothing.',
  flags: {
    as: flag(
      'ADDRESS',
      'Filled in for this subscriber; absent: with the defaults of the merge tags.',
      readAddress,
    ),
    text: { text: 'The plain part instead.' },
  },
  examples: [
    `campaign preview --workspace acme ${exampleId} > preview.html`,
    `campaign preview --workspace acme ${exampleId} --as ada@example.com --text`,
  ],
  run: async (ctx, { as, text: isPlain }) => {
    const { id } = ctx.campaign
    const { subject, html, text } = await previewCampaign(ctx, {
      workspaceId: ctx.workspace.id,
      id,
      email: as?.key ?? null,
    })
    return {
      kind: 'raw',
      bytes: Buffer.from(isPlain ? text : html),
      json: { id, subject, html, text },
    }
  },
})

const campaignTest = defineCampaignCommand({
  name: 'campaign test',
  summary: 'Send one copy to an address, marked as a test',
  note: 'It counts in no statistics and in no quota. The values of the address are filled in where it is a subscriber.',
  arguments: { ADDRESS: argument('Who looks at it.', readAddress) },
  examples: [`campaign test --workspace acme ${exampleId} you@acme.example`],
  run: async (ctx, { ADDRESS }) => {
    const { workspace, campaign } = ctx
    const [message] = await sendTest(ctx, {
      workspaceId: workspace.id,
      id: campaign.id,
      to: [ADDRESS],
    })
    const where = (await ctx.captures(workspace.id))
      ? ` See it on ${ctx.settings.baseUrl}/captured`
      : ''
    return printed(
      { object: 'campaign_test', id: campaign.id, email_id: message?.id, to: ADDRESS.address },
      `A test of "${campaign.name}" is on its way to ${ADDRESS.address}: it leaves while the service runs.${where}`,
    )
  },
})

const campaignPreflight = defineCampaignCommand({
  name: 'campaign preflight',
  summary:
    'Check a draft before it is sent: sender, addresses, links, pictures, size, quota, and its recipients',
  note: 'Asks each link once. Sends nothing. Exit code 1 when something is wrong; warnings alone are 0.',
  examples: [`campaign preflight --workspace acme ${exampleId}`],
  run: async (ctx) => {
    const { workspace, campaign } = ctx
    const preflight = await preflightCampaign(ctx, {
      ...{ workspaceId: workspace.id, id: campaign.id },
      captures: await ctx.captures(workspace.id),
    })
    return report(preflight, workspace.slug)
  },
})

function report({ campaign: { id }, findings, audience }: Preflight, slug: string): Result {
  const { reachable, notReached } = audience
  const lines = findings.map((finding) => ({
    ...{ name: finding.check.replaceAll('_', ' '), status: finding.status },
    ...printFinding(finding, { slug, id }),
  }))
  return reportFindings(lines, {
    lead: `It would reach ${shownNumber(reachable)}. `,
    json: (status) => ({
      object: 'campaign_preflight',
      id,
      status,
      reachable,
      held_back: notReached,
      findings,
    }),
  })
}

export const campaignCheckCommands = [campaignPreview, campaignTest, campaignPreflight]
