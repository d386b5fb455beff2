/** What a campaign is: whom it is from, what is followed, and its times in the reader's zone. */
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { PaperSection } from '../../../parts/Section.tsx'
import { InternalNote } from '../InternalNote.tsx'
import { BothZones } from './BothZones.tsx'
import classes from './Run.module.css'

export function CampaignFacts({ run: { campaign } }: { run: CampaignRun }) {
  const { t } = useTranslation('run')
  return (
    <PaperSection title={t('facts')}>
      <dl className={classes.facts}>
        <Fact name="subject">{campaign.subject === '' ? t('none') : campaign.subject}</Fact>
        <Fact name="preheader">{campaign.preheader ?? t('none')}</Fact>
        <Fact name="from">{campaign.from ?? t('noSender')}</Fact>
        <Fact name="kind">{t(`kind_${campaign.kind}`)}</Fact>
        {campaign.scheduledAt !== null && campaign.status === 'scheduled' && (
          <Fact name="scheduledAt">
            <BothZones at={campaign.scheduledAt} />
          </Fact>
        )}
        {campaign.sentAt !== null && (
          <Fact name="sentAt">
            <Moment at={campaign.sentAt} exact />
          </Fact>
        )}
        {campaign.completedAt !== null && (
          <Fact name="completedAt">
            <Moment at={campaign.completedAt} exact />
          </Fact>
        )}
        <Fact name="createdAt">
          <Moment at={campaign.created_at} exact />
        </Fact>
      </dl>
      <InternalNote id={campaign.id} />
    </PaperSection>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  const { t } = useTranslation('run')
  return (
    <div className={classes.fact}>
      <dt>{t(name)}</dt>
      <dd>{children}</dd>
    </div>
  )
}
