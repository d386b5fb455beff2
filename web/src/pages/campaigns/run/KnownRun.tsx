/**
 * Each page of a campaign stands below its name and state, its acts, and the tabs of its other
 * pages.
 */
import { Group } from '@mantine/core'
import { Navigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { refusalCode } from '../../../api/refusal.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { NotFound } from '../../../parts/NotFound.tsx'
import { PageLink, usePlace } from '../../../parts/links.tsx'
import { LoadedPage, Waiting } from '../../../parts/Loaded.tsx'
import { Page } from '../../../parts/Page.tsx'
import { Status } from '../../../parts/Status.tsx'
import { sayMergeTags } from '../say-merge-tags.ts'
import { Acts } from './Acts.tsx'
import { isBeforeSend, type RunTab } from './front-tab.ts'
import classes from './Run.module.css'
import { runStateOf, runTones, pollMs } from './run-state.ts'

/** The page polls while the campaign changes. */
export function KnownRun({
  tab,
  children,
}: {
  tab: RunTab
  children: (run: CampaignRun) => ReactNode
}) {
  const { t } = useTranslation('run')
  const { t: drafts } = useTranslation('drafts')
  const { id = '' } = useParams({ strict: false })
  const read = useAsk(
    'getCampaignRun',
    { params: { id } },
    { poll: (last) => (isRun(last) ? pollMs(last) : false) },
  )
  const back = { to: 'campaigns', label: t('campaigns') }
  if (!read.data && refusalCode(read.error) === 'not_found') return <NotFound />
  return (
    <LoadedPage
      of={read}
      title={t('campaign')}
      back={back}
      waiting={<Waiting parts={[{ height: 36, width: '60%' }, { height: 140 }, { height: 140 }]} />}
    >
      {(run) => {
        const state = runStateOf(run)
        const { campaign } = run
        return (
          <Page
            title={campaign.name}
            beside={<Status tone={runTones[state]}>{t(`state_${state}`)}</Status>}
            about={sayMergeTags(campaign.subject, drafts)}
            back={back}
            actions={<Acts run={run} />}
          >
            {campaign.recipients > 0 && <Tabs id={id} tab={tab} />}
            {children(run)}
          </Page>
        )
      }}
    </LoadedPage>
  )
}

/** Only this query's answers come to its own poll (api/use-ask.ts). */
const isRun = (last: unknown): last is CampaignRun =>
  typeof last === 'object' && last !== null && 'campaign' in last

/** A campaign that was taken back is a draft again, which has a page of its own. */
export function OnceSent({ run, children }: { run: CampaignRun; children: ReactNode }) {
  const locate = usePlace()
  if (!isBeforeSend(run)) return children
  return <Navigate to={locate(`campaigns/${run.campaign.id}`)} replace />
}

const tabs: RunTab[] = ['results', 'delivery', 'recipients']

function Tabs({ id, tab }: { id: string; tab: RunTab }) {
  const { t } = useTranslation('run')
  return (
    <nav aria-label={t('pages')} className={classes.tabs}>
      <Group gap="lg" className={classes.row}>
        {tabs.map((name) => (
          <PageLink
            key={name}
            to={`campaigns/${id}/${name}`}
            className={classes.tab}
            data-here={name === tab}
            underline="never"
          >
            {t(`tab_${name}`)}
          </PageLink>
        ))}
      </Group>
    </nav>
  )
}
