/** Lists the refusals of Yahoo, AOL and Apple that name their cause. */
import { causesOf } from './refusal-cause.ts'

const yahoo = causesOf(
  {
    provider: 'Yahoo',
    source: 'https://senders.yahooinc.com/smtp-error-codes/',
    readOn: '2026-11-26',
  },
  [
    {
      id: 'yahoo_deferred',
      requirement: 'spam_rate',
      says: /\[TSS?0\d\] messages from \S+ temporarily deferred/i,
      link: 'https://senders.yahooinc.com/complaint-feedback-loop/',
    },
    {
      id: 'yahoo_permanently_deferred',
      requirement: 'reputation',
      says: /\[TSS?\d\d\] all messages from \S+ (?:will be )?permanently deferred/i,
      link: 'https://senders.yahooinc.com/contact/',
    },
    { id: 'yahoo_content', requirement: 'content', says: /\[PH01\]/ },
    {
      id: 'yahoo_unauthenticated',
      requirement: 'dkim',
      says: /yahoo requires all senders to authenticate with either spf or dkim/i,
    },
    {
      id: 'yahoo_dmarc_policy',
      requirement: 'alignment',
      says: /5\.7\.9 message not accepted for policy reasons/i,
    },
    {
      id: 'yahoo_sender_domain',
      requirement: 'spf',
      says: /deferred due to unresolvable rfc.?5321 from domain/i,
    },
  ],
)

const apple = causesOf(
  { provider: 'Apple', source: 'https://support.apple.com/102322', readOn: '2026-11-26' },
  [
    {
      id: 'apple_local_policy',
      requirement: 'content',
      says: /\[(?:CS|HM)\d\d\] message rejected due to local policy/i,
    },
    {
      id: 'apple_unauthenticated',
      requirement: 'dkim',
      says: /blocked for failing both spf and dkim/i,
    },
    {
      id: 'apple_dmarc_policy',
      requirement: 'alignment',
      says: /message was rejected due to \S+ dmarc policy/i,
    },
    { id: 'apple_rate', requirement: 'rate', says: /deferred due to excessive volume/i },
  ],
)

export const yahooCauses = [...yahoo, ...apple]
