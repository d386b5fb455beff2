/**
 * Defines the findings of preflight: one for each thing checked, in codes for programs. Entry
 * points write the sentences.
 */

import type { ComplianceReason } from '../../../contract/compliance.ts'

export type FindingStatus = 'ok' | 'warning' | 'problem'

/** `details` holds the numbers and texts that the sentence names. */
export interface Finding {
  check: CheckName
  status: FindingStatus
  reason: FindingReason
  details: Record<string, string | number>
}

export type CheckName =
  | 'content'
  | 'sender'
  | 'domain'
  | 'authentication'
  | 'dkim'
  | 'spf'
  | 'dmarc'
  | 'one_click'
  | 'reverse_dns'
  | 'spam_rate'
  | 'dmarc_reports'
  | 'sender_domain'
  | 'postal_address'
  | 'base_url'
  | 'links'
  | 'images'
  | 'fields'
  | 'size'
  | 'reputation'
  | 'quota'
  | 'audience'

/** All reasons that have a sentence. */
export type FindingReason =
  | Exclude<
      ComplianceReason,
      'not_checked' | 'kept_here' | 'relay_decides' | 'below_bulk' | 'bulk_not_met'
    >
  | 'unfinished'
  | 'no_sender'
  | 'domain_absent'
  | 'domain_pending'
  | 'authentication_kept_here'
  | 'no_postal_address'
  | 'base_url_kept_here'
  | 'link_refused'
  | 'link_failed'
  | 'link_answers'
  | 'link_redirects_forever'
  | 'address_removed'
  | 'no_links'
  | 'links_personal'
  | 'no_alt'
  | 'no_images'
  | 'unknown_field'
  | 'missing_value'
  | 'missing_value_many'
  | 'default_shown'
  | 'default_shown_many'
  | 'template_syntax'
  | 'placeholder'
  | 'too_large'
  | 'reputation_blocked'
  | 'quota_exceeded'
  | 'no_limit'
  | 'no_recipients'
  | 'excluded_topic'
  | 'excluded_segment'
  | 'excluded_tag'
  | 'excluded_received'
  | 'held_back'
  | 'held_back_many'

export type Details = Finding['details']

export const ok = (
  check: CheckName,
  reason: FindingReason = 'good',
  details: Details = {},
): Finding => ({
  ...{ check, status: 'ok', reason, details },
})

export const warning = (
  check: CheckName,
  reason: FindingReason,
  details: Details = {},
): Finding => ({
  ...{ check, status: 'warning', reason, details },
})

export const problem = (
  check: CheckName,
  reason: FindingReason,
  details: Details = {},
): Finding => ({
  ...{ check, status: 'problem', reason, details },
})
