/** `facteur key …`: the API keys of a workspace. */
import { ApiError } from '../../contract/errors.ts'
import { allScopes } from '../../contract/scopes.ts'
import { createApiKey } from '../../core/workspaces/create-api-key.ts'
import { revokeApiKey } from '../../core/workspaces/revoke-api-key.ts'
import { eachWorkspace } from '../../core/each-workspace.ts'
import { apiKeysOf, findApiKey } from '../../db/workspaces/api-keys.ts'
import type { ApiKeyRow } from '../../db/workspaces/api-keys.ts'
import type { WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import { isId } from '../../ids.ts'
import type { CommandContext } from './command.ts'
import { resolveWorkspace, rowsOf } from './find-workspace.ts'
import { anyWorkspaceFlag, workspaceFlag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { listed, printed, timeCell } from './result.ts'
import { readNameFlag, readScopes, readText } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'

const keyCreate = defineDatabaseCommand({
  name: 'key create',
  summary: 'Makes an API key and prints it, this once',
  note: `Its scopes cannot be changed later. They are ${allScopes.join(', ')}.`,
  arguments: {},
  flags: {
    workspace: workspaceFlag,
    name: { value: 'N', text: 'What it is for, such as the program that uses it.', required: true, read: readNameFlag },
    scopes: { value: 'S,S', text: 'What it may do, separated by commas.', required: true, read: readScopes },
    expires: {
      value: 'TIME',
      text: 'Until when it works, as RFC 3339; left out: until it is revoked.',
      required: false,
      read: readText,
    },
  },
  examples: [
    'key create --workspace acme --name shop --scopes emails:send',
    'key create --workspace acme --name sync --scopes subscribers:read,subscribers:write --json',
  ],
  run: async (ctx, { workspace: W, name, scopes, expires }) => {
    const workspace = await resolveWorkspace(ctx, W)
    const creating = createApiKey({ ...ctx, workspaceId: workspace.id }, { body: { name, scopes, expires_at: expires } })
    const { id, prefix, key } = (await creating.catch(tellExpiry)).body
    return printed(
      { id, name, prefix, key, scopes },
      `Key "${name}" of ${workspace.slug} (${scopes.join(', ')}). It is shown this once; keep it safe:

  ${key}

Programs send it as "Authorization: Bearer <key>". To end it: facteur key revoke ${id}`,
    )
  },
})

const keyList = defineDatabaseCommand({
  name: 'key list',
  summary: 'Lists the API keys, revoked ones included',
  arguments: {},
  flags: { workspace: anyWorkspaceFlag },
  examples: ['key list --workspace acme'],
  run: (ctx, { workspace: W }) =>
    Promise.resolve(
      listed({
        pages: rowsOf(ctx, W, (workspaceId) => apiKeysOf(ctx.db, workspaceId)),
        columns: [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'WORKSPACE', cell: ({ workspace }) => workspace.slug },
          { title: 'NAME', cell: ({ name }) => name },
          { title: 'BEGINS WITH', cell: ({ prefix }) => prefix },
          { title: 'STATUS', cell: statusOf },
          { title: 'LAST USED (UTC)', cell: ({ lastUsedAt }) => timeCell(lastUsedAt) },
          { title: 'SCOPES', cell: ({ scopes }) => (scopes.length === allScopes.length ? 'all' : scopes.join(',')) },
        ],
        json: toJson,
        empty: 'There is no key yet. Next: facteur key create --workspace W --name N --scopes S,S',
      }),
    ),
})

const keyRevoke = defineDatabaseCommand({
  name: 'key revoke',
  summary: 'Ends an API key for good',
  arguments: { ID: { text: "The key's id, as key list shows it.", required: true, read: readText } },
  flags: {},
  examples: ['key revoke 019aa3c2-7f6e-7d10-8a44-2f3f5d1c9b70'],
  run: async (ctx, { ID }) => {
    const workspace = await ownerOf(ctx, ID)
    if (!workspace) throw new CommandRefusal('not_found', `There is no key with the id "${ID}": "facteur key list" shows all.`)
    await revokeApiKey({ ...ctx, workspaceId: workspace.id }, { params: { id: ID } })
    const key = await findApiKey(ctx.db, workspace.id, ID)
    if (!key) throw new Error('A key that was just revoked is gone')
    return printed(
      toJson({ ...key, workspace }),
      `Key "${key.name}" of ${workspace.slug} is revoked (${timeCell(key.revokedAt)} UTC): calls with it answer 401 revoked_api_key.`,
    )
  },
})

/** Each statement names one workspace, and the command none. */
async function ownerOf(ctx: CommandContext, id: string): Promise<WorkspaceRow | null> {
  if (!isId(id)) return null
  for await (const page of eachWorkspace(ctx))
    for (const workspace of page) if (await findApiKey(ctx.db, workspace.id, id)) return workspace
  return null
}

function tellExpiry(error: unknown): never {
  if (!(error instanceof ApiError) || error.details['path'] !== 'expires_at') throw error
  throw new CommandRefusal('usage', '--expires is a time to come, such as 2027-01-31T00:00:00Z.')
}

function statusOf({ revokedAt, expiresAt, isExpired }: ApiKeyRow): string {
  if (revokedAt) return `revoked ${timeCell(revokedAt)}`
  if (isExpired) return `expired ${timeCell(expiresAt)}`
  return expiresAt ? `until ${timeCell(expiresAt)}` : 'usable'
}

const toJson = (key: ApiKeyRow & { workspace: WorkspaceRow }) => ({
  id: key.id,
  workspace_id: String(key.workspace.id),
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  created_at: key.createdAt.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  expires_at: key.expiresAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
})

export const keyCommands = [keyCreate, keyList, keyRevoke]
