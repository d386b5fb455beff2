/** The columns show a message's recipients, subject, outcome and time. */
import { useTranslation } from 'react-i18next'
import type { ItemOf } from '../../api/use-ask.ts'
import { None, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { UserText } from '../../parts/UserText.tsx'

export type Line = ItemOf<'listMessages'>

export function useEmailColumns(): Column<Line>[] {
  const { t } = useTranslation('emails')
  return [
    {
      header: t('recipient'),
      cell: ({ to }) => (
        <>
          <UserText>{to[0] ?? ''}</UserText>
          {to.length > 1 && t('andOthers', { count: to.length - 1 })}
        </>
      ),
    },
    {
      header: t('subject'),
      cell: ({ subject, campaign }) => (
        <>
          <UserText>{subject || t('noSubject')}</UserText>
          {campaign && <UserText variant="small">{`${t('ofCampaign')} ${campaign.name}`}</UserText>}
        </>
      ),
      narrow: 'second',
    },
    {
      header: t('status'),
      cell: ({ last_event: event }) => <StateBadge t={t} prefix="status" state={event} />,
      narrow: 'side',
    },
    {
      header: t('activity'),
      cell: ({ opened, clicked }) => (clicked ? t('clicked') : opened ? t('opened') : '–'),
      ...{ short: true, wideOnly: true, optional: { name: 'activity' } },
    },
    {
      header: t('from'),
      cell: ({ from }) => <UserText>{from}</UserText>,
      optional: { name: 'from', isHidden: true },
    },
    {
      header: t('tags'),
      cell: ({ tags }) =>
        tags === null ? (
          <None />
        ) : (
          <UserText>
            {Object.entries(tags)
              .map(([name, value]) => `${name}: ${value}`)
              .join(', ')}
          </UserText>
        ),
      optional: { name: 'tags', isHidden: true },
    },
    {
      header: t('scheduledFor'),
      cell: ({ scheduled_at: at }) => <Moment at={at} exact />,
      ...{ short: true, optional: { name: 'scheduled', isHidden: true } },
    },
    { header: t('when'), cell: ({ created_at: at }) => <Moment at={at} /> },
  ]
}
