/** Defines sign-up forms: their fields, their look, and the confirmation mail. */
import { BoundedCount } from '../counted.ts'
import { limits } from '../limits.ts'
import { created, fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import {
  DateTime,
  Text,
  Type,
  count,
  eachOptional,
  listOf,
  nullable,
  objectOrNull,
  oneOf,
  type Static,
} from '../schema.ts'
import { settingLimits } from './setting-limits.ts'
import { recipientLanguages } from '../../ground/texts/languages.ts'

const exampleId = 'AAAAAAABAZqjwn9ufRCKRC8_XRybcA'

const colour = Type.String({ pattern: '^#[0-9a-f]{6}$', examples: ['#1a56db'] })

export const FormColours = Type.Object({ background: colour, text: colour, button: colour })
export type FormColours = Static<typeof FormColours>

/**
 * The texts of the confirmation mail; null is ours. The link, the closing text and the postal
 * address are always ours.
 */
const FormMail = Type.Object({
  subject: Text.orNull({
    maxLength: settingLimits.formSubjectMax,
    description: 'Subject of the mail.',
  }),
  text: Text.orNull({
    maxLength: settingLimits.formMailTextMax,
    description: 'The text of the mail before its button.',
  }),
  button: Text.orNull({
    maxLength: settingLimits.formButtonMax,
    description: 'The text of its button.',
  }),
})
export type FormMail = Static<typeof FormMail>

const FormAsk = Type.Object({
  field: Type.String({
    pattern: '^(?:firstName|lastName|fields\\.[a-z][a-z0-9_]{0,59})$',
    description:
      '`firstName`, `lastName`, or `fields.` and the key of a custom field, which is defined by this.',
    examples: ['fields.city'],
  }),
  label: Text.orNull({ maxLength: settingLimits.formLabelMax }),
})

const words = (description: string) =>
  Text.orNull({ maxLength: settingLimits.formWordsMax, description })

const address = (description: string) =>
  Text.orNull({
    maxLength: settingLimits.formUrlMax,
    description,
    examples: ['https://shop.example/thanks'],
  })

const settings = {
  name: Type.String({
    minLength: 1,
    maxLength: settingLimits.formNameMax,
    description: 'The heading of its page.',
    examples: ['Our news'],
  }),
  intro: words('Words under the heading.'),
  consent: words(
    'What a visitor agrees to, kept as evidence; absent: words of ours, in the language of the visitor.',
  ),
  asks: Type.Array(FormAsk, {
    maxItems: settingLimits.formAsksMax,
    description: 'Beside the address: names and custom fields.',
  }),
  tags: Type.Array(Type.String({ maxLength: limits.subscriberTagMax }), {
    maxItems: limits.subscriberTagsMax,
    description: 'Tags for all who sign up by it.',
  }),
  topics: Type.Array(Type.String({ format: 'uuid' }), {
    maxItems: limits.topicsMax,
    description:
      'Identifiers of topics that visitors choose from, in their order. Who ticks one joins it, who does not leaves it, once they confirm.',
  }),
  colours: nullable(FormColours),
  mail: FormMail,
  language: nullable(
    oneOf(recipientLanguages, {
      description: "Of its page and its mail; absent: the visitor's, else the workspace's.",
    }),
  ),
  origins: Type.Array(
    Type.String({ maxLength: settingLimits.formUrlMax, examples: ['https://shop.example'] }),
    {
      maxItems: settingLimits.formOriginsMax,
      description:
        'Pages that may sign people up by `json_url`: scheme, host and port, such as `https://shop.example`.',
    },
  ),
  thanks_url: address('Where a visitor goes after signing up: https; absent: our page.'),
  confirmed_url: address('Where a visitor goes after confirming: https; absent: our page.'),
}

/** For so long sign-ups count. */
export const signUpDays = 30

const Form = Type.Object({
  object: Type.Literal('form'),
  id: Type.String({ examples: [exampleId] }),
  ...settings,
  enabled: Type.Boolean(),
  closed_because: nullable(
    oneOf(['disabled', 'no_sender', 'unverified_from_domain', 'reputation_blocked'], {
      description: 'Why its page is closed now; null: it is open.',
    }),
  ),
  url: Type.String({ examples: [`https://mail.example/forms/${exampleId}`] }),
  sign_ups: Type.Object(
    { ...BoundedCount.properties, confirmed: count('Of `count`, those who confirmed.') },
    { description: `Contacts who came by it in the last ${signUpDays} days.` },
  ),
  embed: Type.String({ description: 'HTML to paste into any page.' }),
  json_url: Type.String({
    description:
      'Takes a sign-up as JSON from pages of `origins`, without a key: `email`, the fields by their names, and `topics`, a list of those that the visitor ticked.',
    examples: [`https://mail.example/forms/${exampleId}/json`],
  }),
  snippet: Type.String({
    description: 'HTML and a script to paste into pages of `origins`: the visitor stays there.',
  }),
  created_at: DateTime,
  updated_at: DateTime,
})
export type Form = Static<typeof Form>

const FormRequest = Type.Object(
  { ...eachOptional(settings), name: settings.name },
  { examples: [{ name: 'Our news' }] },
)
export type FormRequest = Static<typeof FormRequest>

const FormUpdate = Type.Object(
  {
    ...eachOptional(settings),
    enabled: Type.Optional(Type.Boolean({ description: 'Whether its page accepts sign-ups.' })),
  },
  { examples: [{ enabled: false }] },
)

const FormPreview = Type.Object({
  object: Type.Literal('form_preview'),
  page: Type.String({ description: 'The page as visitors get it, as HTML.' }),
  mail: Type.Object({ from: Text.orNull(), subject: Type.String(), text: Type.String() }),
  contrast: objectOrNull({
    text: Type.Number({
      description: 'Of the text on the background; 4.5 at least (WCAG 1.4.3).',
      examples: [12.6],
    }),
    button: Type.Number({
      description: 'Of the button on the background; 3 at least (WCAG 1.4.11).',
      examples: [6.1],
    }),
  }),
})

const language = Type.Optional(
  oneOf(recipientLanguages, {
    description: "Absent: the form's, else the workspace's, which own words of the mail are in.",
  }),
)
const params = Type.Object({
  id: Type.String({ description: 'Identifier of the form.', examples: [exampleId] }),
})
const FormDeleted = Type.Object({
  object: Type.Literal('form'),
  id: Type.String({ examples: [exampleId] }),
  deleted: Type.Literal(true),
})

const forms = operationsOf({ ...ofMembers, tag: 'Subscribers', params })

export const formOperations = {
  listForms: forms.get('/api/v1/forms', listOf(Form), {
    summary: 'List sign-up forms',
    description: 'All of the workspace, in the order in which they were made.',
  }),
  createForm: forms.post('/api/v1/forms', created(Form), {
    summary: 'Make a sign-up form',
    description: 'Its page is open at once. Colours that cannot be read on each other are refused.',
    body: FormRequest,
  }),
  getForm: forms.get('/api/v1/forms/{id}', Form, {
    summary: 'Read a sign-up form',
    description: 'With its address, and the HTML to paste into a page.',
  }),
  updateForm: forms.patch('/api/v1/forms/{id}', Form, {
    summary: 'Change, open or close a sign-up form',
    description: 'The fields that are given change, for all who open its page from then on.',
    body: FormUpdate,
  }),
  deleteForm: forms.delete('/api/v1/forms/{id}', FormDeleted, {
    summary: 'Delete a sign-up form',
    description:
      'Its page is gone for good. People who came by it stay, with what they agreed to; those who were asked to confirm still can.',
  }),
  previewForm: forms.post('/api/v1/forms/preview', FormPreview, {
    role: 'viewer',
    summary: 'Show a sign-up form that is being written',
    description: 'Stores nothing, and answers the contrast of the colours without refusing them.',
    query: Type.Object({ language }),
    body: FormRequest,
  }),
  previewFormMail: forms.get('/api/v1/forms/preview/mail', fileAnswer, {
    summary: 'Show the mail that asks to confirm, as it is being written',
    description: 'The HTML part, with a link that leads nowhere.',
    query: Type.Object({
      subject: Text.optional({ maxLength: settingLimits.formSubjectMax }),
      text: Text.optional({ maxLength: settingLimits.formMailTextMax }),
      button: Text.optional({ maxLength: settingLimits.formButtonMax }),
      language,
    }),
  }),
}
