/** `facteur domain …`: the domains that a workspace may write from. */
import { domainsOf, insertDomain, verifyDomain } from '../../db/domains.ts'
import type { DomainRow } from '../../db/domains.ts'
import type { WorkspaceRow } from '../../db/workspaces.ts'
import { findWorkspace, rowsOf } from './find-workspace.ts'
import { didYouMean } from './nearest.ts'
import { anyWorkspaceFlag, workspaceFlag } from './parameters.ts'
import { Refusal } from './refusal.ts'
import { listed, shown, timeCell } from './result.ts'
import { readDomain } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'

const domainArgument = { text: 'The exact name; its subdomains are not covered.', required: true, read: readDomain } as const

const domainAdd = defineDatabaseCommand({
  name: 'domain add',
  summary: 'Adds a domain to a workspace, not verified yet',
  arguments: { DOMAIN: domainArgument },
  flags: { workspace: workspaceFlag },
  examples: ['domain add --workspace acme mail.acme.example'],
  run: async (ctx, { workspace: W, DOMAIN }) => {
    const workspace = await findWorkspace(ctx, W)
    const domain = await insertDomain(ctx.db, workspace.id, DOMAIN)
    const next =
      domain.status === 'pending' ? `\nNext: facteur domain verify --workspace ${workspace.slug} ${domain.name} --force` : ''
    return shown(toJson({ ...domain, workspace }), `${domain.name} is a domain of ${workspace.slug} (${domain.status}).${next}`)
  },
})

const domainVerify = defineDatabaseCommand({
  name: 'domain verify',
  summary: 'Lets a workspace write from a domain',
  note: 'Looking at the DNS records comes with delivery to the world. Until then the operator answers for the domain, by --force.',
  arguments: { DOMAIN: domainArgument },
  flags: { workspace: workspaceFlag, force: { text: 'Without looking at DNS.' } },
  examples: ['domain verify --workspace acme mail.acme.example --force'],
  run: async (ctx, { workspace: W, DOMAIN, force }) => {
    const workspace = await findWorkspace(ctx, W)
    if (!force)
      throw new Refusal(
        'refused',
        `Looking at the DNS of ${DOMAIN} comes with delivery to the world: use --force to verify it without.`,
      )
    const domain = await verifyDomain(ctx.db, workspace.id, DOMAIN)
    if (!domain) throw unknownDomain(workspace, DOMAIN, await domainsOf(ctx.db, workspace.id))
    return shown(
      toJson({ ...domain, workspace }),
      `${domain.name} is verified: ${workspace.slug} may write from addresses at it.`,
    )
  },
})

const domainList = defineDatabaseCommand({
  name: 'domain list',
  summary: 'Lists the domains',
  arguments: {},
  flags: { workspace: anyWorkspaceFlag },
  examples: ['domain list --workspace acme'],
  run: (ctx, { workspace: W }) =>
    Promise.resolve(
      listed({
        pages: rowsOf(ctx, W, (workspaceId) => domainsOf(ctx.db, workspaceId)),
        columns: [
          { title: 'DOMAIN', cell: ({ name }) => name },
          { title: 'WORKSPACE', cell: ({ workspace }) => workspace.slug },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'ADDED (UTC)', cell: ({ createdAt }) => timeCell(createdAt) },
          { title: 'VERIFIED (UTC)', cell: ({ verifiedAt }) => timeCell(verifiedAt) },
        ],
        json: toJson,
        empty: 'There is no domain yet. Next: facteur domain add --workspace W DOMAIN',
      }),
    ),
})

function unknownDomain(workspace: WorkspaceRow, name: string, domains: DomainRow[]): Refusal {
  const known = domains.map((domain) => domain.name)
  return new Refusal(
    'not_found',
    `${workspace.slug} has no domain ${name}${didYouMean(name, known)} "facteur domain add" adds one.`,
  )
}

/** A domain is known by its name. */
const toJson = (domain: DomainRow & { workspace: WorkspaceRow }) => ({
  id: domain.name,
  workspace_id: String(domain.workspace.id),
  name: domain.name,
  status: domain.status,
  created_at: domain.createdAt.toISOString(),
  verified_at: domain.verifiedAt?.toISOString() ?? null,
})

export const domainCommands = [domainAdd, domainVerify, domainList]
