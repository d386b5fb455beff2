/**
 * The page lists the workspace's audience with its filters, and leads to adding, import and export.
 */
import { Badge, Group, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Subscriber } from '../../../../src/contract/subscribers.ts'
import { useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Icon } from '../../parts/Icon.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Listing, type Column, type EmptyList } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { useSearchFurther } from '../../parts/use-search-further.ts'
import { AudienceFilters, useAudienceFilter } from './AudienceFilters.tsx'
import { ExportButton } from './bulk/ConfirmDialogs.tsx'
import { BulkProgress } from './bulk/BulkProgress.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { WaitingConfirmations } from './WaitingConfirmations.tsx'
import { fullName, subscriberTone } from './words.ts'

export function SubscribersPage() {
  const { t } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const { filter, isSet } = useAudienceFilter()
  const subscribers = useList('listSubscribers', { query: filter })
  const isSearching = useSearchFurther(subscribers, fullPage)
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={<Actions mayEdit={mayEdit} filter={filter} isSet={isSet} />}
    >
      <WaitingConfirmations />
      <BulkProgress />
      <AudienceFilters />
      <Listing
        label={t('title')}
        read={subscribers}
        columns={columnsOf(t)}
        idOf={({ id }) => id}
        linkOf={({ id }) => `subscribers/${id}`}
        empty={useEmpty({ mayEdit, isSet, isSearching })}
      />
      {isSearching && subscribers.items.length > 0 && (
        <Text c="dimmed" role="status">
          {t('lookingOn')}
        </Text>
      )}
    </Page>
  )
}

/**
 * Subscribers that fill a page: one answer looks through a limited number, so several pages gather
 * rare matches.
 */
const fullPage = 20

function Actions({
  mayEdit,
  filter,
  isSet,
}: { mayEdit: boolean } & ReturnType<typeof useAudienceFilter>) {
  const { t } = useTranslation('subscribers')
  return (
    <>
      <ButtonLink to="segments" variant="default">
        {t('segments')}
      </ButtonLink>
      <ButtonLink to="subscribers/fields" variant="default">
        {t('fields')}
      </ButtonLink>
      <ButtonLink to="subscribers/topics" variant="default">
        {t('topics')}
      </ButtonLink>
      {mayEdit && (
        <>
          <ExportButton label={isSet ? t('exportThese') : t('exportAll')} matching={filter} />
          <ButtonLink
            to="subscribers/import"
            variant="default"
            leftSection={<Icon name="upload" size={16} />}
          >
            {t('import')}
          </ButtonLink>
          <ButtonLink to="subscribers/new" leftSection={<Icon name="plus" size={16} />}>
            {t('add')}
          </ButtonLink>
        </>
      )}
    </>
  )
}

const columnsOf = (t: TFunction<'subscribers'>): Column<Subscriber>[] => [
  { header: t('address'), cell: ({ email }) => <UserText>{email}</UserText> },
  { header: t('name'), cell: (subscriber) => <UserText>{fullName(subscriber) || '–'}</UserText> },
  {
    header: t('status'),
    cell: ({ status }) => (
      <StateBadge t={t} prefix="status" state={status} tone={subscriberTone(status)} />
    ),
  },
  { header: t('tags'), cell: ({ tags }) => <Tags tags={tags} />, wideOnly: true },
  {
    header: t('source'),
    cell: ({ source }) => t(keyOf('source', source)),
    short: true,
    wideOnly: true,
  },
  { header: t('since'), cell: ({ created_at: at }) => <Moment at={at} />, align: 'end' },
]

const tagsShown = 3

function Tags({ tags }: { tags: string[] }) {
  return (
    <Group gap={4}>
      {tags.slice(0, tagsShown).map((tag) => (
        <Badge key={tag} title={tag} className="status tag" variant="light" tt="none" fw={500}>
          {tag}
        </Badge>
      ))}
      {tags.length > tagsShown && (
        <Text size="xs" c="dimmed" component="span">
          +{tags.length - tagsShown}
        </Text>
      )}
    </Group>
  )
}

/** The empty state: no subscriber matches the filters, or there is none yet. */
function useEmpty({
  mayEdit,
  isSet,
  isSearching,
}: {
  mayEdit: boolean
  isSet: boolean
  isSearching: boolean
}): EmptyList {
  const { t } = useTranslation('subscribers')
  const change = useChangeFilters()
  if (isSet) {
    const onClick = (): void =>
      change({ q: '', status: '', tag: '', source: '', field: '', value: '' })
    const title = isSearching ? t('lookingOn') : t('nobodyMatches')
    return {
      icon: 'search',
      title,
      clear: { label: t('clearFilters'), onClick },
      why: !isSearching && t('nobodyMatchesWhy'),
    }
  }
  const action = mayEdit && (
    <Group gap="xs" justify="center">
      <ButtonLink to="subscribers/import" variant="default">
        {t('import')}
      </ButtonLink>
      <ButtonLink to="subscribers/new">{t('add')}</ButtonLink>
    </Group>
  )
  return { icon: 'subscribers', title: t('nobody'), action, why: t('nobodyWhy') }
}
