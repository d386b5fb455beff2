/** `facteur key …`: the API keys of a workspace. */
import { allScopes } from '../../contract/scopes.ts'
import { derive, type Body } from './derive/derive-command.ts'
import { deriveList } from './derive/derive-list.ts'
import { cellOf } from './present.ts'
import { CommandRefusal } from './refusal.ts'
import { readNameFlag } from './values.ts'

export const keyCommands = [
  derive('createApiKey', {
    name: 'key create',
    note: 'It is printed this once. Its scopes cannot be changed later.',
    read: { name: readNameFlag },
    refusals: {
      validation_error: ({ path }) =>
        path === 'expires_at'
          ? new CommandRefusal(
              'usage',
              '--expires-at is a time to come, such as 2027-01-31T00:00:00Z.',
            )
          : null,
    },
    examples: [
      'key create --workspace acme --name shop --scopes emails:send',
      'key create --workspace acme --name sync --scopes subscribers:read,subscribers:write --json',
    ],
    say: ({ id, name, key, scopes }, { workspace }) =>
      `Key "${name}" of ${workspace.slug} (${scopes.join(', ')}). It is shown this once; keep it safe:

  ${key}

Programs send it as "Authorization: Bearer <key>". To end it: facteur key revoke ${id}`,
  }),
  deriveList('listApiKeys', {
    name: 'key list',
    everywhere: true,
    note: 'Newest first, revoked and expired ones too.',
    examples: ['key list --workspace acme'],
    columns: [
      'id',
      'name',
      { title: 'BEGINS WITH', cell: ({ prefix }) => prefix },
      { title: 'STATUS', cell: (key) => statusOf(key) },
      'last_used_at',
      {
        title: 'SCOPES',
        cell: ({ scopes }) => (scopes.length === allScopes.length ? 'all' : scopes.join(',')),
      },
    ],
    empty:
      'There is no key yet. Next: facteur key create --workspace W --name NAME --scopes SCOPE,SCOPE',
  }),
  derive('revokeApiKey', {
    name: 'key revoke',
    everywhere: true,
    note: 'Programs that use it are refused at once. It cannot be taken back; again changes nothing.',
    examples: ['key revoke 019aa3c2-7f6e-7d10-8a44-2f3f5d1c9b70'],
    say: ({ name, revoked_at: at }, { workspace }) =>
      `Key "${name}" of ${workspace.slug} is revoked (${cellOf(at)} UTC): calls with it answer 401 revoked_api_key.`,
  }),
]

type Key = Body<'listApiKeys'>['data'][number]

function statusOf({ status, expires_at: expiresAt, revoked_at: revokedAt }: Key): string {
  if (status !== 'active') return `${status} ${cellOf(revokedAt ?? expiresAt)}`
  return expiresAt === null ? 'usable' : `until ${cellOf(expiresAt)}`
}
