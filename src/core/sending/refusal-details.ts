/** Looks up the details that a caller needs to mend a refused send. */
import type { ErrorDetails } from '../../contract/errors.ts'
import { suppressionsOf } from '../../db/suppression/suppressions.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import { accountStatus, monthOf } from '../../db/workspaces/account-status.ts'
import type { CallContext } from '../context.ts'
import type { EmailToSend } from './read-email.ts'
import { suspensionDetails } from '../reputation/account-status.ts'

type Refusal =
  | 'unverified_from_domain'
  | 'reputation_blocked'
  | 'suppressed_recipient'
  | 'quota_exceeded'

export async function refusalDetails(
  ctx: CallContext,
  { refusal, emails }: { refusal: Refusal; emails: EmailToSend[] },
): Promise<ErrorDetails> {
  switch (refusal) {
    case 'unverified_from_domain': {
      const domains = await domainsOf(ctx.db, ctx.workspaceId)
      const verifiedDomains = domains
        .filter((domain) => domain.status === 'verified')
        .map((domain) => domain.name)
      const wrong =
        emails.find((email) => !verifiedDomains.includes(email.from.domain)) ?? emails[0]
      return { from: wrong?.from.address, verifiedDomains }
    }
    case 'reputation_blocked':
      return suspensionDetails(await accountStatus(ctx.db, ctx.workspaceId))
    case 'suppressed_recipient': {
      const keys = emails.flatMap(keysOf)
      const entries = await suppressionsOf(ctx.db, ctx.workspaceId, [...new Set(keys)])
      const recipients = entries
        .map(({ email, reason, scope }) => ({ email, reason, scope }))
        .toSorted((a, b) => keys.indexOf(a.email) - keys.indexOf(b.email))
      return {
        recipients,
        email: recipients[0]?.email ?? null,
        reason: recipients[0]?.reason ?? null,
      }
    }
    case 'quota_exceeded': {
      const { plan, monthlyQuota, used, resetsAt } = await monthOf(ctx.db, ctx.workspaceId)
      const needed = emails.reduce((sum, email) => sum + new Set(keysOf(email)).size, 0)
      return {
        plan,
        limit: monthlyQuota,
        used,
        remaining: Math.max(0, (monthlyQuota ?? 0) - used),
        needed,
        resets_at: resetsAt.toISOString(),
      }
    }
    default:
      return refusal satisfies never
  }
}

const keysOf = (email: EmailToSend): string[] =>
  [...email.to, ...email.cc, ...email.bcc].map((mailbox) => mailbox.key)
