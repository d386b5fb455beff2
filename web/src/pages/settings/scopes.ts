/** The permissions of a key in the order they are offered, each with the words that explain it. */
import type { Scope } from '../../../../src/contract/scopes.ts'

export const scopeTexts: Record<Scope, string> = {
  'emails:send': 'scopeEmailsSend',
  'subscribers:read': 'scopeSubscribersRead',
  'subscribers:write': 'scopeSubscribersWrite',
  'campaigns:read': 'scopeCampaignsRead',
  'campaigns:write': 'scopeCampaignsWrite',
  'webhooks:read': 'scopeWebhooksRead',
  'webhooks:write': 'scopeWebhooksWrite',
}

export const isScope = (text: string): text is Scope => Object.hasOwn(scopeTexts, text)

export const scopes = Object.keys(scopeTexts).filter(isScope)
