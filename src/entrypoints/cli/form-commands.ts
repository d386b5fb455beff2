/** `facteur form …`: sign-up forms, and the HTML to paste into your own pages. */
import { limits } from '../../contract/limits.ts'
import { settingLimits } from '../../contract/workspace/setting-limits.ts'
import type { FormColours } from '../../contract/workspace/forms.ts'
import { readLine, splitLines } from '../../contract/plain-text.ts'
import { makeForm } from '../../core/forms/make-form.ts'
import { readColours } from '../../core/forms/form-colours.ts'
import { readFormId, writeFormId } from '../../core/forms/form-id.ts'
import { formTexts } from '../../core/forms/form-texts.ts'
import { readAsk } from '../../core/forms/read-ask.ts'
import { updateForm } from '../../core/forms/update-form.ts'
import { writeEmbed } from '../../core/forms/write-embed.ts'
import { findAsker } from '../../core/audience/send-confirmation.ts'
import { formWithWorkspace, signUpFormsOf } from '../../db/forms/sign-up-forms.ts'
import type { FormAsk, FormWithWorkspace, SignUpFormRow } from '../../db/forms/sign-up-forms.ts'
import type { CommandContext } from './command.ts'
import { rowsOf, resolveWorkspace } from './find-workspace.ts'
import { anyWorkspaceFlag, workspaceFlag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { listed, printed, timeCell } from './result.ts'
import type { PrintedValue } from './result.ts'
import { readNameFlag } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'

const formArgument = { text: 'The identifier of a form, as "form list" shows it.', required: true, read: readId } as const

const formCreate = defineDatabaseCommand({
  name: 'form create',
  summary: 'Makes a form by which people sign up',
  note: 'A person who signs up confirms by a mail from the default sender. The address is always asked; the rest may be left empty.',
  arguments: { NAME: { text: 'The heading of its page.', required: true, read: readNameFlag } },
  flags: {
    workspace: workspaceFlag,
    intro: { value: 'TEXT', text: 'Words under the heading.', required: false, read: readWords },
    consent: {
      value: 'TEXT',
      text: 'What a visitor agrees to; kept as evidence. Left out: words of ours, in the language of the visitor.',
      required: false,
      read: readWords,
    },
    ask: {
      value: 'WHAT',
      text: 'What is asked beside the address: firstName, lastName, or a custom field as key=Label.',
      required: false,
      many: true,
      read: readOneAsk,
    },
    tag: { value: 'TAG', text: 'A tag of everybody who comes by it.', required: false, many: true, read: readTag },
  },
  examples: ['form create --workspace acme "Our newsletter" --ask firstName --ask "city=Your city" --tag newsletter'],
  judge({ ask, tag }) {
    if (ask.length > settingLimits.formAsksMax || new Set(ask.map(({ field }) => field)).size < ask.length)
      throw new CommandRefusal('usage', `A form asks ${settingLimits.formAsksMax} things at most, each once.`)
    if (tag.length > limits.subscriberTagsMax)
      throw new CommandRefusal('usage', `A form gives ${limits.subscriberTagsMax} tags at most.`)
  },
  run: async (ctx, { workspace: W, NAME, intro, consent, ask, tag }) => {
    const workspace = await resolveWorkspace(ctx, W)
    const row = await makeForm(ctx, workspace.id, { name: NAME, intro, consent, asks: ask, tags: [...new Set(tag)] })
    return showForm(ctx, await mustFind(ctx, { workspaceId: workspace.id, id: row.id }))
  },
})

const formList = defineDatabaseCommand({
  name: 'form list',
  summary: 'Lists the forms by which people sign up',
  arguments: {},
  flags: { workspace: anyWorkspaceFlag },
  examples: ['form list --workspace acme'],
  run: (ctx, { workspace: W }) =>
    Promise.resolve(
      listed({
        pages: rowsOf(ctx, W, (workspaceId) => signUpFormsOf(ctx.db, workspaceId)),
        columns: [
          { title: 'ID', cell: ({ workspace, id }) => writeFormId({ workspaceId: workspace.id, id }) },
          { title: 'WORKSPACE', cell: ({ workspace }) => workspace.slug },
          { title: 'NAME', cell: ({ name }) => name },
          { title: 'OPEN', cell: ({ enabled }) => (enabled ? 'yes' : 'no') },
          { title: 'MADE (UTC)', cell: ({ createdAt }) => timeCell(createdAt) },
        ],
        json: ({ workspace, ...form }) => toJson(ctx, workspace.id, form),
        empty: 'There is no form yet. Next: facteur form create --workspace W NAME',
      }),
    ),
})

const formShow = defineDatabaseCommand({
  name: 'form show',
  summary: 'Shows a form, its address, and the HTML to paste into a page',
  arguments: { FORM: formArgument },
  flags: {},
  examples: ['form show AAAAAAABAZ...'],
  run: async (ctx, { FORM }) => showForm(ctx, await mustFind(ctx, FORM)),
})

const formSet = defineDatabaseCommand({
  name: 'form set',
  summary: 'Changes the words and the colours of a form, and the words of its confirmation mail',
  note: 'Flags that are not given leave what is set; none goes back to ours. The mail keeps its link and what to do with one that nobody asked for.',
  arguments: { FORM: formArgument },
  flags: {
    name: { value: 'NAME', text: 'The heading of its page.', required: false, read: readNameFlag },
    intro: { value: 'TEXT', text: 'Words under the heading.', required: false, read: readWords },
    consent: { value: 'TEXT', text: 'What a visitor agrees to.', required: false, read: readWords },
    colours: {
      value: 'C,C,C',
      text: 'Of background, text and button, such as "#ffffff,#1b2430,#1d5fd1". Refused where one cannot be read on the other.',
      required: false,
      read: readColourList,
    },
    'mail-subject': { value: 'TEXT', text: 'Subject of the mail.', required: false, read: readWords },
    'mail-text': { value: 'TEXT', text: 'What the mail says before its button.', required: false, read: readWords },
    'mail-button': { value: 'TEXT', text: 'What its button says.', required: false, read: readWords },
  },
  judge: ({ FORM, ...flags }) => {
    if (Object.values(flags).every((value) => value === null))
      throw new CommandRefusal('usage', `Nothing to set for ${writeFormId(FORM)}: give at least one flag.`)
  },
  examples: ['form set AAAAAAABAZ... --colours "#10261c,#f2fff8,#7be0b0" --mail-subject "Do you want our letters?"'],
  run: async (ctx, { FORM, name, intro, consent, colours, ...mail }) => {
    const { form } = await mustFind(ctx, FORM)
    const words = {
      subject: given(mail['mail-subject'], form.mail?.subject ?? null),
      text: given(mail['mail-text'], form.mail?.text ?? null),
      button: given(mail['mail-button'], form.mail?.button ?? null),
    }
    const body = {
      ...(name !== null && { name }),
      ...(intro !== null && { intro: given(intro, null) }),
      ...(consent !== null && { consent: given(consent, null) }),
      ...(colours !== null && { colours: colours === 'none' ? null : colours }),
      mail: words,
    }
    await updateForm({ ...ctx, workspaceId: FORM.workspaceId }, { params: { id: writeFormId(FORM) }, body })
    return showForm(ctx, await mustFind(ctx, FORM))
  },
})

/** `none` is ours; what is not given is as it was. */
const given = (text: string | null, before: string | null): string | null =>
  text === null ? before : text === 'none' ? null : text

function readColourList(text: string): FormColours | 'none' {
  if (text === 'none') return text
  const [background, words, button, ...rest] = text.split(',').map((part) => part.trim().toLowerCase())
  const colours = readColours({ background, text: words, button })
  if (colours && rest.length === 0) return colours
  throw new CommandRefusal('usage', `"${text}" is not three colours such as "#ffffff,#1b2430,#1d5fd1".`)
}

const switchCommand = (name: 'enable' | 'disable', summary: string) =>
  defineDatabaseCommand({
    name: `form ${name}`,
    summary,
    arguments: { FORM: formArgument },
    flags: {},
    examples: [`form ${name} AAAAAAABAZ...`],
    run: async (ctx, { FORM }) => {
      await mustFind(ctx, FORM)
      const here = { ...ctx, workspaceId: FORM.workspaceId }
      await updateForm(here, { params: { id: writeFormId(FORM) }, body: { enabled: name === 'enable' } })
      const { workspaceId, form } = await mustFind(ctx, FORM)
      return printed(toJson(ctx, workspaceId, form), `"${form.name}" is ${form.enabled ? 'open' : 'closed'}.`)
    },
  })

interface FormPlace {
  workspaceId: number
  id: string
}

type FoundForm = FormPlace & { form: FormWithWorkspace }

async function mustFind(ctx: CommandContext, place: FormPlace): Promise<FoundForm> {
  const form = await formWithWorkspace(ctx.db, place.workspaceId, place.id)
  if (!form) throw unknownForm(place)
  return { ...place, form }
}

const unknownForm = (place: FormPlace): CommandRefusal =>
  new CommandRefusal('not_found', `There is no form ${writeFormId(place)}. "facteur form list" shows all.`)

async function showForm(ctx: CommandContext, { workspaceId, form }: FoundForm): Promise<PrintedValue> {
  const asker = await findAsker(ctx, ctx.db, workspaceId)
  const language = form.language ?? ctx.settings.language
  const address = addressOf(ctx, workspaceId, form.id)
  const embed = writeEmbed(form, { address, workspaceName: form.workspaceName }, formTexts[language])
  const lines = [
    `"${form.name}" is ${form.enabled ? 'open' : 'closed'}.`,
    ...('refusal' in asker ? [`Its page stays closed while the workspace can ask nobody to confirm: ${asker.refusal}.`] : []),
    `Its page: ${address}`,
    'To paste into a page of your own:',
    '',
    embed,
  ]
  return printed({ ...toJson(ctx, workspaceId, form), embed }, lines.join('\n'))
}

const addressOf = (ctx: CommandContext, workspaceId: number, id: string): string =>
  `${ctx.settings.baseUrl}/forms/${writeFormId({ workspaceId, id })}`

const toJson = (ctx: CommandContext, workspaceId: number, form: SignUpFormRow) => ({
  id: writeFormId({ workspaceId, id: form.id }),
  workspace_id: String(workspaceId),
  name: form.name,
  intro: form.intro,
  consent: form.consent,
  asks: form.asks,
  tags: form.tags,
  colours: form.colours,
  mail: form.mail,
  enabled: form.enabled,
  url: addressOf(ctx, workspaceId, form.id),
  created_at: form.createdAt.toISOString(),
})

function readId(text: string): FormPlace {
  const place = readFormId(text)
  if (!place) throw new CommandRefusal('usage', `"${text}" is not the identifier of a form: "facteur form list" shows them.`)
  return place
}

function readOneAsk(text: string): FormAsk {
  const ask = readAsk(text)
  if (!ask) throw new CommandRefusal('usage', `"${text}" is none of firstName, lastName, and key=Label such as "city=Your city".`)
  return ask
}

function readTag(text: string): string {
  const tag = readLine(text, limits.subscriberTagMax)
  if (tag !== null) return tag
  throw new CommandRefusal('usage', `A tag is 1 to ${limits.subscriberTagMax} characters, without control characters.`)
}

function readWords(text: string): string {
  const words = splitLines(text, settingLimits.formWordsMax)
  if (words !== null) return words
  throw new CommandRefusal(
    'usage',
    `The words are 1 to ${settingLimits.formWordsMax.toLocaleString('en')} characters, without control characters but line feeds.`,
  )
}

export const formCommands = [
  formCreate,
  formList,
  formShow,
  formSet,
  switchCommand('enable', 'Opens a form again'),
  switchCommand('disable', 'Closes a form: its page says so'),
]
