/** `facteur form …`: sign-up forms, and the HTML to paste into your own pages. */
import { limits } from '../../contract/limits.ts'
import { readLine } from '../../contract/plain-text.ts'
import { settingLimits } from '../../contract/workspace/setting-limits.ts'
import type { Form, FormColours } from '../../contract/workspace/forms.ts'
import { readColours } from '../../core/forms/form-colours.ts'
import { readFormId } from '../../core/input/form-id.ts'
import { readAsk } from '../../core/forms/read-ask.ts'
import type { FormAsk } from '../../db/forms/sign-up-forms.ts'
import { callOperation, type CallParts } from './derive/call-operation.ts'
import { derive, type About } from './derive/derive-command.ts'
import { deriveList } from './derive/derive-list.ts'
import { CommandRefusal } from './refusal.ts'
import { readNameFlag } from './values.ts'

const exampleId = 'AAAAAAABAZ...'
const ofForm = { everywhere: true, places: { id: 'FORM' } } as const
const texts = {
  asks: 'A field beside the address: firstName, lastName, or a custom field as key=Label.',
  topics: 'The identifier of a topic that visitors may tick, from "facteur topic list".',
  colours:
    'Of background, text and button, such as "#ffffff,#1b2430,#1d5fd1". Refused where one cannot be read on the other.',
}
const values = { colours: 'COLOUR,COLOUR,COLOUR' }
const read = {
  id: readId,
  name: readNameFlag,
  asks: readOneAsk,
  tags: readTag,
  colours: readColourList,
}

const sayState = ({ name, enabled }: Form): string => `"${name}" is ${enabled ? 'open' : 'closed'}.`

const sayForm = (form: Form): string =>
  [
    sayState(form),
    ...(form.closed_because !== null && form.enabled
      ? [
          `Its page stays closed while the workspace cannot send confirmation mails: ${form.closed_because}.`,
        ]
      : []),
    `Its page: ${form.url}`,
    'To paste into a page of your own:',
    '',
    form.origins.length > 0 ? form.snippet : form.embed,
  ].join('\n')

const deriveSwitch = (name: 'enable' | 'disable', summary: string) =>
  derive('updateForm', {
    ...ofForm,
    name: `form ${name}`,
    ...{
      summary,
      note: '',
      read: { id: readId },
      only: ['id'],
      fixed: { enabled: name === 'enable' },
    },
    examples: [`form ${name} ${exampleId}`],
    say: sayState,
  })

export const formCommands = [
  derive('createForm', {
    places: { name: 'NAME' },
    ...{ read, texts, values },
    note: 'A person who signs up confirms by a mail from the default sender. The address is always asked; the rest may be left empty.',
    examples: [
      'form create --workspace acme "Our newsletter" --ask firstName --ask "city=Your city" --tag newsletter',
    ],
    checkLine: checkAsks,
    prepare: (parts) => Promise.resolve(withMail(parts, noMail)),
    say: sayForm,
  }),
  deriveList('listForms', {
    everywhere: true,
    note: 'In the order in which they were made.',
    examples: ['form list --workspace acme'],
    columns: [
      'id',
      'name',
      { title: 'OPEN', cell: ({ enabled }) => (enabled ? 'yes' : 'no') },
      'created_at',
    ],
    empty: 'There is no form yet. Next: facteur form create --workspace W NAME',
  }),
  derive('getForm', {
    ...ofForm,
    read: { id: readId },
    examples: [`form show ${exampleId}`],
    say: sayForm,
  }),
  derive('updateForm', {
    ...ofForm,
    ...{ read, texts, values },
    summary: 'Change the words and the colours of a form, and the words of its confirmation mail',
    note: 'Flags that are not given leave what is set; `none` restores the default. The mail always has its link, and advice for readers who asked for nothing.',
    examples: [
      `form set ${exampleId} --colours "#10261c,#f2fff8,#7be0b0" --mail-subject "Do you want our letters?"`,
    ],
    checkLine: checkAsks,
    prepare: async (parts, about) => withMail(parts, await mailOf(about, parts)),
    say: sayForm,
  }),
  deriveSwitch('enable', 'Open a form again'),
  deriveSwitch('disable', 'Close a form: its page says so'),
]

const noMail = { subject: null, text: null, button: null }

async function mailOf(
  { ctx, workspace }: About,
  { params = {} }: CallParts,
): Promise<Form['mail']> {
  return (await callOperation(ctx, workspace.id, { id: 'getForm', params })).mail
}

/**
 * The operation replaces the words of the mail as a whole, so flags that are not given repeat the
 * stored words.
 */
const withMail = (parts: CallParts, before: Form['mail']): CallParts =>
  parts.body?.['mail'] === undefined
    ? parts
    : { ...parts, body: { ...parts.body, mail: { ...before, ...Object(parts.body['mail']) } } }

function checkAsks({ ask, tag }: Record<string, unknown>): void {
  const fields = Object.values(ask ?? []).map(({ field }: FormAsk) => field)
  if (fields.length > settingLimits.formAsksMax || new Set(fields).size < fields.length)
    throw new CommandRefusal(
      'usage',
      `A form asks ${settingLimits.formAsksMax} things at most, each once.`,
    )
  if (Object.values(tag ?? []).length > limits.subscriberTagsMax)
    throw new CommandRefusal('usage', `A form gives ${limits.subscriberTagsMax} tags at most.`)
}

function readId(text: string): string {
  if (readFormId(text)) return text
  throw new CommandRefusal(
    'usage',
    `"${text}" is not the identifier of a form: "facteur form list" shows them.`,
  )
}

function readColourList(text: string): FormColours {
  const [background, words, button, ...rest] = text
    .split(',')
    .map((part) => part.trim().toLowerCase())
  const colours = readColours({ background, text: words, button })
  if (colours && rest.length === 0) return colours
  throw new CommandRefusal(
    'usage',
    `"${text}" is not three colours such as "#ffffff,#1b2430,#1d5fd1".`,
  )
}

function readOneAsk(text: string): FormAsk {
  const ask = readAsk(text)
  if (ask) return ask
  throw new CommandRefusal(
    'usage',
    `"${text}" is none of firstName, lastName, and key=Label such as "city=Your city".`,
  )
}

function readTag(text: string): string {
  const tag = readLine(text, limits.subscriberTagMax)
  if (tag !== null) return tag
  throw new CommandRefusal(
    'usage',
    `A tag is 1 to ${limits.subscriberTagMax} characters, without control characters.`,
  )
}
