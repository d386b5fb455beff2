/** How many recipients have their outcome, as a bar of the places and as a sentence. */
import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { ledgerSum } from './ledger-sum.ts'
import { Pace } from './Pace.tsx'
import classes from './Run.module.css'
import { useFigures } from './use-figures.ts'

export function useSettled(run: CampaignRun): string {
  const { t } = useTranslation('run')
  const { count, percent } = useFigures()
  const { recipients } = run.campaign
  const { done } = ledgerSum(run)
  return t('settledOf', {
    done: count(done),
    total: count(recipients),
    share: percent(done / recipients),
  })
}

export function ProgressBar({ run }: { run: CampaignRun }) {
  const { t } = useTranslation('run')
  const { recipients } = run.campaign
  const { counts, done } = ledgerSum(run)
  return (
    <div
      className={classes.bar}
      role="progressbar"
      aria-label={t('ledger')}
      aria-valuemin={0}
      aria-valuemax={recipients}
      aria-valuenow={done}
      aria-valuetext={useSettled(run)}
    >
      {(['sent', 'failed', 'cancelled', 'suppressed', 'in_doubt'] as const).map((location) => (
        <span
          key={location}
          className={classes[location]}
          style={{ inlineSize: `${(counts[location] / recipients) * 100}%` }}
        />
      ))}
    </div>
  )
}

/** Stands above the results of a campaign that is under way. */
export function LiveProgress({ run }: { run: CampaignRun }) {
  const settled = useSettled(run)
  if (run.campaign.status !== 'sending') return null
  return (
    <Stack gap="xs">
      <ProgressBar run={run} />
      <Text c="dimmed">{settled}</Text>
      <Pace run={run} />
    </Stack>
  )
}
