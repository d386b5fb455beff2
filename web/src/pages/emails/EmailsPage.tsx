/**
 * The log lists sent and pending messages, and finds them by recipient, subject, tag, status and
 * day.
 */
import { Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { isFirstPage, useList, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Icon } from '../../parts/Icon.tsx'
import { AnchorButton, ButtonLink } from '../../parts/links.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { useSearchFurther } from '../../parts/use-search-further.ts'
import { EmailFilters, cleared, useEmailFilter } from './EmailFilters.tsx'
import classes from './Emails.module.css'
import { StateBadge } from '../../parts/StateBadge.tsx'

type Line = ItemOf<'listMessages'>

/**
 * A page holds what the service found quickly: with fewer entries than these, the list asks for the
 * next at once.
 */
const enough = 25

export function EmailsPage() {
  const { t } = useTranslation('emails')
  const mayEdit = useMay('editor')
  const query = useEmailFilter()
  const change = useChangeFilters()
  const isFiltered = Object.keys(query).length > 0
  const read = useList(
    'listMessages',
    { query },
    { poll: (last) => (isFirstPage(last) ? 8_000 : false) },
  )
  const isSearching = useSearchFurther(read, enough)
  return (
    <Page title={t('title')} about={t('about')} actions={mayEdit && <ComposeLink />}>
      <EmailFilters />
      <Text role="status" c="dimmed" className={classes.looking}>
        {isSearching ? t('lookingFurther') : ''}
      </Text>
      <Listing
        label={t('title')}
        read={{ ...read, isLoading: read.isLoading || (isSearching && read.items.length === 0) }}
        columns={columnsOf(t)}
        idOf={({ id }) => id}
        linkOf={({ id }) => `emails/${id}`}
        empty={
          isFiltered
            ? {
                icon: 'filter',
                title: t('noMatch'),
                clear: { label: t('clearFilters'), onClick: () => change(cleared) },
                why: t('noMatchWhy'),
              }
            : {
                icon: 'emails',
                title: t('none'),
                action: <AnchorButton href="/docs#send-a-message">{t('howToSend')}</AnchorButton>,
                why: t('noneWhy'),
              }
        }
      />
    </Page>
  )
}

function ComposeLink() {
  const { t } = useTranslation('emails')
  return (
    <ButtonLink to="emails/new" leftSection={<Icon name="edit" size={16} />}>
      {t('compose')}
    </ButtonLink>
  )
}

const columnsOf = (t: TFunction<'emails'>): Column<Line>[] => [
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
  },
  {
    header: t('status'),
    cell: ({ last_event: event }) => <StateBadge t={t} prefix="status" state={event} />,
  },
  {
    header: t('activity'),
    short: true,
    wideOnly: true,
    cell: ({ opened, clicked }) => (clicked ? t('clicked') : opened ? t('opened') : '–'),
  },
  { header: t('when'), cell: ({ created_at: at }) => <Moment at={at} /> },
]
