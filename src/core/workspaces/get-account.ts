/** GET /me: what the key's workspace is, may and has left. */
import type { AnswerOf } from '../../contract/operations.ts'
import { bounceRateMax, complaintRateMax } from '../../contract/thresholds.ts'
import { countReachable } from '../../db/subscribers.ts'
import { domainsOf } from '../../db/domains.ts'
import { sendersOf } from '../../db/senders.ts'
import { workspaceStanding } from '../../db/standing.ts'
import type { StandingRow } from '../../db/standing.ts'
import type { CallContext } from '../context.ts'
import { share } from '../sending/refusal-details.ts'

export async function getAccount(ctx: CallContext): Promise<AnswerOf<'getAccount'>> {
  const [standing, domains, senders, subscribers] = await Promise.all([
    workspaceStanding(ctx.db, ctx.workspaceId),
    domainsOf(ctx.db, ctx.workspaceId),
    sendersOf(ctx.db, ctx.workspaceId),
    countReachable(ctx.db, ctx.workspaceId),
  ])
  const remaining = standing.monthlyQuota === null ? null : Math.max(0, standing.monthlyQuota - standing.used)
  return {
    body: {
      object: 'account',
      workspace: { id: String(ctx.workspaceId), name: standing.name, slug: standing.slug },
      key: { id: ctx.apiKey.id, name: ctx.apiKey.name, prefix: ctx.apiKey.prefix },
      scopes: ctx.apiKey.scopes,
      permissions: ctx.apiKey.scopes,
      plan: { name: standing.plan, monthly_quota: standing.monthlyQuota },
      quota: {
        ...{ limit: standing.monthlyQuota, used: standing.used, remaining },
        ...{ resets_at: standing.resetsAt.toISOString(), workspaces: standing.sharing },
      },
      remaining,
      verifiedDomains: domains.filter((domain) => domain.status === 'verified').map((domain) => domain.name),
      domains: domains.map(({ name, status }) => ({ name, status })),
      senders: senders.map(({ createdAt, ...sender }) => ({ ...sender, ...writtenTwice(createdAt.toISOString()) })),
      subscribers,
      sending: { ...showSending(standing), suspended_since: suspendedSince(standing) },
    },
  }
}

/** `createdAt` was the first spelling of this field, and callers may read it. */
const writtenTwice = (createdAt: string) => ({ created_at: createdAt, createdAt })

/** When a workspace that is suspended was told so; null a moment before, and while it is not. */
export const suspendedSince = (standing: StandingRow): string | null =>
  showSending(standing).status === 'suspended' ? (standing.suspendedAt?.toISOString() ?? null) : null

/** The rule of the hot statement (db/admissions.ts), as it is shown: strictly above 5 % or 0.1 %, once the floors are reached. */
export function showSending(standing: StandingRow): {
  status: 'active' | 'suspended'
  bounce_rate: number
  complaint_rate: number
} {
  const { handOffs, bounces, complaints } = standing
  const suspended =
    handOffs >= standing.handOffsMin &&
    ((bounces >= standing.bouncesMin && bounces > bounceRateMax * handOffs) ||
      (complaints >= standing.complaintsMin && complaints > complaintRateMax * handOffs))
  return {
    status: suspended ? 'suspended' : 'active',
    bounce_rate: share(bounces, handOffs),
    complaint_rate: share(complaints, handOffs),
  }
}
