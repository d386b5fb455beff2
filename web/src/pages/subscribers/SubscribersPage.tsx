/**
 * The list of the workspace's audience: how many there are and how that grew, whom a status, a
 * segment, a text and conditions select, what is done with those selected, and a contact beside it.
 */
import { Stack } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Icon } from '../../parts/Icon.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { ButtonLink } from '../../parts/links.tsx'
import { Listing } from '../../parts/Listing.tsx'
import { Page } from '../../parts/Page.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { ChooseColumns, useShown } from '../../parts/table/ChooseColumns.tsx'
import { useSorting } from '../../parts/table/sorting.ts'
import { ListTools } from '../../parts/table/ListTools.tsx'
import { StatusTabs } from '../../parts/table/StatusTabs.tsx'
import { useIsWide } from '../../parts/use-is-wide.ts'
import { BulkProgress } from './bulk/BulkProgress.tsx'
import type { Matching } from './bulk/selection.ts'
import { BulkBar } from './BulkBar.tsx'
import { useContactColumns, type Contact } from './contact-columns.tsx'
import { DropImport } from './DropImport.tsx'
import { FilterChips } from './FilterChips.tsx'
import { Growth } from './Growth.tsx'
import { ContactSheet } from './ContactSheet.tsx'
import { SavedSegmentList, SegmentChoice, SegmentGone } from './SavedSegments.tsx'
import { SaveSegment } from './SaveSegment.tsx'
import classes from './Subscribers.module.css'
import { listRoute, useConditions, type Conditions } from './use-conditions.ts'
import { useEmptyAudience } from './use-empty-audience.tsx'
import { useAudienceActions } from './use-audience-actions.tsx'
import { useOpenContact } from './use-open-contact.ts'
import { useSegment } from './use-segment.ts'
import { useTotals } from './use-totals.ts'
import { WaitingConfirmations } from './WaitingConfirmations.tsx'
import { subscriberStatuses } from './words.ts'

/** Beside it, the table still has room for its columns. */
const besideFrom = '(min-width: 90em)'

export function SubscribersPage() {
  const { t } = useTranslation('subscribers')
  // A selection shows its bar at once.
  useTranslation('bulk')
  const mayEdit = useMay('editor')
  const segment = useSegment()
  const conditions = useConditions()
  const { matching, query } = useFilters(segment.id, conditions.definition)
  const { total, ofStatus } = useTotals(query)
  const hasRoom = useMediaQuery(besideFrom, undefined, { getInitialValueInEffect: false })
  const { more, dialog } = useAudienceActions({
    ...{ mayEdit, matching: segment.isGone ? null : matching },
  })
  const isWide = useIsWide()
  const isListShown = hasRoom && segment.segments.length > 0
  return (
    <Page
      title={t('title')}
      beside={!isWide && <Growth />}
      about={isWide && <Growth />}
      more={more}
      main={
        mayEdit && (
          <ButtonLink to="subscribers/new" leftSection={<Icon name="plus" size={16} />}>
            {t('add')}
          </ButtonLink>
        )
      }
    >
      {dialog}
      <DropImport mayEdit={mayEdit}>
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
        <div className={classes.page} data-beside={isListShown}>
          {isListShown && <SavedSegmentList {...segment} isCounted={total !== undefined} />}
          <Stack>
            {!isListShown && isWide && <SegmentChoice {...segment} />}
            <ListTools
              label={t('searchPeople')}
              search={<SearchField label={t('searchPeople')} />}
              names={['segment']}
              others={conditions.conditions.length}
            >
              {!isWide && <SegmentChoice {...segment} />}
              <FilterChips {...conditions} />
              {mayEdit && conditions.definition && !segment.isGone && (
                <SaveSegment matching={matching} onSaved={segment.choose} />
              )}
              <ChooseColumns columns={useContactColumns(t)} />
            </ListTools>
            {segment.isGone ? (
              <SegmentGone {...segment} />
            ) : (
              <Contacts {...{ mayEdit, matching, query, total }} />
            )}
          </Stack>
        </div>
      </DropImport>
    </Page>
  )
}

/** What selects the contacts: as a bulk change takes it, and as a query has it. */
function useFilters(segment: string | undefined, definition: Conditions['definition']) {
  const { status, q } = listRoute.useSearch()
  const filter = {
    ...(status && { status }),
    ...(q !== undefined && { q }),
    ...(segment !== undefined && { segment }),
  }
  return {
    matching: { ...filter, ...(definition && { definition }) },
    query: { ...filter, ...(definition && { definition: JSON.stringify(definition) }) },
  }
}

type Filters = ReturnType<typeof useFilters>

interface ContactsProps extends Filters {
  mayEdit: boolean
  total: ReturnType<typeof useTotals>['total']
}

function Contacts({ mayEdit, matching, query, total }: ContactsProps) {
  const { t } = useTranslation('subscribers')
  const { sort } = listRoute.useSearch()
  const sorting = useSorting(['created', 'email'], '-created')
  const columns = useContactColumns(t)
  const contacts = useList('listFilteredContacts', { query: { ...query, ...(sort && { sort }) } })
  const opened = useOpenContact(contacts)
  return (
    <>
      <Listing<Contact, Matching>
        label={t('title')}
        read={contacts}
        columns={columns}
        idOf={({ id }) => id}
        linkOf={({ id }) => `subscribers/${id}`}
        onOpen={({ id }) => opened.open(id)}
        empty={useEmptyAudience({ mayEdit, isSet: Object.keys(query).length > 0 })}
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
      <ContactSheet {...opened} />
    </>
  )
}
