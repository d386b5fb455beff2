/** The speed and the expected end of a campaign, or why it does not progress. */
import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { runStateOf } from './run-state.ts'
import { useFigures } from './use-figures.ts'

export function Pace({ run }: { run: CampaignRun }) {
  const { t, i18n } = useTranslation('run')
  const { count, decimal } = useFigures()
  const { perSecond, estimatedEndAt, nextTryAt, campaign } = run
  if (runStateOf(run) !== 'sending') return null
  return (
    <Group gap="xl" aria-label={t('pace')} role="group">
      {perSecond === null ? (
        <Text>{t(nextTryAt === null ? 'waitingForPlace' : 'waitingForTries')}</Text>
      ) : (
        <Text>
          {t('perSecond', {
            rate: perSecond < 10 ? decimal(perSecond) : count(Math.round(perSecond)),
          })}
        </Text>
      )}
      {estimatedEndAt !== null && campaign.progress.pending > 0 && (
        <Text>
          {t('leftAbout', { time: sayLong(estimatedEndAt, run.now, i18n.language) })}{' '}
          <Moment at={estimatedEndAt} exact />
        </Text>
      )}
      {nextTryAt !== null && (
        <Text>
          {t('nextTry')} <Moment at={nextTryAt} />
        </Text>
      )}
    </Group>
  )
}

/** Words the time between two moments in its largest unit: `12 minutes`. */
function sayLong(to: string, from: string, language: string): string {
  const seconds = Math.max(1, (Date.parse(to) - Date.parse(from)) / 1_000)
  const [unit, length] =
    seconds < 90
      ? (['second', 1] as const)
      : seconds < 5_400
        ? (['minute', 60] as const)
        : (['hour', 3_600] as const)
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.round(seconds / length),
  )
}
