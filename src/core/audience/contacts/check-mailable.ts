/**
 * Explains why a contact can or cannot be mailed: the result of every rule for mail to them.
 * Changes nothing.
 */
import type { MailRule } from '../../../contract/workspace/contacts.ts'
import { domainsOf } from '../../../db/domains/domains.ts'
import { notifierOf } from '../../../db/sending/notices.ts'
import { softBouncesOf } from '../../../db/audience/contact-pages.ts'
import { accountStatus, type AccountStatusRow } from '../../../db/workspaces/account-status.ts'
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import { suppressionsOf, type SuppressionRow } from '../../../db/suppression/suppressions.ts'
import type { Context } from '../../context.ts'
import { sendingStatus } from '../../reputation/account-status.ts'
import { domainOf } from '../../domain-of.ts'

export interface MailableStatus {
  single: boolean
  campaigns: boolean
  rules: MailRule[]
}

/** In the order of a send: the contact first, then the workspace. */
export async function checkMailable(
  { db }: Pick<Context, 'db'>,
  {
    workspaceId,
    email,
    subscriber,
  }: { workspaceId: number; email: string; subscriber: SubscriberRow | null },
): Promise<MailableStatus> {
  const [entries, bounces, account, sender] = await Promise.all([
    suppressionsOf(db, workspaceId, [email]),
    softBouncesOf(db, workspaceId, email),
    accountStatus(db, workspaceId),
    checkSender(db, workspaceId),
  ])
  const rules = [
    checkStatus(subscriber),
    checkList(
      'list',
      entries.find(({ scope }) => scope === 'organization'),
    ),
    checkList(
      'platform',
      entries.find(({ scope }) => scope === 'platform'),
    ),
    rule('bounces', 'nothing', bounces ? 'counted' : 'none', {
      since: bounces?.firstAt,
      detail: bounces?.count,
    }),
    checkSending(account),
    sender,
    checkQuota(account),
  ]
  return {
    single: rules.every(({ blocks }) => blocks !== 'everything'),
    campaigns: rules.every(({ blocks }) => blocks === 'nothing'),
    rules,
  }
}

function rule(
  name: MailRule['rule'],
  blocks: MailRule['blocks'],
  finding: string,
  {
    since,
    detail,
  }: { since?: Date | null | undefined; detail?: string | number | null | undefined } = {},
): MailRule {
  return {
    rule: name,
    blocks,
    finding,
    since: since?.toISOString() ?? null,
    detail: detail === undefined || detail === null ? null : String(detail),
  }
}

/** Campaigns reach subscribed contacts only; single messages may go to any address. */
function checkStatus(subscriber: SubscriberRow | null): MailRule {
  if (!subscriber) return rule('status', 'campaigns', 'stranger')
  const { status, confirmedAt, unsubscribedAt, createdAt, confirmationSentAt } = subscriber
  const since = {
    subscribed: confirmedAt ?? createdAt,
    unsubscribed: unsubscribedAt,
    pending: confirmationSentAt,
    bounced: null,
    complained: null,
  }
  return rule('status', status === 'subscribed' ? 'nothing' : 'campaigns', status, {
    since: since[status],
  })
}

const checkList = (name: 'list' | 'platform', entry: SuppressionRow | undefined): MailRule =>
  entry
    ? rule(name, 'everything', entry.reason, { since: entry.createdAt })
    : rule(name, 'nothing', 'clear')

function checkSending(account: AccountStatusRow): MailRule {
  return sendingStatus(account).status === 'suspended'
    ? rule('sending', 'everything', 'suspended', { since: account.suspendedAt })
    : rule('sending', 'nothing', 'active')
}

/** A single message names its own sender address, so it needs at least one verified domain. */
async function checkSender(db: Context['db'], workspaceId: number): Promise<MailRule> {
  const [{ sender }, domains] = await Promise.all([
    notifierOf(db, workspaceId),
    domainsOf(db, workspaceId),
  ])
  const verified = domains.filter(({ status }) => status === 'verified').map(({ name }) => name)
  if (verified.length === 0) return rule('sender', 'everything', 'no_domain')
  if (!sender) return rule('sender', 'campaigns', 'no_sender')
  const domain = domainOf(sender.email)
  return verified.includes(domain)
    ? rule('sender', 'nothing', 'ready', { detail: sender.email })
    : rule('sender', 'campaigns', 'unverified', { detail: domain })
}

function checkQuota({ monthlyQuota, used, resetsAt }: AccountStatusRow): MailRule {
  if (monthlyQuota === null) return rule('quota', 'nothing', 'unlimited')
  const left = Math.max(0, monthlyQuota - used)
  return left > 0
    ? rule('quota', 'nothing', 'enough', { detail: left })
    : rule('quota', 'everything', 'spent', { detail: resetsAt.toISOString() })
}
