/** Words the problems and findings of a check as lines, the worst first. */
import { useTranslation } from 'react-i18next'
import type { DraftPreflight, TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'
import type { Block } from './blocks.ts'
import { spotOfFinding, spotOfProblem, type Spot } from './find-spot.ts'
import { sayFinding, sayProblem } from './say-finding.ts'

export interface FindingLine {
  id: string
  tone: 'bad' | 'warning' | 'good'
  text: string
  /** Null if no page of the author can mend it. */
  spot: Spot | null
  /** The merge tag that some readers have no value for; a default mends it. */
  tag?: string
  /** The service refuses the send until the user mends it. */
  stops: boolean
  /** It passed, and is shown on demand. */
  folds: boolean
}

const tones = { problem: 'bad', warning: 'warning', ok: 'good' } as const
const order = ['bad', 'warning', 'good']

/** `freezeCampaign` repeats these checks itself (src/core/campaigns/freeze-campaign.ts). */
const checkedAgain = new Set(['sender', 'domain', 'reputation', 'quota', 'audience'])

export function useFindingLines(): (
  preflight: DraftPreflight,
  typed: TypedDraft,
  blocks: readonly Block[],
) => FindingLine[] {
  const { t, i18n } = useTranslation('drafts')
  return ({ problems, findings }, typed, blocks) =>
    [
      ...problems.map((problem, at) => ({
        id: `problem ${at}`,
        tone: 'bad' as const,
        text: sayProblem(problem, t),
        spot: spotOfProblem(problem, blocks),
        ...{ stops: true, folds: false },
      })),
      // The missing fields already say that the draft is unfinished.
      ...findings
        .filter(({ check }) => check !== 'content')
        .map((finding) => ({
          id: JSON.stringify(finding),
          tone: tones[finding.status],
          text: sayFinding(finding, t, i18n.language),
          spot: finding.status === 'ok' ? null : spotOfFinding(finding, typed, blocks),
          ...(finding.status !== 'ok' &&
            finding.details['tag'] !== undefined && { tag: String(finding.details['tag']) }),
          // How many readers see a default is worth a line of its own.
          folds: finding.status === 'ok' && !finding.reason.startsWith('default_shown'),
          stops: finding.status === 'problem' && checkedAgain.has(finding.check),
        })),
    ].toSorted((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone))
}
