/**
 * Reports findings of checks: a line for each, its next step below it, and a verdict at the end.
 */
import type { Check } from '../../providers/provider-check.ts'
import { printed, type PrintedValue } from './result.ts'

type Finding = Omit<Check, 'next'> & Partial<Pick<Check, 'next'>>

/** The exit code is 1 when something is wrong; warnings alone are 0. */
export function reportFindings(
  findings: readonly Finding[],
  {
    lead = '',
    afterWarnings = '',
    json,
  }: { lead?: string; afterWarnings?: string; json: (status: Finding['status']) => object },
): PrintedValue {
  const [problems, warnings] = (['problem', 'warning'] as const).map((kind) => {
    const { length } = findings.filter(({ status }) => status === kind)
    return length === 0 ? null : `${length} ${kind}${length === 1 ? '' : 's'}`
  })
  const width = Math.max(...findings.map(({ name }) => name.length))
  const lines = findings.map(({ name, status, message, next }) => {
    const line = `${status.padEnd(7)}  ${name.padEnd(width)}  ${message}`
    return next ? `${line}\n${' '.repeat(11 + width)}→ ${next}` : line
  })
  const verdict = problems
    ? `${problems} to mend.`
    : warnings
      ? `${warnings}${afterWarnings}.`
      : 'All is well.'
  const status = problems ? 'problem' : warnings ? 'warning' : 'ok'
  return printed(json(status), `${lines.join('\n')}\n\n${lead}${verdict}`, problems !== null)
}
