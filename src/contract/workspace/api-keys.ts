/**
 * Defines the operations for API keys, which only users create and revoke (spec: Authentication).
 */
import { settingLimits } from './setting-limits.ts'
import { created, ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, Text, Type, listOf, nullable, oneOf, type Static } from '../schema.ts'
import { allScopes } from '../scopes.ts'

const exampleId = '019aa3c2-7f6e-7d10-8a44-2f3f5d1c9b70'

const fields = {
  object: Type.Literal('api_key'),
  id: Type.String({ format: 'uuid', examples: [exampleId] }),
  name: Type.String({ examples: ['shop'] }),
  prefix: Type.String({
    description: 'How the key begins, which is all that is ever shown again.',
    examples: ['fct_live_1_8f3k'],
  }),
  scopes: Type.Array(Type.String(), { examples: [['emails:send']] }),
  status: oneOf(['active', 'expired', 'revoked']),
  created_at: DateTime,
  last_used_at: nullable(DateTime),
  expires_at: nullable(DateTime),
  revoked_at: nullable(DateTime),
}

export const ApiKey = Type.Object(fields)
export type ApiKey = Static<typeof ApiKey>

const ApiKeyCreated = Type.Object({
  ...fields,
  key: Type.String({ description: 'The key itself: shown this once.' }),
})

const ApiKeyRequest = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: settingLimits.keyNameMax,
      description: 'Its purpose.',
      examples: ['shop'],
    }),
    scopes: Type.Array(oneOf(allScopes), {
      minItems: 1,
      description: 'Its permissions; they cannot be changed later.',
    }),
    expires_at: Text.optionalOrNull({
      description: 'Until when it works, as RFC 3339; absent: until it is revoked.',
    }),
  },
  { examples: [{ name: 'shop', scopes: ['emails:send'] }] },
)

const params = Type.Object({
  id: Type.String({ description: 'Identifier of the key.', examples: [exampleId] }),
})
const keys = operationsOf({ ...ofMembers, tag: 'Workspace' })
const owners = operationsOf({ ...ofMembers, tag: 'Workspace', role: 'owner', fresh: true, params })

export const apiKeyOperations = {
  listApiKeys: keys.get('/api/v1/keys', listOf(ApiKey), {
    summary: 'List API keys',
    description: 'All of the workspace, newest first, revoked and expired ones too.',
  }),
  createApiKey: owners.post('/api/v1/keys', created(ApiKeyCreated), {
    summary: 'Create an API key',
    description: 'The answer alone carries the key; what is kept of it is a digest.',
    body: ApiKeyRequest,
  }),
  revokeApiKey: owners.delete('/api/v1/keys/{id}', ApiKey, {
    summary: 'Revoke an API key',
    description:
      'From the answer on, calls with it are answered 401. It cannot be taken back; again changes nothing.',
  }),
}
