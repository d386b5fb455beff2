/** The columns show a campaign's mail, state, audience, rates and date, and lead to its acts. */
import { Button, Progress, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { FoundCampaign } from '../../../../src/contract/workspace/drafts.ts'
import { useMay } from '../../api/use-role.ts'
import { None, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { Rate } from '../../parts/table/Rate.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { CampaignMenu, type AskAct } from './CampaignMenu.tsx'
import { runTones, stateInList } from './run/run-state.ts'
import { usePause } from './run/use-pause.ts'

const tight = { short: true, wideOnly: true } as const

export function useCampaignColumns(act: AskAct): Column<FoundCampaign>[] {
  const { t, i18n } = useTranslation('drafts')
  const mayEdit = useMay('editor')
  return [
    { header: t('campaign'), sort: 'name', cell: (campaign) => <Mail campaign={campaign} /> },
    { header: t('status'), cell: (campaign) => <State campaign={campaign} /> },
    {
      header: t('audience'),
      cell: ({ audience, topic }) => (
        <UserText>{audience?.name ?? topic?.name ?? t('everybody')}</UserText>
      ),
      ...{ wideOnly: true, optional: { name: 'audience' } },
    },
    {
      header: t('recipients'),
      cell: ({ recipients }) =>
        recipients === 0 ? <None /> : recipients.toLocaleString(i18n.language),
      ...{ ...tight, optional: { name: 'recipients' } },
    },
    {
      header: t('opened'),
      cell: ({ readerRates: { opened } }) => <Rate share={opened} />,
      ...{ ...tight, optional: { name: 'opened' } },
    },
    {
      header: t('clicked'),
      cell: ({ readerRates: { clicked } }) => <Rate share={clicked} />,
      ...{ ...tight, optional: { name: 'clicked' } },
    },
    {
      header: t('unsubscribed'),
      cell: ({ counts }) => <Rate share={unsubscribedShare(counts)} />,
      ...{ ...tight, optional: { name: 'unsubscribed' } },
    },
    {
      header: t('changed'),
      sort: 'date',
      cell: ({ sentAt, scheduledAt, updated_at }) => (
        <Moment at={scheduledAt ?? sentAt ?? updated_at} exact={scheduledAt !== null} />
      ),
      narrow: 'bare',
    },
    ...(mayEdit
      ? [
          {
            header: t('acts'),
            cell: (campaign: FoundCampaign) => <CampaignMenu {...{ campaign, act }} />,
            short: true,
          },
        ]
      : []),
  ]
}

/** Of those who got it, as the other rates. */
const unsubscribedShare = ({ delivered, unsubscribed }: FoundCampaign['counts']): number | null =>
  delivered === 0 ? null : Math.min(1, unsubscribed / delivered)

function Mail({ campaign: { name, renderedSubject } }: { campaign: FoundCampaign }) {
  const { t } = useTranslation('drafts')
  return (
    <Stack gap={0} component="span" display="inline-flex">
      <UserText variant="strong">{name}</UserText>
      <UserText variant="small">{renderedSubject || t('noSubject')}</UserText>
    </Stack>
  )
}

/** One that leaves shows how far it is, and can be paused where it stands. */
function State({ campaign }: { campaign: FoundCampaign }) {
  const { t, i18n } = useTranslation('drafts')
  const { status, recipients, progress } = campaign
  const state = stateInList(campaign)
  const badge = <Status tone={runTones[state]}>{t(`status_${state}`)}</Status>
  if (status !== 'sending' || recipients === 0) return badge
  const done = recipients - progress.pending
  const say = (count: number): string => count.toLocaleString(i18n.language)
  const words = t('handedOver', { done: say(done), total: say(recipients) })
  return (
    <Stack gap={4} align="flex-start">
      {badge}
      <Text size="sm">{words}</Text>
      <Progress value={(done / recipients) * 100} size="sm" w="100%" aria-label={words} />
      {state === 'sending' && <Pause campaign={campaign} />}
    </Stack>
  )
}

function Pause({ campaign: { id, name } }: { campaign: FoundCampaign }) {
  const { t } = useTranslation('drafts')
  const mayEdit = useMay('editor')
  const { pause, pausing } = usePause(id)
  if (!mayEdit) return null
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={t('pauseNamed', { name })}
      // A disabled button would lose the focus.
      aria-busy={pausing || undefined}
      onClick={pause}
    >
      {t('pause')}
    </Button>
  )
}
