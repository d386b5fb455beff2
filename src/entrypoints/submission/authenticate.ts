/**
 * Checks a login: the password is an API key, by the same reader, permission and brakes as a call's
 * (security: SMTP submission).
 */
import type { Service } from '../../core/context.ts'
import { ofWorkspace } from '../../core/databases.ts'
import type { CountRequest } from '../../core/dispatch/count-request.ts'
import { countByAddress, newAnswer } from '../../core/dispatch/identify.ts'
import { readCredentials, type ApiKeyCredentials } from '../../core/read-key.ts'
import { ApiError } from '../../contract/errors.ts'
import { giveBackRequests } from '../../db/workspaces/request-rates.ts'
import { findWorkspace } from '../../db/workspaces/workspaces.ts'

export interface Login {
  user: string
  password: string
  address: string
}

/** Names that other products' settings have, and ours. */
const users = new Set(['facteur', 'resend', 'apikey'])
const scope = 'emails:send'

/** The workspace of the key; `wrong`: no such key or user; `throttled`: too many failed logins. */
export async function authenticate(
  service: Service,
  countRequest: CountRequest,
  login: Login,
): Promise<{ workspaceId: number } | 'wrong' | 'throttled'> {
  const credentials = readCredentials({ authorization: `Bearer ${login.password}` })
  if (credentials.kind === 'key' && (await isValid(service, countRequest, credentials, login.user)))
    return { workspaceId: credentials.workspaceId }
  try {
    await countByAddress(countRequest, login, newAnswer())
    // Many networks that try one key share a brake.
    if (credentials.kind === 'key')
      await countByAddress(
        countRequest,
        { address: `key ${credentials.digest.toString('base64url')}` },
        newAnswer(),
      )
    return 'wrong'
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limit_exceeded') return 'throttled'
    throw error
  }
}

type Key = Extract<ApiKeyCredentials, { kind: 'key' }>

/** A login counts in no rate, as a mail does: what the look-up took is given back. */
async function isValid(
  service: Service,
  countRequest: CountRequest,
  { workspaceId, digest }: Key,
  user: string,
): Promise<boolean> {
  const { caller, rate } = await countRequest(workspaceId, { digest, scope })
  const { keyId, revoked, expired, scopes, bucket, now } = caller
  if (keyId === null || revoked || expired || !scopes.includes(scope)) return false
  if (rate.passes && bucket !== null) {
    const { countingDb } = await ofWorkspace(service, workspaceId)
    await giveBackRequests(countingDb, workspaceId, bucket, now, 1)
  }
  const name = user.toLowerCase()
  if (users.has(name)) return true
  const workspace = await findWorkspace(service.databases.home.db, name)
  return workspace?.id === workspaceId && workspace.slug === name
}
