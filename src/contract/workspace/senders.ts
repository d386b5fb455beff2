/** Defines senders: the addresses that campaigns and our own notices come from. */
import { limits } from '../limits.ts'
import { settingLimits } from './setting-limits.ts'
import { created, ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, Text, Type, listOf, nullable, oneOf, type Static } from '../schema.ts'

const exampleId = '019aa3c2-7f6e-7d10-8a44-2f3f5d1c9b71'
const name = Text.orNull({
  maxLength: settingLimits.senderNameMax,
  description: 'The name that recipients see before the address.',
})

const Sender = Type.Object({
  object: Type.Literal('sender'),
  id: Type.String({ format: 'uuid', examples: [exampleId] }),
  name: nullable(Type.String(), { examples: ['Acme news'] }),
  email: Type.String({ examples: ['news@mail.acme.example'] }),
  default: Type.Boolean({
    description: 'Campaigns without another one and our own notices are from it.',
  }),
  domain: Type.String({ examples: ['mail.acme.example'] }),
  domain_status: oneOf(['verified', 'pending', 'absent'], {
    description:
      'Nothing is accepted from it until its domain is verified; `absent`: the workspace does not have that domain.',
  }),
  created_at: DateTime,
})
export type Sender = Static<typeof Sender>

const params = Type.Object({
  id: Type.String({ description: 'Identifier of the sender.', examples: [exampleId] }),
})
const SenderRemoved = Type.Object({
  object: Type.Literal('sender'),
  id: Type.String({ format: 'uuid' }),
  removed: Type.Literal(true),
})

const senders = operationsOf({ ...ofMembers, tag: 'Workspace', params })

export const senderOperations = {
  listSenders: senders.get('/api/v1/senders', listOf(Sender), {
    summary: 'List senders',
    description: 'All of the workspace, in the order in which they were added.',
  }),
  addSender: senders.post('/api/v1/senders', created(Sender), {
    summary: 'Add a sender',
    description:
      'Its domain must be verified (422). The first is the default. One whose address is there already is renamed.',
    body: Type.Object(
      {
        email: Type.String({ maxLength: limits.addressMax, examples: ['news@mail.acme.example'] }),
        name: Type.Optional(name),
      },
      { examples: [{ email: 'news@mail.acme.example', name: 'Acme news' }] },
    ),
    errors: ['unverified_from_domain'],
  }),
  updateSender: senders.patch('/api/v1/senders/{id}', Sender, {
    summary: 'Rename a sender, or make it the default',
    description:
      'What is given changes. There is always one default: another is chosen by making it so, and its domain must be verified (422).',
    body: Type.Object(
      { name: Type.Optional(name), default: Type.Optional(Type.Literal(true)) },
      { examples: [{ default: true }] },
    ),
    errors: ['unverified_from_domain'],
  }),
  removeSender: senders.delete('/api/v1/senders/{id}', SenderRemoved, {
    summary: 'Remove a sender',
    description:
      'Refused (409) while `details.campaigns` that are planned are from it, and of the default while there are others ' +
      '(`details.reason: default_sender`).',
    errors: ['conflict'],
  }),
}
