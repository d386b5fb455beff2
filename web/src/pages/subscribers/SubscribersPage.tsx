/**
 * The list of the workspace's audience: how many there are and how that grew, whom a status, a text
 * and conditions select, and what is done with those selected.
 */
import { Badge, Button, Group, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAsk, useList, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Icon } from '../../parts/Icon.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { ButtonLink } from '../../parts/links.tsx'
import { Listing, type Column, type EmptyList } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { ChooseColumns, useShown } from '../../parts/table/ChooseColumns.tsx'
import { useSorting } from '../../parts/table/sorting.ts'
import { StatusTabs } from '../../parts/table/StatusTabs.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { ExportButton } from './bulk/ConfirmDialogs.tsx'
import { BulkProgress } from './bulk/BulkProgress.tsx'
import { SaveSegmentDialog } from './bulk/SaveSegmentDialog.tsx'
import { BulkBar } from './BulkBar.tsx'
import { FilterChips } from './FilterChips.tsx'
import { Growth } from './Growth.tsx'
import { listRoute, useConditions } from './use-conditions.ts'
import { useTotals } from './use-totals.ts'
import { WaitingConfirmations } from './WaitingConfirmations.tsx'
import { fullName, subscriberStatuses, subscriberTone } from './words.ts'

type Contact = ItemOf<'listFilteredContacts'>

export function SubscribersPage() {
  const { t } = useTranslation('subscribers')
  // A selection shows its bar at once.
  useTranslation('bulk')
  const mayEdit = useMay('editor')
  const { status, q, sort } = listRoute.useSearch()
  const conditions = useConditions()
  const { definition } = conditions
  const filter = { ...(status && { status }), ...(q !== undefined && { q }) }
  const query = { ...filter, ...(definition && { definition: JSON.stringify(definition) }) }
  const sorting = useSorting(['created', 'email'], '-created')
  const contacts = useList('listFilteredContacts', {
    query: { ...query, ...(sort && { sort }) },
  })
  const { total, ofStatus } = useTotals(query)
  const columns = useColumns(t)
  const matching = { ...filter, ...(definition && { definition }) }
  return (
    <Page
      title={t('title')}
      beside={<Growth />}
      about={t('about')}
      actions={<Actions mayEdit={mayEdit} matching={matching} />}
    >
      <WaitingConfirmations />
      <BulkProgress />
      <StatusTabs
        label={t('status')}
        tabs={[
          { value: '', label: t('statusAll'), total: ofStatus(null) },
          ...subscriberStatuses.map((value) => ({
            ...{ value, label: t(keyOf('status', value)), total: ofStatus(value) },
          })),
        ]}
      />
      <Group gap="sm" role="search" aria-label={t('searchPeople')}>
        <SearchField label={t('searchPeople')} />
        <FilterChips {...conditions} />
        {mayEdit && definition && <SaveSegment matching={matching} />}
        <ChooseColumns columns={columns} />
      </Group>
      <Listing<Contact, Matching>
        label={t('title')}
        read={contacts}
        columns={columns}
        idOf={({ id }) => id}
        linkOf={({ id }) => `subscribers/${id}`}
        empty={useEmpty({ mayEdit, isSet: Object.keys(query).length > 0 })}
        {...{ total, sorting, shown: useShown(columns) }}
        {...(mayEdit && {
          selecting: {
            labelOf: ({ email }: Contact) => email,
            view: JSON.stringify(query),
            matching: { filter: matching, total },
            renderBar: ({ selection, onDone }) => <BulkBar {...{ selection, onDone }} />,
          },
        })}
      />
    </Page>
  )
}

type Matching = Extract<
  Parameters<typeof BulkBar>[0]['selection'],
  { matching: object }
>['matching']

function SaveSegment({ matching }: { matching: Matching }) {
  const { t } = useTranslation('bulk')
  const [opened, setOpened] = useState(false)
  const close = (): void => setOpened(false)
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        {t('saveSegment')}
      </Button>
      <SaveSegmentDialog
        selection={{ matching, total: { count: 0, more: false } }}
        {...{ opened, onClose: close, onDone: close }}
      />
    </>
  )
}

interface ActionsProps {
  mayEdit: boolean
  /** Null: conditions select them, and the selection is exported. */
  matching: Matching
}

function Actions({ mayEdit, matching }: ActionsProps) {
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
          <ExportButton
            label={Object.keys(matching).length > 0 ? t('exportThese') : t('exportAll')}
            matching={matching}
          />
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

/** Custom fields are columns to choose. */
function useColumns(t: TFunction<'subscribers'>): Column<Contact>[] {
  const { data } = useAsk('listSubscriberFields')
  return [
    { header: t('address'), sort: 'email', cell: (contact) => <Who contact={contact} /> },
    {
      header: t('status'),
      short: true,
      cell: ({ status }) => (
        <StateBadge t={t} prefix="status" state={status} tone={subscriberTone(status)} />
      ),
    },
    {
      header: t('tags'),
      cell: ({ tags }) => <Tags tags={tags} />,
      wideOnly: true,
      optional: { name: 'tags' },
    },
    {
      header: t('source'),
      cell: ({ source }) => t(keyOf('source', source)),
      ...{ short: true, wideOnly: true, optional: { name: 'source' } },
    },
    {
      header: t('lastOpened'),
      cell: ({ last_opened_at: at }) => <Moment at={at} />,
      ...{ short: true, wideOnly: true, optional: { name: 'opened' } },
    },
    ...(data?.data ?? []).map(({ key, label }) => ({
      header: label ?? key,
      cell: ({ fields }: Contact) => <UserText>{fields[key] ?? '–'}</UserText>,
      optional: { name: `field:${key}`, isHidden: true },
    })),
    {
      header: t('since'),
      sort: 'created',
      cell: ({ created_at: at }) => <Moment at={at} />,
      ...{ short: true, align: 'end' as const },
    },
  ]
}

function Who({ contact }: { contact: Contact }) {
  const name = fullName(contact)
  if (name === '') return <UserText>{contact.email}</UserText>
  return (
    <>
      <UserText variant="strong">{name}</UserText>
      <UserText variant="small">{contact.email}</UserText>
    </>
  )
}

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
function useEmpty({ mayEdit, isSet }: { mayEdit: boolean; isSet: boolean }): EmptyList {
  const { t } = useTranslation('subscribers')
  const change = useChangeFilters()
  if (isSet) {
    const nothing = { q: '', status: '', filters: '', match: '', tag: '', source: '', field: '' }
    const clear = { label: t('clearFilters'), onClick: () => change(nothing) }
    return { icon: 'search', title: t('nobodyMatches'), clear, why: t('nobodyMatchesWhy') }
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
