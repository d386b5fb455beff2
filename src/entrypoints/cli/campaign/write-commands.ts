/** `facteur campaign create` and `set`: write a campaign's content from files. */
import type { CampaignRequest } from '../../../contract/campaigns.ts'
import { createCampaign } from '../../../core/campaigns/create-campaign.ts'
import { chooseAudience } from '../../../core/campaigns/audience/set-campaign-audience.ts'
import { presentCampaign } from '../../../core/presentation/present-campaign.ts'
import { changeDraft } from '../../../core/campaigns/update-campaign.ts'
import { compileSchemas, validateShape } from '../../../core/input/validate-shape.ts'
import { audienceFlags, resolveAudience } from './audience-flags.ts'
import { argument, flag, textFlag } from '../parameters.ts'
import { present } from '../present.ts'
import { CommandRefusal } from '../refusal.ts'
import { printed } from '../result.ts'
import { readNameFlag, readSwitch, readText } from '../values.ts'
import { defineWorkspaceCommand } from '../workspace-command.ts'
import { defineCampaignCommand, exampleId, resolveCampaign } from './campaign-command.ts'
import { chooseTopic, resolveTopic } from './topic-command.ts'
import { validateContentFlags, readContent, type ContentFiles } from './read-content.ts'

const writtenFlags = {
  preheader: textFlag('TEXT', 'What lists of mails show after the subject.'),
  from: textFlag('SENDER', "A sender of the workspace; at first its default one's."),
  'reply-to': textFlag('ADDRESS', 'Where answers go; at first to the sender.'),
  text: textFlag('FILE', 'A text: blank lines divide paragraphs, "# " makes a heading.'),
  content: textFlag('FILE', 'Blocks, as a JSON list.'),
  html: textFlag('FILE', 'An HTML document; what mailboxes would not show is taken out.'),
}

const campaignCreate = defineWorkspaceCommand({
  name: 'campaign create',
  summary: 'Make a draft from a file: a text, blocks, or an HTML document',
  note: 'Nothing is sent. Merge tags such as {{firstName | default: "you"}} may stand in subject, preheader and content.',
  flags: {
    name: { ...argument('For you: recipients do not see it.', readNameFlag), value: 'N' },
    subject: { ...argument('The subject line.', readText), value: 'S' },
    ...writtenFlags,
    topic: textFlag('TOPIC', 'Its name or identifier: who left this topic is left out.'),
    ...audienceFlags,
  },
  checkLine: (flags) => {
    validateContentFlags(flags)
    if (flags.text === null && flags.content === null && flags.html === null)
      throw new CommandRefusal(
        'usage',
        'What is it about? Give one of --text, --content and --html.',
      )
  },
  examples: [
    'campaign create --workspace acme --name "November news" --subject "What is new, {{firstName | default: \'friends\'}}" --text news.txt',
    'campaign create --workspace acme --name "Sale" --subject "Everything must go" --content blocks.json --preheader "Until Sunday"',
    'campaign create --workspace acme --name "Thanks" --subject "For you" --text thanks.txt --to Customers --except "Last week"',
  ],
  run: async (ctx, { topic: named, ...flags }) => {
    const { workspace } = ctx
    const topic = named === null ? null : await resolveTopic(ctx, named)
    const body = checkRequest(await readWritten(flags))
    const audience = await resolveAudience(ctx, flags)
    const { id } = (await createCampaign({ ...ctx, workspaceId: workspace.id }, { body })).body
    if (topic !== null) await chooseTopic(ctx, { id, topic })
    if (audience)
      await ctx.db.transaction((tx) =>
        chooseAudience(tx, { workspaceId: workspace.id, id, changedBy: null }, audience),
      )
    const next = (verb: string, rest = ''): string =>
      `facteur campaign ${verb} --workspace ${workspace.slug} ${id}${rest}`
    const steps = [next('test', ' ADDRESS'), next('preflight'), next('send', ' --yes')].join(
      '\n      ',
    )
    const campaign = await resolveCampaign(ctx, id)
    return printed(
      presentCampaign(campaign),
      `"${campaign.name}" is a draft: ${id}\nNext: ${steps}`,
    )
  },
})

const campaignSet = defineCampaignCommand({
  name: 'campaign set',
  summary: 'Change a draft: what is given takes the place of what was',
  flags: {
    name: flag('N', 'For you.', readNameFlag),
    subject: textFlag('S', 'The subject line.'),
    ...writtenFlags,
    'track-opens': flag('on|off', "At first the workspace's setting.", readSwitch),
    'track-clicks': flag('on|off', "At first the workspace's setting.", readSwitch),
  },
  checkLine: ({ ID, workspace, ...flags }) => {
    validateContentFlags(flags)
    if (Object.values(flags).every((value) => value === null))
      throw new CommandRefusal(
        'usage',
        `Nothing to change of ${ID} in ${workspace}: give at least one flag.`,
      )
  },
  examples: [`campaign set --workspace acme ${exampleId} --subject "What is new" --text news.txt`],
  run: async (ctx, { 'track-opens': trackOpens, 'track-clicks': trackClicks, ...flags }) => {
    const { workspace, campaign } = ctx
    const written = checkRequest({
      name: campaign.name,
      subject: campaign.subject,
      ...(await readWritten(flags)),
    })
    const change = {
      ...written,
      ...(trackOpens !== null && { trackOpens }),
      ...(trackClicks !== null && { trackClicks }),
    }
    const changed = await changeDraft(ctx, {
      workspaceId: workspace.id,
      id: campaign.id,
      change,
    })
    const { from, ...shown } = presentCampaign(changed)
    const { preheader, kind, reply_to: replyTo } = shown
    const follows = { 'follows opens': changed.trackOpens, 'follows clicks': changed.trackClicks }
    const text = present({
      name: changed.name,
      subject: changed.subject,
      preheader,
      from,
      ...(replyTo.length > 0 && { 'replies to': replyTo.join(', ') }),
      writtenAs: kind,
      ...follows,
    })
    return printed({ ...shown, from }, text)
  },
})

type WrittenFlags = ContentFiles &
  Record<'name' | 'subject' | 'preheader' | 'from' | 'reply-to', string | null>

/** The given flags, under the names of the API. */
async function readWritten({
  name,
  subject,
  preheader,
  from,
  'reply-to': replyTo,
  ...files
}: WrittenFlags): Promise<object> {
  const fields = Object.entries({ name, subject, preheader, from, replyTo }).filter(
    ([, value]) => value !== null,
  )
  return { ...Object.fromEntries(fields), ...(await readContent(files)) }
}

/** Files hold anything: their shape is checked as the API checks it. */
function checkRequest(body: object): CampaignRequest {
  compileSchemas()
  return validateShape('createCampaign', { params: {}, query: {}, headers: {}, body }).body
}

export const campaignWriteCommands = [campaignCreate, campaignSet]
