/** What preflight found as lines to read, the worst first, each with the place where it is mended. */
import type { DraftPreflight, TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'
import type { Block } from './blocks.ts'
import { placeOfFinding, placeOfProblem, type Spot } from './find-place.ts'
import { useSayFinding } from './describe-finding.ts'
import { useSayProblem } from './describe-problem.ts'

export interface FindingLine {
  id: string
  tone: 'bad' | 'warning' | 'good'
  text: string
  /** Null: nothing in reach of who writes can mend it. */
  spot: Spot | null
  /** Until it is mended the service refuses the send. */
  stops: boolean
}

const tones = { problem: 'bad', warning: 'warning', ok: 'good' } as const
const order = ['bad', 'warning', 'good']

/** What `freezeCampaign` looks at itself (src/core/campaigns/freeze-campaign.ts). */
const checkedAgain = new Set(['sender', 'domain', 'reputation', 'quota', 'audience'])

export function useFindingLines(): (preflight: DraftPreflight, typed: TypedDraft, blocks: readonly Block[]) => FindingLine[] {
  const sayProblem = useSayProblem()
  const sayFinding = useSayFinding()
  return ({ problems, findings }, typed, blocks) =>
    [
      ...problems.map((problem) => ({
        id: `${problem.path} ${problem.rule}`,
        tone: 'bad' as const,
        text: sayProblem(problem),
        spot: placeOfProblem(problem, blocks),
        stops: true,
      })),
      // That it is unfinished is said by what is missing.
      ...findings
        .filter(({ check }) => check !== 'content')
        .map((finding) => ({
          id: JSON.stringify(finding),
          tone: tones[finding.status],
          text: sayFinding(finding),
          spot: finding.status === 'ok' ? null : placeOfFinding(finding, typed, blocks),
          stops: finding.status === 'problem' && checkedAgain.has(finding.check),
        })),
    ].toSorted((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone))
}
