/**
 * Classifies the bounce of a hand-off. The ledger stores the class, and soft bounces are counted by
 * it.
 */
import type { BounceClass } from '../../contract/emails.ts'
import { bounceClassOf } from '../../mail/reports/classify-bounce.ts'
import type { Outcome } from '../../providers/provider.ts'

/** A reply before RCPT says nothing about the recipient. */
export function bounceOf(
  outcome: Extract<Outcome, { kind: 'refused' | 'deferred' }>,
): BounceClass | null {
  if (outcome.kind === 'refused' && outcome.reason !== 'other') return outcome.reason
  const code = outcome.code === null ? null : String(outcome.code)
  const bounce = bounceClassOf(code, outcome.response)
  if (bounce === 'policy') return 'policy'
  if (!['rcpt', 'data', 'replied'].includes(outcome.phase)) return 'other'
  // The provider has already classified hard refusals. An address that is deferred for now may
  // exist tomorrow.
  return bounce === 'hard' ? 'soft' : bounce
}
