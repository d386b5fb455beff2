/**
 * The ledger of a campaign is a sum: it counts every recipient of the frozen list in exactly one
 * state, at every moment.
 */
import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { PageLink } from '../../../parts/links.tsx'
import { Moment } from '../../../parts/Moment.tsx'
import { Section } from '../../../parts/Section.tsx'
import classes from './Run.module.css'
import { runStateOf } from './run-state.ts'
import { useFigures } from './use-figures.ts'

const places = ['pending', 'sent', 'failed', 'cancelled', 'suppressed', 'in_doubt'] as const

export function Ledger({ run: { campaign, cancelled } }: { run: CampaignRun }) {
  const { t } = useTranslation('run')
  const { count, percent } = useFigures()
  const { id, recipients, progress } = campaign
  // Recipients that users cancelled did not fail.
  const counts = { ...progress, failed: progress.failed - cancelled, cancelled }
  const shown = places.filter((location) => location !== 'cancelled' || cancelled > 0)
  const sum = shown.reduce((all, location) => all + counts[location], 0)
  const done = recipients - progress.pending
  const settled = t('settledOf', {
    done: count(done),
    total: count(recipients),
    share: percent(done / recipients),
  })
  return (
    <Section title={t('ledger')} beside={<Text c="dimmed">{settled}</Text>}>
      <div
        className={classes.bar}
        role="progressbar"
        aria-label={t('ledger')}
        aria-valuemin={0}
        aria-valuemax={recipients}
        aria-valuenow={done}
        aria-valuetext={settled}
      >
        {(['sent', 'failed', 'cancelled', 'suppressed', 'in_doubt'] as const).map((location) => (
          <span
            key={location}
            className={classes[location]}
            style={{ inlineSize: `${(counts[location] / recipients) * 100}%` }}
          />
        ))}
      </div>
      <dl className={classes.sum}>
        {([null, ...shown] as const).map((location, at) => (
          <div
            key={location}
            className={location ? `${classes.term} ${classes[location]}` : classes.term}
            data-sign={location && (at === 1 ? '=' : '+')}
          >
            <dt>{t(location ? `place_${location}` : 'recipients')}</dt>
            <dd>
              <PageLink
                to={`campaigns/${id}/recipients`}
                search={location ? { only: location } : {}}
                className={classes.number}
                data-figure={location ?? 'recipients'}
              >
                {count(location ? counts[location] : recipients)}
              </PageLink>
            </dd>
            <Text component="dd" size="xs" c="dimmed">
              {t(location ? `placeWhat_${location}` : 'recipientsWhat')}
            </Text>
          </div>
        ))}
      </dl>
      <Text c="dimmed" data-adds-up={sum === recipients}>
        <Group gap={6} component="span" display="inline-flex">
          <Icon name={sum === recipients ? 'check' : 'warning'} size={15} />
          {t(sum === recipients ? 'addsUp' : 'addsUpNot', {
            sum: count(sum),
            total: count(recipients),
          })}
        </Group>
      </Text>
    </Section>
  )
}

/** Shows the speed and the expected end of a campaign, or why it does not progress. */
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
