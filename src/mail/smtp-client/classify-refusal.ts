/**
 * Classifies a permanent refusal of our own attempt: by the table of all bounces, and by the phase
 * of the conversation. Before RCPT it concerns the relay or the sender, never the recipient: not
 * `hard`.
 */
import { classifyBounce } from '../reports/classify-bounce.ts'
import type { SmtpPhase } from './phase.ts'

export function classifyRefusal(
  phase: SmtpPhase,
  code: number,
  enhanced: string | null,
  text: string,
): 'hard' | 'policy' | 'other' {
  const bounce = classifyBounce({ code, enhanced, text })
  if (bounce === 'policy') return 'policy'
  return bounce === 'hard' && answersForRecipient.has(phase) ? 'hard' : 'other'
}

const answersForRecipient: ReadonlySet<SmtpPhase> = new Set(['rcpt', 'data', 'replied'])
