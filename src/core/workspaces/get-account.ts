/** GET /me: the key's workspace, its permissions and its remaining quota. */
import { countReachable } from '../../db/audience/subscribers.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import { sendersOf } from '../../db/workspaces/senders.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import { suspendedSince, sendingStatus } from '../reputation/account-status.ts'
import type { Verb } from '../verb.ts'

export const getAccount: Verb<'getAccount'> = async (ctx) => {
  const [account, domains, senders, subscribers] = await Promise.all([
    accountStatus(ctx.db, ctx.workspaceId),
    domainsOf(ctx.db, ctx.workspaceId),
    sendersOf(ctx.db, ctx.workspaceId),
    countReachable(ctx.db, ctx.workspaceId),
  ])
  const remaining =
    account.monthlyQuota === null ? null : Math.max(0, account.monthlyQuota - account.used)
  return {
    body: {
      object: 'account',
      workspace: { id: String(ctx.workspaceId), name: account.name, slug: account.slug },
      key: { id: ctx.apiKey.id, name: ctx.apiKey.name, prefix: ctx.apiKey.prefix },
      scopes: ctx.apiKey.scopes,
      permissions: ctx.apiKey.scopes,
      plan: { name: account.plan, monthly_quota: account.monthlyQuota },
      quota: {
        ...{ limit: account.monthlyQuota, used: account.used, remaining },
        ...{ resets_at: account.resetsAt.toISOString(), workspaces: account.sharing },
      },
      remaining,
      verifiedDomains: domains
        .filter((domain) => domain.status === 'verified')
        .map((domain) => domain.name),
      domains: domains.map(({ name, status }) => ({ name, status })),
      senders: senders.map(({ createdAt, ...sender }) => ({
        ...sender,
        ...writtenTwice(createdAt.toISOString()),
      })),
      subscribers,
      sending: { ...sendingStatus(account), suspended_since: suspendedSince(account) },
    },
  }
}

/** `createdAt` was this field's first spelling, and callers may read it. */
const writtenTwice = (createdAt: string) => ({ created_at: createdAt, createdAt })
