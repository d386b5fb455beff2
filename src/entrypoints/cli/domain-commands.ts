/** `facteur domain …`: the domains that a workspace may send from. */
import { existing } from '../../contract/errors.ts'
import type { Domain } from '../../contract/workspace/domains.ts'
import { domainBody } from '../../core/domains/domain-body.ts'
import { lookUpDomain } from '../../core/domains/look-up-domain.ts'
import { openDomain } from '../../core/domains/open-domain.ts'
import { verifyDomain } from '../../db/domains/domains.ts'
import { callOperation } from './derive/call-operation.ts'
import { derive, type About } from './derive/derive-command.ts'
import { deriveList } from './derive/derive-list.ts'
import { printCompliance } from './domain/print-compliance.ts'
import { printRecords, printUnset } from './domain/print-records.ts'
import { printReports } from './domain/print-reports.ts'
import { domainWarmUp } from './domain/warm-up-command.ts'
import { cellOf } from './present.ts'
import { shownNumber } from './result.ts'
import { sayRefusal } from './say-refusal.ts'
import { readDomainFlag } from './values.ts'

/** A domain is known by its name. */
const ofDomain = {
  places: { name: 'DOMAIN' },
  foundBy: { list: 'listDomains', field: 'name' },
  key: 'name',
  read: { name: readDomainFlag },
} as const

/** `expected` is what `value` was called with these commands. */
const withExpected = (domain: Domain): object => ({
  ...domain,
  records: domain.records.map((record) => ({ ...record, expected: record.value })),
})

const sayNext = ({ name }: Domain, { workspace }: About): string =>
  `Next: facteur domain verify --workspace ${workspace.slug} ${name}`

const paragraphs = (...texts: string[]): string => texts.filter((text) => text !== '').join('\n\n')

export const domainCommands = [
  derive('addDomain', {
    places: { name: 'DOMAIN' },
    key: 'name',
    read: { name: readDomainFlag, return_path_host: readDomainFlag, tracking_host: readDomainFlag },
    note: 'Makes its keys and shows the DNS records to set; for a known domain, shows them again. The service then checks DNS in the background; "domain verify" checks at once.',
    examples: ['domain add --workspace acme mail.acme.example'],
    json: withExpected,
    say: (domain, about) =>
      paragraphs(
        `${domain.name} is a domain of ${about.workspace.slug} (${domain.status}).`,
        printRecords(domain),
        printUnset(domain).join('\n'),
        domain.status === 'verified' ? '' : sayNext(domain, about),
      ),
  }),
  derive('checkDomain', {
    ...ofDomain,
    name: 'domain verify',
    note: 'The RSA key’s DKIM record proves a domain; each other record is found, wrong, missing or unanswered. Exit code 1 while it is not verified. With --force the operator vouches for the domain, and later checks of DNS never undo that.',
    switches: { force: { text: 'Without looking at DNS.' } },
    examples: [
      'domain verify --workspace acme mail.acme.example',
      'domain verify --workspace acme mail.acme.example --force',
    ],
    instead: (_, about) => queryNow(about),
    json: withExpected,
    failed: ({ status }) => status !== 'verified',
    say: (domain, { workspace, words }) =>
      paragraphs(
        domain.status === 'verified'
          ? `${domain.name} is verified: ${workspace.slug} may write from addresses at it.`
          : `${domain.name} is not verified yet: the record that is required was not found.`,
        words['force'] === true ? '' : printRecords(domain),
      ),
  }),
  derive('getDomain', {
    ...ofDomain,
    summary: 'Show the DNS records of a domain as they were last seen',
    note: '',
    examples: ['domain show --workspace acme mail.acme.example'],
    json: withExpected,
    say: (domain) => {
      const checked =
        domain.checked_at === null ? 'not checked yet' : `checked ${cellOf(domain.checked_at)} UTC`
      return `${domain.name}: ${domain.status}, ${checked}.\n\n${printRecords(domain)}`
    },
  }),
  deriveList('listRefusals', {
    name: 'domain refusals',
    ...ofDomain,
    note: 'With --json each has the records and the link, too.',
    examples: ['domain refusals --workspace acme mail.acme.example'],
    columns: [
      { title: 'COUNT', right: true, cell: ({ count }) => shownNumber(count) },
      { title: 'LAST (UTC)', cell: ({ last_at: at }) => cellOf(at) },
      { title: 'PROVIDER', cell: ({ provider }) => provider ?? '' },
      { title: 'ABOUT', cell: ({ requirement }) => requirement },
      { title: 'WHAT TO DO', cell: sayRefusal },
    ],
    empty: 'No mail server named a reason to refuse its mail in the last thirty days.',
  }),
  derive('getDomainCompliance', {
    ...ofDomain,
    name: 'domain compliance',
    summary:
      'Show which requirements of Gmail, Yahoo, Microsoft and La Poste a domain meets, and where to enrol for reports',
    note: 'As the last check of the domain found; "domain verify" checks at once. Exit code 1 while a requirement is not met.',
    examples: ['domain compliance --workspace acme mail.acme.example'],
    failed: ({ requirements }) => requirements.some(({ state }) => state === 'not_met'),
    say: printCompliance,
  }),
  derive('getDomainReports', {
    ...ofDomain,
    name: 'domain reports',
    note: 'DMARC reports say who sends as the domain and what fails, TLS reports how its hosts receive, complaints who reported its mail as spam. Anybody can send a report: those whose sender is not proven are marked.',
    examples: ['domain reports --workspace acme mail.acme.example'],
    say: (reports) => printReports(reports),
  }),
  derive('rotateDomainKeys', {
    ...ofDomain,
    note: 'The present keys sign until the new records are found in DNS. Leave the old records for a week after that: receivers may still check mail that they signed.',
    examples: ['domain rotate --workspace acme mail.acme.example'],
    json: withExpected,
    say: (domain, about) => {
      const waiting = domain.records.filter(({ key }) => key?.state === 'waiting')
      return paragraphs(
        `${domain.name} has new keys. Set their records:`,
        printRecords({ records: waiting }),
        sayNext(domain, about),
      )
    },
  }),
  domainWarmUp,
  derive('removeDomain', {
    ...ofDomain,
    note: 'Refused while a sender, a campaign or waiting mail uses it. Its DNS records can go a week later.',
    examples: ['domain remove --workspace acme mail.acme.example'],
    refusals: {
      conflict: ({ senders, campaigns, waiting }, { words }) =>
        `${String(words['DOMAIN'])} is in use: ${inUse({ senders, 'campaigns planned or on their way': campaigns, 'mail that waits': waiting })}.`,
    },
    say: ({ name }, { workspace }) => `${name} is no longer a domain of ${workspace.slug}.`,
  }),
  deriveList('listDomains', {
    key: 'name',
    everywhere: true,
    note: 'In the order in which they were added.',
    examples: ['domain list --workspace acme'],
    columns: [
      { title: 'DOMAIN', cell: ({ name }) => name },
      'status',
      'created_at',
      'verified_at',
      'checked_at',
    ],
    empty: 'There is no domain yet. Next: facteur domain add --workspace W DOMAIN',
  }),
]

/**
 * Unlike the operation, the command never answers what it found seconds ago: the operator has just
 * changed a record.
 */
async function queryNow({ ctx, workspace: { id }, words }: About): Promise<Domain> {
  const name = String(words['DOMAIN'])
  if (words['force'] === true) {
    await verifyDomain(ctx.db, id, name)
    return callOperation(ctx, id, { id: 'getDomain', params: { name } })
  }
  // A domain from before DKIM keys gets its first ones.
  await openDomain(
    { ...ctx, secrets: await ctx.openSecrets() },
    { workspaceId: id, name, returnPathHost: null, trackingHost: null },
  )
  const domain = existing(await lookUpDomain(ctx, { workspaceId: id, name }))
  return domainBody(domain)
}

const inUse = (counts: Record<string, unknown>): string =>
  Object.entries(counts)
    .filter(([, count]) => Number(count) > 0)
    .map(([what, count]) => `${what} (${String(count)})`)
    .join(', ')
