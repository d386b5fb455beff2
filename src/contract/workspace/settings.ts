/** Defines a workspace's settings: its public details, and the tracking of its campaigns. */
import { limits } from '../limits.ts'
import { settingLimits } from './setting-limits.ts'
import { providerNames } from '../../ground/provider-names.ts'
import { ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, Text, Type, nullable, oneOf, optionalOrNull, type Static } from '../schema.ts'
import { memberLanguages, recipientLanguages } from '../../ground/texts/languages.ts'

const language = oneOf(recipientLanguages, {
  description: "Of what its recipients read; null: the installation's.",
})

const Settings = Type.Object({
  object: Type.Literal('settings'),
  id: Type.String({ examples: ['1'] }),
  name: Type.String({ examples: ['Acme'] }),
  slug: Type.String({ examples: ['acme'] }),
  created_at: DateTime,
  language: nullable(language),
  installation_language: oneOf(memberLanguages),
  contact: Text.orNull({
    description: 'Where notices to the workspace go; null: to the default sender.',
  }),
  default_sender: Text.orNull({ examples: ['news@mail.acme.example'] }),
  postal_address: Text.orNull({
    description: 'In the footer of campaigns; lines are divided by line feeds.',
  }),
  track_opens: Type.Boolean(),
  track_clicks: Type.Boolean(),
  time_zone: Text.orNull({
    description: 'By its IANA name: days of segments are those of this zone; null: UTC.',
    examples: ['Europe/Paris'],
  }),
  data_requests: Type.Boolean({
    description:
      'Contacts may ask on the page behind "unsubscribe" for what is stored about them. That page then names `contact`, or the default sender.',
  }),
  requests_per_minute: Type.Integer({ description: 'Of each key.', examples: [600] }),
  provider: Type.Object({
    name: oneOf([...providerNames, 'unusable'], {
      description: '`unusable`: its settings cannot be used now, and mail waits.',
    }),
    own: Type.Boolean({
      description: 'The workspace has one of its own; else it is that of the installation.',
    }),
  }),
})
export type Settings = Static<typeof Settings>

const SettingsUpdate = Type.Object(
  {
    name: Text.optional({ minLength: 1, maxLength: settingLimits.workspaceNameMax }),
    language: optionalOrNull(language),
    contact: Text.optionalOrNull({ maxLength: limits.addressMax }),
    postal_address: Text.optionalOrNull({ maxLength: settingLimits.postalAddressMax }),
    time_zone: Text.optionalOrNull({ maxLength: settingLimits.timeZoneMax }),
    track_opens: Type.Optional(Type.Boolean()),
    track_clicks: Type.Optional(Type.Boolean()),
    data_requests: Type.Optional(Type.Boolean()),
  },
  { examples: [{ track_opens: false }] },
)

const settings = operationsOf({ ...ofMembers, tag: 'Workspace' })

export const settingsOperations = {
  getSettings: settings.get('/api/v1/settings', Settings, {
    summary: 'Read the settings of the workspace',
    description:
      'What its recipients read of it, where it receives notices itself, what it follows, and by what its mail leaves.',
  }),
  updateSettings: settings.patch('/api/v1/settings', Settings, {
    role: 'owner',
    summary: 'Change the settings of the workspace',
    description: 'Only given fields change; null restores the default.',
    body: SettingsUpdate,
  }),
}
