/** `facteur domain …`: the domains that a workspace may send from. */
import { dropDomain } from '../../core/domains/drop-domain.ts'
import { checkHosts } from '../../core/domains/check-hosts.ts'
import type { DomainHosts, HostProblem } from '../../core/domains/check-hosts.ts'
import { lookUpDomain } from '../../core/domains/look-up-domain.ts'
import { openDomain } from '../../core/domains/open-domain.ts'
import { rotateKeys } from '../../core/domains/rotate-keys.ts'
import { presentDomain } from '../../core/domains/present-domain.ts'
import type { PresentedDomain } from '../../core/domains/present-domain.ts'
import { domainsOf, verifyDomain } from '../../db/domains/domains.ts'
import type { DomainRow } from '../../db/domains/domains.ts'
import type { WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import type { CommandContext } from './command.ts'
import { recordsJson, printRecords, printUnset } from './domain/print-records.ts'
import { domainWarmUp } from './domain/warm-up-command.ts'
import { resolveWorkspace, rowsOf } from './find-workspace.ts'
import { didYouMean } from '../../nearest.ts'
import { anyWorkspaceFlag, workspaceFlag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { listed, printed, timeCell } from './result.ts'
import type { Result } from './result.ts'
import { readDomainFlag } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'

const domainArgument = { text: 'The exact name; its subdomains are not covered.', required: true, read: readDomainFlag } as const
const hostFlag = (text: string) => ({ value: 'HOST', text, required: false, read: readDomainFlag }) as const

const domainAdd = defineDatabaseCommand({
  name: 'domain add',
  summary: 'Adds a domain to a workspace with its DKIM keys, and shows the DNS records to set',
  note: 'The records are looked for in the background from then on; "domain verify" looks at once. Of a domain that is there, the records are shown again.',
  arguments: { DOMAIN: domainArgument },
  flags: {
    workspace: workspaceFlag,
    'return-path': hostFlag('Where its bounces come back to, below the domain. Default: bounce.DOMAIN.'),
    tracking: hostFlag('Host of the links in its mails, below the domain. Default: links.DOMAIN.'),
  },
  examples: ['domain add --workspace acme mail.acme.example'],
  run: async (ctx, { workspace: W, DOMAIN, 'return-path': returnPathHost, tracking: trackingHost }) => {
    const workspace = await resolveWorkspace(ctx, W)
    refuseHosts(DOMAIN, { returnPathHost, trackingHost })
    const secrets = await ctx.openSecrets()
    const domain = await openDomain({ ...ctx, secrets }, workspace.id, { name: DOMAIN, returnPathHost, trackingHost })
    const next = domain.status === 'verified' ? [] : [`Next: facteur domain verify --workspace ${workspace.slug} ${domain.name}`]
    const about = `${domain.name} is a domain of ${workspace.slug} (${domain.status}).`
    const paragraphs = [about, printRecords(domain), printUnset(domain).join('\n'), next.join('\n')]
    return printed(detailed(domain, workspace), paragraphs.filter((text) => text !== '').join('\n\n'))
  },
})

function refuseHosts(name: string, hosts: DomainHosts): void {
  const problem = checkHosts(name, hosts)
  if (problem !== null) throw new CommandRefusal('refused', hostProblems[problem.rule](name, problem.host))
}

const hostProblems: Record<HostProblem['rule'], (name: string, host: string) => string> = {
  domain_too_long: (name) => `${name} is too long: no name for its keys would fit in front of it.`,
  below_domain: (name, host) => `${host} is not below ${name}.`,
  same_host: (_, host) => `${host} cannot be both: the host of links is an alias, and nothing else may stand at its name.`,
}

const domainVerify = defineDatabaseCommand({
  name: 'domain verify',
  summary: 'Looks the DNS records of a domain up, and lets the workspace write from it once they prove it',
  note: 'The RSA key’s DKIM record proves a domain; the others are said to be found, wrong, missing, or not answered for. Exit code 1 while it is not verified. With --force the operator answers for the domain, and DNS takes nothing back.',
  arguments: { DOMAIN: domainArgument },
  flags: { workspace: workspaceFlag, force: { text: 'Without looking at DNS.' } },
  examples: ['domain verify --workspace acme mail.acme.example', 'domain verify --workspace acme mail.acme.example --force'],
  run: async (ctx, { workspace: W, DOMAIN, force }) => {
    const workspace = await resolveWorkspace(ctx, W)
    const known = force ? await verifyDomain(ctx.db, workspace.id, DOMAIN) : await findOrFinish(ctx, workspace, DOMAIN)
    const domain = known && (await (force ? presentDomain : lookUpDomain)(ctx, workspace.id, DOMAIN))
    if (!domain) throw await unknownDomain(ctx, workspace, DOMAIN)
    const isVerified = domain.status === 'verified'
    const about = isVerified
      ? `${domain.name} is verified: ${workspace.slug} may write from addresses at it.`
      : `${domain.name} is not verified yet: the record that is required was not found.`
    const result = printed(detailed(domain, workspace), force ? about : `${about}\n\n${printRecords(domain)}`)
    return isVerified ? result : { ...result, exitCode: 1 }
  },
})

/** A domain that was added before there were keys gets its first. */
async function findOrFinish(ctx: CommandContext, workspace: WorkspaceRow, name: string): Promise<DomainRow | null> {
  const domain = (await domainsOf(ctx.db, workspace.id)).find((row) => row.name === name)
  if (!domain) return null
  return openDomain({ ...ctx, secrets: await ctx.openSecrets() }, workspace.id, {
    name,
    returnPathHost: null,
    trackingHost: null,
  })
}

const domainShow = defineDatabaseCommand({
  name: 'domain show',
  summary: 'Shows the DNS records of a domain as they were last seen',
  arguments: { DOMAIN: domainArgument },
  flags: { workspace: workspaceFlag },
  examples: ['domain show --workspace acme mail.acme.example'],
  run: async (ctx, { workspace: W, DOMAIN }) => {
    const workspace = await resolveWorkspace(ctx, W)
    const domain = await presentDomain(ctx, workspace.id, DOMAIN)
    if (!domain) throw await unknownDomain(ctx, workspace, DOMAIN)
    const looked = domain.checkedAt ? `looked at ${timeCell(domain.checkedAt)} UTC` : 'not looked at yet'
    return printed(detailed(domain, workspace), `${domain.name}: ${domain.status}, ${looked}.\n\n${printRecords(domain)}`)
  },
})

const domainRotate = defineDatabaseCommand({
  name: 'domain rotate',
  summary: 'Makes the next DKIM keys of a domain, and shows the records to set',
  note: 'The present keys sign until the new records are found in DNS. Their records are to stay for a week after that: mail that they signed may still be read.',
  arguments: { DOMAIN: domainArgument },
  flags: { workspace: workspaceFlag },
  examples: ['domain rotate --workspace acme mail.acme.example'],
  run: async (ctx, { workspace: W, DOMAIN }) => {
    const workspace = await resolveWorkspace(ctx, W)
    const rotated = await rotateKeys({ ...ctx, secrets: await ctx.openSecrets() }, workspace.id, DOMAIN)
    if (!rotated) throw await unknownDomain(ctx, workspace, DOMAIN)
    const { domain, underWay } = rotated
    const about = underWay
      ? `${domain.name} has new keys already that wait for their records.`
      : `${domain.name} has new keys. Set their records:`
    const waiting = domain.records.filter(({ key }) => key?.state === 'waiting')
    const next = `Next: facteur domain verify --workspace ${workspace.slug} ${domain.name}`
    return printed(detailed(domain, workspace), `${about}\n\n${printRecords({ records: waiting })}\n\n${next}`)
  },
})

const domainRemove = defineDatabaseCommand({
  name: 'domain remove',
  summary: 'Takes a domain and its keys away from a workspace',
  note: 'Refused while a sender, a campaign or waiting mail is of it. Its DNS records can go a week later.',
  arguments: { DOMAIN: domainArgument },
  flags: { workspace: workspaceFlag },
  examples: ['domain remove --workspace acme mail.acme.example'],
  run: async (ctx, { workspace: W, DOMAIN }) => {
    const workspace = await resolveWorkspace(ctx, W)
    const removed = await dropDomain(ctx, workspace.id, DOMAIN)
    if (removed === 'unknown') throw await unknownDomain(ctx, workspace, DOMAIN)
    if (removed !== 'removed') throw new CommandRefusal('refused', `${DOMAIN} is in use: ${inUse(removed)}.`)
    return printed(
      { id: DOMAIN, workspace_id: String(workspace.id), removed: true },
      `${DOMAIN} is no longer a domain of ${workspace.slug}.`,
    )
  },
})

const inUse = ({ senders, campaigns, waiting }: { senders: number; campaigns: number; waiting: number }): string =>
  [
    ...(senders > 0 ? [`senders (${senders})`] : []),
    ...(campaigns > 0 ? [`campaigns planned or on their way (${campaigns})`] : []),
    ...(waiting > 0 ? [`mail that waits (${waiting})`] : []),
  ].join(', ')

const domainList = defineDatabaseCommand({
  name: 'domain list',
  summary: 'Lists the domains',
  arguments: {},
  flags: { workspace: anyWorkspaceFlag },
  examples: ['domain list --workspace acme'],
  run: (ctx, { workspace: W }): Promise<Result> =>
    Promise.resolve(
      listed({
        pages: rowsOf(ctx, W, (workspaceId) => domainsOf(ctx.db, workspaceId)),
        columns: [
          { title: 'DOMAIN', cell: ({ name }) => name },
          { title: 'WORKSPACE', cell: ({ workspace }) => workspace.slug },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'ADDED (UTC)', cell: ({ createdAt }) => timeCell(createdAt) },
          { title: 'VERIFIED (UTC)', cell: ({ verifiedAt }) => timeCell(verifiedAt) },
          { title: 'CHECKED (UTC)', cell: ({ checkedAt }) => timeCell(checkedAt) },
        ],
        json: toJson,
        empty: 'There is no domain yet. Next: facteur domain add --workspace W DOMAIN',
      }),
    ),
})

async function unknownDomain(ctx: CommandContext, workspace: WorkspaceRow, name: string): Promise<CommandRefusal> {
  const known = (await domainsOf(ctx.db, workspace.id)).map((domain) => domain.name)
  return new CommandRefusal(
    'not_found',
    `${workspace.slug} has no domain ${name}${didYouMean(name, known)} "facteur domain add" adds one.`,
  )
}

const detailed = (domain: PresentedDomain, workspace: WorkspaceRow): object => ({
  ...toJson({ ...domain, workspace }),
  records: recordsJson(domain),
})

/** A domain is known by its name. */
const toJson = (domain: DomainRow & { workspace: WorkspaceRow }) => ({
  id: domain.name,
  workspace_id: String(domain.workspace.id),
  name: domain.name,
  status: domain.status,
  verified_by: domain.status === 'verified' ? (domain.verifiedBy ?? 'operator') : null,
  created_at: domain.createdAt.toISOString(),
  verified_at: domain.verifiedAt?.toISOString() ?? null,
  checked_at: domain.checkedAt?.toISOString() ?? null,
})

export const domainCommands = [domainAdd, domainVerify, domainShow, domainRotate, domainWarmUp, domainRemove, domainList]
