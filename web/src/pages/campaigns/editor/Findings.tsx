/** Shows the findings of a check, the worst first, each with a link to its place. */
import { Alert, Group, Loader, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { DraftPreflight, TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'
import { IconButton } from '../../../parts/IconButton.tsx'
import { Status } from '../../../parts/Status.tsx'
import type { Block } from './blocks.ts'
import { spotOfFinding, spotOfProblem, type Spot } from './find-spot.ts'
import { sayFinding, sayProblem } from './say-finding.ts'

interface FindingsProps {
  lines: readonly FindingLine[]
  /** Draws the link to the place of a finding; null where it has none. */
  renderWay: (line: FindingLine) => ReactNode
  /** Draws what mends a finding in place. */
  renderRemedy?: (line: FindingLine) => ReactNode
}

export function Findings({ lines, renderWay, renderRemedy }: FindingsProps) {
  const { t } = useTranslation('drafts')
  return (
    <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
      {lines.map((line) => (
        <li key={line.id} data-finding={line.tone}>
          <Group gap="xs" wrap="nowrap" align="flex-start" justify="space-between">
            <Stack gap={2} align="flex-start" miw={0}>
              <Status tone={line.tone}>{t(`finding_${line.tone}`)}</Status>
              <Text style={{ overflowWrap: 'anywhere' }}>{line.text}</Text>
            </Stack>
            {renderWay(line)}
          </Group>
          {renderRemedy?.(line)}
        </li>
      ))}
    </Stack>
  )
}

/** Whether anything is wrong, in a sentence. */
export function Verdict({
  lines,
  children,
}: {
  lines: readonly FindingLine[]
  children?: ReactNode
}) {
  const { t } = useTranslation('drafts')
  const countOfTone = (ofTone: FindingLine['tone']): number =>
    lines.filter(({ tone }) => tone === ofTone).length
  const [bad, warnings] = [countOfTone('bad'), countOfTone('warning')]
  const color = bad > 0 ? 'red' : warnings > 0 ? 'yellow' : 'teal'
  const title =
    bad > 0
      ? t('checkBad', { count: bad })
      : warnings > 0
        ? t('checkWarned', { count: warnings })
        : t('checkGood')
  return (
    <Alert color={color} role="status" title={title}>
      {children}
    </Alert>
  )
}

export function Checking() {
  const { t } = useTranslation('drafts')
  return (
    <Group role="status" wrap="nowrap">
      <Loader size="sm" />
      <Text>{t('checking')}</Text>
    </Group>
  )
}

export function CheckAgain(button: { disabled?: boolean; onClick: () => void }) {
  const { t } = useTranslation('drafts')
  return (
    <IconButton
      variant="default"
      size="xs"
      icon="refresh"
      iconSize={14}
      label={t('checkAgain')}
      {...button}
    />
  )
}

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
        stops: true,
      })),
      // The missing fields already say that the draft is unfinished.
      ...findings
        .filter(({ check }) => check !== 'content')
        .map((finding) => ({
          id: JSON.stringify(finding),
          tone: tones[finding.status],
          text: sayFinding(finding, t, i18n.language),
          spot: finding.status === 'ok' ? null : spotOfFinding(finding, typed, blocks),
          ...(finding.details['tag'] !== undefined && { tag: String(finding.details['tag']) }),
          stops: finding.status === 'problem' && checkedAgain.has(finding.check),
        })),
    ].toSorted((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone))
}
