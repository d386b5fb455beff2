/** `facteur campaign create` and `set`: write a campaign's content from files. */
import type { CampaignRequest } from '../../../contract/campaigns.ts'
import { createCampaign } from '../../../core/campaigns/create-campaign.ts'
import { presentCampaign } from '../../../core/presentation/present-campaign.ts'
import { updateCampaign } from '../../../core/campaigns/update-campaign.ts'
import { compileSchemas, validateShape } from '../../../core/input/validate-shape.ts'
import { resolveWorkspace } from '../find-workspace.ts'
import { CommandRefusal } from '../refusal.ts'
import { printed } from '../result.ts'
import { pairs } from '../terminal-text.ts'
import { readNameFlag, readSwitch, readText } from '../values.ts'
import { defineDatabaseCommand } from '../with-context.ts'
import { campaignArgument, resolveCampaign, ofWorkspace } from './find-campaign.ts'
import { contentFlags, validateContentFlags, readContent } from './read-content.ts'
import type { ContentFiles } from './read-content.ts'
import { describeCampaign } from './show-command.ts'

const writtenFlags = {
  preheader: { value: 'TEXT', text: 'What lists of mails show after the subject.', required: false, read: readText },
  from: { value: 'SENDER', text: "A sender of the workspace; at first its default one's.", required: false, read: readText },
  ...contentFlags,
} as const

const campaignCreate = defineDatabaseCommand({
  name: 'campaign create',
  summary: 'Makes a draft from a file: a text, blocks, or an HTML document',
  note: 'Nothing is sent. Merge tags such as {{firstName | default: "you"}} may stand in subject, preheader and content.',
  arguments: {},
  flags: {
    ...ofWorkspace,
    name: { value: 'N', text: 'For you: recipients do not see it.', required: true, read: readNameFlag },
    subject: { value: 'S', text: 'The subject line.', required: true, read: readText },
    ...writtenFlags,
  },
  judge: (flags) => {
    validateContentFlags(flags)
    if (flags.text === null && flags.content === null && flags.html === null)
      throw new CommandRefusal('usage', 'What is it about? Give one of --text, --content and --html.')
  },
  examples: [
    'campaign create --workspace acme --name "November news" --subject "What is new, {{firstName | default: \'friends\'}}" --text news.txt',
    'campaign create --workspace acme --name "Sale" --subject "Everything must go" --content blocks.json --preheader "Until Sunday"',
  ],
  run: async (ctx, { workspace: W, ...flags }) => {
    const workspace = await resolveWorkspace(ctx, W)
    const body = checkRequest(await readWritten(flags))
    const { id } = (await createCampaign({ ...ctx, workspaceId: workspace.id }, { body })).body
    const next = (verb: string, rest = ''): string => `facteur campaign ${verb} --workspace ${workspace.slug} ${id}${rest}`
    const steps = [next('test', ' ADDRESS'), next('preflight'), next('send', ' --yes')].join('\n      ')
    const { campaign } = await resolveCampaign(ctx, { workspace: W, ID: id })
    return printed(presentCampaign(campaign), `"${campaign.name}" is a draft: ${id}\nNext: ${steps}`)
  },
})

const campaignSet = defineDatabaseCommand({
  name: 'campaign set',
  summary: 'Changes a draft: what is given takes the place of what was',
  arguments: { ID: campaignArgument },
  flags: {
    ...ofWorkspace,
    name: { value: 'N', text: 'For you.', required: false, read: readNameFlag },
    subject: { value: 'S', text: 'The subject line.', required: false, read: readText },
    ...writtenFlags,
    'track-opens': { value: 'on|off', text: "At first the workspace's setting.", required: false, read: readSwitch },
    'track-clicks': { value: 'on|off', text: "At first the workspace's setting.", required: false, read: readSwitch },
  },
  judge: ({ ID, workspace, ...flags }) => {
    validateContentFlags(flags)
    if (Object.values(flags).every((value) => value === null))
      throw new CommandRefusal('usage', `Nothing to change of ${ID} in ${workspace}: give at least one flag.`)
  },
  examples: ['campaign set --workspace acme 019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40 --subject "What is new" --text news.txt'],
  run: async (ctx, { workspace: W, ID, 'track-opens': trackOpens, 'track-clicks': trackClicks, ...flags }) => {
    const { workspace, campaign } = await resolveCampaign(ctx, { workspace: W, ID })
    const written = checkRequest({ name: campaign.name, subject: campaign.subject, ...(await readWritten(flags)) })
    const change = {
      ...written,
      ...(trackOpens !== null && { trackOpens }),
      ...(trackClicks !== null && { trackClicks }),
    }
    const changed = await updateCampaign(ctx, workspace.id, { id: campaign.id, change })
    return printed(presentCampaign(changed), pairs(describeCampaign(changed)))
  },
})

interface WrittenFlags extends ContentFiles {
  name: string | null
  subject: string | null
  preheader: string | null
  from: string | null
}

/** The given flags, under the names of the API. */
async function readWritten({ name, subject, preheader, from, ...files }: WrittenFlags): Promise<object> {
  const given = Object.entries({ name, subject, preheader, from }).filter(([, value]) => value !== null)
  return { ...Object.fromEntries(given), ...(await readContent(files)) }
}

/** Files hold anything: their shape is judged as the API judges it. */
function checkRequest(body: object): CampaignRequest {
  compileSchemas()
  return validateShape('createCampaign', { params: {}, query: {}, headers: {}, body }).body
}

export const campaignWriteCommands = [campaignCreate, campaignSet]
