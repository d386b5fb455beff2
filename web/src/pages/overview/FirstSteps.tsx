/**
 * The list shows a workspace's first steps; each ticks itself, and the list disappears once all are
 * done.
 */
import { Group, Paper, Text, Title, VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import classes from './FirstSteps.module.css'
import type { Overview } from './overview.ts'

const steps = [
  { key: 'domain', text: 'stepDomain', to: 'settings/domains' },
  { key: 'key', text: 'stepKey', to: 'settings/keys' },
  { key: 'email', text: 'stepEmail', to: 'emails/new' },
  { key: 'webhook', text: 'stepWebhook', to: 'webhooks' },
  { key: 'subscribers', text: 'stepSubscribers', to: 'subscribers' },
] as const

export function FirstSteps({ steps: done }: { steps: Overview['steps'] }) {
  const { t } = useTranslation('overview')
  const count = steps.filter(({ key }) => done[key]).length
  if (count === steps.length) return null
  return (
    <Paper component="section" aria-labelledby="steps-title">
      <Group justify="space-between" align="baseline" mb="sm">
        <Title order={2} id="steps-title">
          {t('firstSteps')}
        </Title>
        <Text c="dimmed">{t('stepsDone', { done: count, all: steps.length })}</Text>
      </Group>
      <ol className={classes.steps}>
        {steps.map(({ key, text, to }) => (
          <li key={key} className={classes.step} data-done={done[key]}>
            <span className={classes.mark} aria-hidden>
              {done[key] && <Icon name="check" size={14} />}
            </span>
            <div>
              <VisuallyHidden>{done[key] ? t('stepDone') : t('stepOpen')}</VisuallyHidden>
              <PageLink to={to} size="sm" fw={550} c={done[key] ? 'dimmed' : undefined}>
                {t(text)}
              </PageLink>
              <Text size="xs" c="dimmed">
                {t(`${text}Why`)}
              </Text>
            </div>
          </li>
        ))}
      </ol>
    </Paper>
  )
}
