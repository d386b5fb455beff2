/**
 * The section shows a campaign's subject, sender, audience, kind and note, and its times in the
 * reader's zone.
 */
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ParseKeys } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import type { Got } from '../../../api/client.ts'
import { useAsk, useList } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { PageLink } from '../../../parts/links.tsx'
import { Moment } from '../../../parts/Moment.tsx'
import { sayDate } from '../../../say-date.ts'
import { PaperSection } from '../../../parts/Section.tsx'
import { InternalNote } from '../InternalNote.tsx'
import { sayMergeTags } from '../say-merge-tags.ts'
import classes from './Run.module.css'
import { useFigures } from './use-figures.ts'

export function CampaignFacts({ run: { campaign } }: { run: CampaignRun }) {
  const { t } = useTranslation('run')
  const { t: drafts } = useTranslation('drafts')
  const hasRequests = useHasRequests(campaign.id)
  const { data: audience } = useAsk('getCampaignAudience', { params: { id: campaign.id } })
  const times = [
    ['sentAt', campaign.sentAt],
    ['completedAt', campaign.completedAt],
    ['createdAt', campaign.created_at],
  ] as const
  return (
    <PaperSection title={t('facts')}>
      <dl className={classes.facts}>
        <Fact name="subject" fact={sayMergeTags(campaign.subject, drafts) || t('none')} />
        <Fact name="preheader" fact={sayMergeTags(campaign.preheader ?? '', drafts) || t('none')} />
        <Fact name="from" fact={campaign.from ?? t('noSender')} />
        {campaign.reply_to.length > 0 && (
          <Fact name="replyTo" fact={campaign.reply_to.join(', ')} />
        )}
        <Fact name="kind" fact={t(`kind_${campaign.kind}`)} />
        {audience && <Fact name="to" fact={<TargetFact to={audience.to} />} />}
        {audience && audience.except.length > 0 && (
          <Fact name="except" fact={<ExceptFact except={audience.except} />} />
        )}
        {campaign.topic && <Fact name="topic" fact={<TopicFact {...campaign.topic} />} />}
        {campaign.scheduledAt !== null && campaign.status === 'scheduled' && (
          <Fact name="scheduledAt" fact={<BothZones at={campaign.scheduledAt} />} />
        )}
        {times.map(
          ([name, at]) =>
            at !== null && <Fact key={name} name={name} fact={<Moment at={at} exact />} />,
        )}
        {hasRequests && (
          <Fact
            name="apiRequests"
            fact={
              <PageLink to="settings/requests" search={{ campaign: campaign.id }}>
                {t('showApiRequests')}
              </PageLink>
            }
          />
        )}
      </dl>
      <InternalNote id={campaign.id} />
    </PaperSection>
  )
}

/** Whether a program created or sent it, as far as the log of calls stores it; owners read it. */
function useHasRequests(campaign: string): boolean {
  const isOwner = useMay('owner')
  return useList('listRequests', { query: { campaign } }, { enabled: isOwner }).items.length > 0
}

function Fact({ name, fact }: { name: ParseKeys<'run'>; fact: ReactNode }) {
  const { t } = useTranslation('run')
  return (
    <div className={classes.fact}>
      <dt>{t(name)}</dt>
      <dd>{fact}</dd>
    </div>
  )
}

type Audience = Got<'getCampaignAudience'>

function TargetFact({ to }: { to: Audience['to'] }) {
  const { t } = useTranslation('run')
  const { t: drafts } = useTranslation('drafts')
  if (to === null) return <>{drafts('everybody')}</>
  const { kind, name, tags } = to
  return (
    <>{kind === 'tags' ? t('to_tags', { name, count: tags.length }) : t('to_segment', { name })}</>
  )
}

/** Each with how many it left out at the freeze. */
function ExceptFact({ except }: { except: Audience['except'] }) {
  const { t } = useTranslation('run')
  const { count } = useFigures()
  return (
    <>
      {except.map(({ reason, name, within_days: days, left_out: left }) => {
        const what =
          reason === 'excluded_received'
            ? t('except_excluded_received', { count: days ?? 0 })
            : t(`except_${reason}`, { name })
        return (
          <div key={`${reason} ${name} ${days}`}>
            {left === null ? what : t('exceptLeft', { what, count: left, n: count(left) })}
          </div>
        )
      })}
    </>
  )
}

/** With how many the freeze left out. */
function TopicFact({ name, left_out: left }: NonNullable<CampaignRun['campaign']['topic']>) {
  const { t } = useTranslation('run')
  const { count } = useFigures()
  return <>{left === null ? name : t('topicLeft', { name, count: left, n: count(left) })}</>
}

export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * Shows an agreed time in the reader's zone and in UTC, so that users in two places mean the same.
 */
export function BothZones({ at }: { at: string }) {
  const { i18n } = useTranslation()
  const say = (timeZone: string): string =>
    sayDate(new Date(at), i18n.language, { dateStyle: 'full', timeStyle: 'short', timeZone })
  return (
    <time dateTime={at}>
      <Text size="md" component="span" fw={550}>
        {say(ownZone())} ({ownZone()})
      </Text>
      <br />
      <Text component="span" c="dimmed">
        {say('UTC')} UTC
      </Text>
    </time>
  )
}
