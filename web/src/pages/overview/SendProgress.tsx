/** The live timeline of a message that was sent just now, with the time since it was accepted. */
import { Group, Loader, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { ButtonLink, PageLink } from '../../parts/links.tsx'
import { sayElapsed } from '../../parts/say-time.ts'
import { StateBadge } from '../../parts/StateBadge.tsx'
import classes from './FirstMail.module.css'

/** Without an outcome yet. */
const isUnderWay = (status: string): boolean => status === 'queued' || status === 'sent'

/** A report of the mail host takes longer than the hand-off. */
function pollOf(last: unknown): number | false {
  const message = last as Got<'getMessage'> | undefined
  if (message && !isUnderWay(message.status)) return false
  return message?.status === 'sent' ? 1_500 : 300
}

export function SendProgress({ id, captures }: { id: string; captures: boolean }) {
  const { t, i18n } = useTranslation('overview')
  const { t: emails } = useTranslation('emails')
  const { data, error, refetch } = useAsk('getMessage', { params: { id } }, { poll: pollOf })
  if (!data) return <Failure error={error} retry={() => void refetch()} />
  const timeline = data.recipients[0]?.timeline ?? []
  const captured = data.recipients[0]?.captured ?? null
  const start = Date.parse(data.created_at)
  return (
    <Stack gap="md" align="flex-start">
      <ol className={classes.progress} aria-live="polite" aria-label={t('testTimeline')}>
        {timeline.map(({ what, at }) => (
          <li key={`${what} ${at}`} className={classes.step}>
            <StateBadge t={emails} prefix="happened" state={what} />
            <Text c="dimmed" component="span">
              {sayElapsed(Date.parse(at) - start, i18n.language)}
            </Text>
          </li>
        ))}
        {isUnderWay(data.status) && (
          <li className={classes.step}>
            <Loader size="xs" aria-hidden />
            <Text c="dimmed">{t('testUnderWay')}</Text>
          </li>
        )}
      </ol>
      <Group gap="md">
        {captures && data.status !== 'queued' && (
          <ButtonLink
            to={captured === null ? 'captured' : `captured/${captured}`}
            variant="default"
          >
            {t('openCaptured')}
          </ButtonLink>
        )}
        <PageLink to={`emails/${id}`} size="sm">
          {t('openMessage')}
        </PageLink>
      </Group>
    </Stack>
  )
}
