/**
 * Defines domains as programs read and add them, in the shape that Resend's SDKs know: their
 * records have the states and kinds of its types.
 */
import {
  DateTime,
  Text,
  Type,
  count,
  listOf,
  named,
  nullable,
  oneOf,
  type Static,
} from './schema.ts'

export const exampleDomain = 'mail.acme.example'

const fields = {
  object: Type.Literal('domain'),
  id: Type.String({ description: 'The same as `name`.', examples: [exampleDomain] }),
  name: Type.String({ description: 'As A-label.', examples: [exampleDomain] }),
  status: oneOf(['pending', 'verified']),
  created_at: DateTime,
  verified_at: nullable(DateTime),
  checked_at: nullable(DateTime),
  region: nullable(Type.String({ description: 'Null: domains have no region here.' }), {
    examples: [null],
  }),
  capabilities: Type.Object(
    { sending: Type.Literal('enabled'), receiving: Type.Literal('disabled') },
    { description: 'No mail is received here but bounces and complaints.' },
  ),
}

const ApiDomainRecord = named('ApiDomainRecord', {
  record: oneOf(['DKIM', 'SPF', 'DMARC', 'TLSRPT', 'Tracking'], {
    description: '`SPF` also for the host that bounces come back to.',
  }),
  name: Type.String({
    description: 'The whole name.',
    examples: ['_dmarc.mail.acme.example'],
  }),
  type: Type.String({ examples: ['TXT'] }),
  ttl: Type.Literal('Auto'),
  value: Type.String({
    description: 'The value to set, given the present record.',
    examples: ['v=DMARC1; p=none'],
  }),
  priority: Type.Optional(count('Of an MX record.')),
  status: oneOf(['not_started', 'verified', 'failed', 'pending', 'temporary_failure'], {
    description:
      'At the last check: `failed` has another value, `pending` is not there, of `temporary_failure` DNS did not answer.',
  }),
  required: Type.Boolean({ description: 'The domain is verified by it.' }),
  found: Type.Array(Type.String(), { description: 'The present values in DNS.' }),
  problem: Text.orNull({ description: 'What is wrong with it, as a word.' }),
})

export const ApiDomain = named('ApiDomain', {
  ...fields,
  records: Type.Array(ApiDomainRecord),
})
export type ApiDomain = Static<typeof ApiDomain>

const ApiDomainSummary = named('ApiDomainSummary', fields)
export const ApiDomainList = listOf(ApiDomainSummary, 'ApiDomainList')

const label = (description: string) => Text.optionalOrNull({ maxLength: 253, description })

/** Resend's names of the hosts below the domain. */
export const hostLabels = {
  custom_return_path: label(
    'The first part of `return_path_host`, in its place: what stands before the domain.',
  ),
  tracking_subdomain: label(
    'The first part of `tracking_host`, in its place: what stands before the domain.',
  ),
}
