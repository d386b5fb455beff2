/** What a hand-off's end says of the recipient's address: the class that the ledger keeps and that soft bounces are counted by. */
import type { BounceClass } from '../../contract/emails.ts'
import { bounceClassOf } from '../../mail/reports/classify-bounce.ts'
import type { Outcome } from '../../providers/provider.ts'

/** Null where nothing was refused. Before RCPT nobody speaks of the recipient. */
export function bounceOf(outcome: Outcome | { kind: 'threw' }): BounceClass | null {
  if (outcome.kind !== 'refused' && outcome.kind !== 'deferred') return null
  if (outcome.kind === 'refused' && outcome.reason !== 'other') return outcome.reason
  const code = outcome.code === null ? null : String(outcome.code)
  const bounce = bounceClassOf(code, outcome.response)
  if (bounce === 'policy') return 'policy'
  if (!['rcpt', 'data', 'replied'].includes(outcome.phase)) return 'other'
  // Whoever handed over has judged that the address is there; what is refused for now may be there tomorrow.
  return bounce === 'hard' ? 'soft' : bounce
}
