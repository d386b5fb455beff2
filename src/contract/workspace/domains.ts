/** Defines a workspace's domains and the DNS records that prove them. */
import { ApiDomain, ApiDomainList, exampleDomain, hostLabels } from '../domains.ts'
import { created, ofMembers, operationsOf } from '../operations-of.ts'
import { RefusalsExplained } from './refusals.ts'
import {
  DateTime,
  Text,
  Type,
  listOf,
  nullable,
  objectOrNull,
  oneOf,
  type Static,
} from '../schema.ts'
import { DomainCompliance } from './compliance.ts'

const nameMax = 253

/** The problem of a record as a code; entry points write the sentences. */
export const recordProblems = [
  // Problems of a DKIM record, as `checkKeyRecord` names them.
  'not_dkim',
  'revoked',
  'other_key',
  'other_kind',
  'other_hash',
  'other_service',
  'testing',
  'several_records',
  // It points to another host than ours, or to other addresses for reports.
  'other_host',
  // The SPF record allows others to send, but not us.
  'not_authorised',
  // The SPF record causes an error at receivers; or a DMARC record has no readable policy.
  'unreadable',
  // The name leads to us, but the service does not answer there.
  'does_not_answer',
  'dns_failed',
] as const
export type RecordProblem = (typeof recordProblems)[number]

const DomainRecord = Type.Object({
  purpose: oneOf(['dkim', 'return_path', 'spf', 'dmarc', 'tls_reports', 'tracking']),
  type: Type.String({ examples: ['TXT'] }),
  name: Type.String({ examples: ['_dmarc.mail.acme.example'] }),
  value: Type.String({
    description: 'The value to set, given the present record.',
    examples: ['v=DMARC1; p=none'],
  }),
  required: Type.Boolean({ description: 'The domain is verified by it.' }),
  status: nullable(
    oneOf(['found', 'wrong', 'missing', 'unanswered'], { description: 'Null: not checked yet.' }),
  ),
  found: Type.Array(Type.String(), { description: 'The present values in DNS.' }),
  problem: nullable(oneOf(recordProblems)),
  key: objectOrNull({
    algorithm: oneOf(['rsa-sha256', 'ed25519-sha256']),
    state: oneOf(['waiting', 'signing', 'retiring', 'retired']),
    retire_at: nullable(DateTime),
  }),
})

const fields = {
  object: Type.Literal('domain'),
  name: Type.String({ description: 'As A-label.', examples: [exampleDomain] }),
  status: oneOf(['pending', 'verified']),
  verified_by: nullable(
    oneOf(['dns', 'operator'], {
      description: '`operator`: by decision of the operator, which DNS checks never undo.',
    }),
  ),
  created_at: DateTime,
  verified_at: nullable(DateTime),
  checked_at: nullable(DateTime),
}

const DomainSummary = Type.Object(fields)

const Domain = Type.Object({
  ...fields,
  records: Type.Array(DomainRecord),
  rotating: Type.Boolean({ description: 'New keys wait for their records.' }),
})
export type Domain = Static<typeof Domain>

const host = (description: string) => Text.orNull({ maxLength: nameMax, description })

const DomainRequest = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'The exact name; its subdomains are not covered.',
    }),
    return_path_host: Type.Optional(
      host('Where its bounces come back to, below the domain; absent: `bounce.` and the domain.'),
    ),
    tracking_host: Type.Optional(
      host('Host of the links in its mails, below the domain; absent: `links.` and the domain.'),
    ),
  },
  { examples: [{ name: exampleDomain }] },
)

const NamedDomain = Type.Object(
  { ...DomainRequest.properties, ...hostLabels },
  { examples: [{ name: exampleDomain }] },
)

const params = Type.Object({
  name: Type.String({ description: 'The domain.', examples: [exampleDomain] }),
})
const DomainRemoved = Type.Object({
  object: Type.Literal('domain'),
  name: params.properties.name,
  removed: Type.Literal(true),
})

const domains = operationsOf({ ...ofMembers, tag: 'Workspace', params })
const owners = operationsOf({ ...ofMembers, tag: 'Workspace', params, role: 'owner' })

const forKeys = { entry: 'api', tag: 'Workspace', params } as const
const reads = operationsOf({ ...forKeys, scope: 'domains:read' })
const writes = operationsOf({ ...forKeys, scope: 'domains:write' })

/** Members read the same with the state of each key, and decide who owns a domain. */
export const keyDomainOperations = {
  listDomains: reads.get('/api/v1/domains', ApiDomainList, {
    summary: 'List domains',
    description: 'All of the workspace, in the order in which they were added.',
    members: { answer: listOf(DomainSummary) },
  }),
  addDomain: writes.post('/api/v1/domains', created(ApiDomain), {
    role: 'owner',
    summary: 'Add a domain',
    description:
      'Makes its keys and answers the DNS records to set. For an existing domain, answers its present state.',
    body: NamedDomain,
    members: { body: DomainRequest, answer: Domain },
  }),
  getDomain: reads.get('/api/v1/domains/{name}', ApiDomain, {
    summary: 'Read a domain',
    description: 'Its records at the last check; DNS is not asked.',
    members: { answer: Domain },
  }),
  checkDomain: writes.post('/api/v1/domains/{name}/check', ApiDomain, {
    summary: 'Check the records of a domain',
    description:
      'Asks DNS now and updates the status. Within a few seconds of another check, for a key within half a minute, answers that result.',
    members: { answer: Domain },
  }),
}

export const domainOperations = {
  listRefusals: domains.get('/api/v1/domains/{name}/refusals', listOf(RefusalsExplained), {
    summary: 'List why mail of a domain is refused',
    description:
      'The causes that mail servers named in the last thirty days, the most frequent first, each with what mends it. All on one page.',
  }),
  getDomainCompliance: domains.get('/api/v1/domains/{name}/compliance', DomainCompliance, {
    summary: 'Read which requirements of receivers a domain meets',
    description:
      'What Gmail, Yahoo, Microsoft and La Poste demand of bulk senders, as of the last check, each with the record that would meet it; ' +
      "Gmail's spam rates; and the programmes by which receivers report on mail. DNS is not asked.",
  }),
  rotateDomainKeys: owners.post('/api/v1/domains/{name}/rotate', Domain, {
    summary: 'Make the next keys of a domain',
    description:
      'The present keys sign until the new records are found. While new keys wait, it makes no others.',
  }),
  removeDomain: owners.delete('/api/v1/domains/{name}', DomainRemoved, {
    summary: 'Remove a domain',
    description:
      'With its keys. Refused while something leaves from it: `details` counts `senders`, `campaigns` and `waiting` recipients.',
    errors: ['conflict'],
  }),
}
