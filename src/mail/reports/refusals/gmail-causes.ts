/** Lists the refusals of Gmail and Google Workspace that name their cause. */
import { causesOf } from './refusal-cause.ts'

const senders = /gmail requires all (?:(?:bulk|large|e-?mail) )*senders to /

export const gmailCauses = causesOf(
  {
    provider: 'Gmail',
    source: 'https://support.google.com/a/answer/3726730',
    readOn: '2026-11-26',
  },
  [
    {
      id: 'gmail_unauthenticated',
      requirement: 'dkim',
      says: new RegExp(`${senders.source}authenticate with either spf or dkim`, 'i'),
    },
    {
      id: 'gmail_no_authentication',
      requirement: 'dkim',
      says: /does not have authentication information or fails to pass authentication checks/i,
    },
    {
      id: 'gmail_spf',
      requirement: 'spf',
      says: new RegExp(`${senders.source}authenticate (?:their e-?mail )?with spf`, 'i'),
    },
    { id: 'gmail_spf_hard_fail', requirement: 'spf', says: /spf record with a hard fail policy/i },
    {
      id: 'gmail_spf_suspicious',
      requirement: 'spf',
      says: /spf record of the sending domain has one or more suspicious entries/i,
    },
    {
      id: 'gmail_dkim',
      requirement: 'dkim',
      says: new RegExp(`${senders.source}authenticate (?:their e-?mail )?with dkim`, 'i'),
    },
    {
      id: 'gmail_dmarc_missing',
      requirement: 'dmarc',
      says: /sending domain does(?: no|n.)t have a dmarc record|dmarc record does(?: no|n.)t specify a dmarc policy/i,
    },
    {
      id: 'gmail_alignment',
      requirement: 'alignment',
      says: /aligned with either the authenticated spf or dkim/i,
    },
    {
      id: 'gmail_dmarc_policy',
      requirement: 'alignment',
      says: /unauthenticated e-?mail from \S+ is not accepted due to domain.s dmarc policy/i,
    },
    {
      id: 'gmail_ptr',
      requirement: 'reverse_dns',
      says: /ip address sending this message does not have a ptr record|does(?: no|n.)t have a ptr record[^.]{0,40}, or the ptr record.s forward/i,
    },
    {
      id: 'gmail_ipv6',
      requirement: 'reverse_dns',
      says: /does not meet ipv6 sending guidelines regarding ptr records/i,
      source: 'https://support.google.com/mail/answer/81126',
    },
    { id: 'gmail_tls', requirement: 'tls', says: new RegExp(`${senders.source}use tls`, 'i') },
    { id: 'gmail_rate', requirement: 'rate', says: /detected an unusual rate of mail/i },
    {
      id: 'gmail_unsolicited',
      requirement: 'spam_rate',
      says: /unusual rate of unsolicited mail/i,
      link: 'https://postmaster.google.com/',
    },
    {
      id: 'gmail_reputation_ip',
      requirement: 'reputation',
      says: /very low reputation of the sending ip/i,
      link: 'https://support.google.com/mail/contact/gmail_bulk_sender_escalation',
    },
    {
      id: 'gmail_reputation_domain',
      requirement: 'reputation',
      says: /very low reputation of the sending domain/i,
      link: 'https://support.google.com/mail/contact/gmail_bulk_sender_escalation',
    },
    {
      id: 'gmail_direct',
      requirement: 'reputation',
      says: /ip you.re using to send mail is not authorized to send e-?mail directly/i,
    },
    { id: 'gmail_spam', requirement: 'content', says: /this message is likely unsolicited mail/i },
    {
      id: 'gmail_security',
      requirement: 'content',
      says: /blocked because its content presents a potential security issue/i,
    },
    {
      id: 'gmail_organisation',
      requirement: 'recipient_policy',
      says: /this message violates \S+ e-?mail policy/i,
    },
  ],
)
