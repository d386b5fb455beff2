/** Shows the findings of a check, the worst first, each with a link to its place. */
import { Alert, Group, Loader, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { DraftPreflight, TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'
import { IconButton } from '../../../parts/IconButton.tsx'
import { Status } from '../../../parts/Status.tsx'
import type { Block } from './blocks.ts'
import { useSayProblem } from './editor-context.ts'
import { placeOfFinding, placeOfProblem, type Spot } from './find-place.ts'

/** `renderWay` draws the link to the place of a finding; null where it has none. */
export function Findings({ lines, renderWay }: { lines: readonly FindingLine[]; renderWay: (line: FindingLine) => ReactNode }) {
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
        </li>
      ))}
    </Stack>
  )
}

/** Whether anything is wrong, in a sentence. */
export function Verdict({ lines, children }: { lines: readonly FindingLine[]; children?: ReactNode }) {
  const { t } = useTranslation('drafts')
  const count = lines.filter(({ tone }) => tone === 'bad').length
  return (
    <Alert color={count > 0 ? 'red' : 'teal'} role="status" title={count > 0 ? t('checkBad', { count }) : t('checkGood')}>
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
  return <IconButton variant="default" size="xs" icon="refresh" iconSize={14} label={t('checkAgain')} {...button} />
}

export interface FindingLine {
  id: string
  tone: 'bad' | 'warning' | 'good'
  text: string
  /** Null: no page of the author can mend it. */
  spot: Spot | null
  /** The service refuses the send until the user mends it. */
  stops: boolean
}

const tones = { problem: 'bad', warning: 'warning', ok: 'good' } as const
const order = ['bad', 'warning', 'good']

/** `freezeCampaign` repeats these checks itself (src/core/campaigns/freeze-campaign.ts). */
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
      // The missing fields already say that the draft is unfinished.
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

type Finding = DraftPreflight['findings'][number]

/** Words one finding for the reader. */
function useSayFinding(): (finding: Finding) => string {
  const { t, i18n } = useTranslation('drafts')
  return ({ check, reason, details }) => {
    const numbers = Object.fromEntries(
      Object.entries(details).map(([name, value]) => [
        name,
        typeof value === 'number' ? sayNumber(name, value, i18n.language) : value,
      ]),
    )
    const why = t(`why_${details['why']}`, { defaultValue: String(details['why'] ?? '') })
    const heldFor = t(`held_${String(details['reason']).replaceAll(/\W+/g, '_')}`, {
      defaultValue: String(details['reason'] ?? ''),
    })
    return t(reason === 'good' ? `good_${check}` : `reason_${reason}`, {
      ...numbers,
      ...countOf(details),
      number: numbers['count'],
      why,
      heldFor,
      defaultValue: `${check}: ${reason}`,
    })
  }
}

/** A rate is a share of 1. */
const sayNumber = (name: string, value: number, language: string): string =>
  value.toLocaleString(language, name.startsWith('rate') ? { style: 'percent', maximumFractionDigits: 2 } : {})

/** This number decides between the singular and the plural of a sentence. */
function countOf(details: Finding['details']): { count?: number } {
  const count = ['needed', 'links', 'asked', 'images', 'reachable', 'count'].map((name) => details[name]).find(isNumber)
  return count === undefined ? {} : { count }
}

const isNumber = (value: unknown): value is number => typeof value === 'number'
