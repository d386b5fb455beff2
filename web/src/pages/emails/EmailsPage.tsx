/** The log lists sent and pending messages by status, and finds them by one text, a tag and days. */
import { Text } from '@mantine/core'
import { messageStatuses } from 'virtual:contract'
import { useTranslation } from 'react-i18next'
import { isFirstPage, useAsk, useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Icon } from '../../parts/Icon.tsx'
import { AnchorButton, ButtonLink } from '../../parts/links.tsx'
import { Listing, type EmptyList } from '../../parts/Listing.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { Page } from '../../parts/Page.tsx'
import { ChooseColumns, useShown } from '../../parts/table/ChooseColumns.tsx'
import { StatusTabs } from '../../parts/table/StatusTabs.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { useSearchFurther } from '../../parts/use-search-further.ts'
import { useEmailColumns, type Line } from './email-columns.tsx'
import { EmailFilters, cleared, emailsRoute, useEmailFilter } from './EmailFilters.tsx'
import { EmailsBar } from './EmailsBar.tsx'
import classes from './Emails.module.css'

/**
 * A page holds what the service found quickly: with fewer entries than these, the list asks for the
 * next at once.
 */
const enough = 25

export function EmailsPage() {
  const { t } = useTranslation('emails')
  const mayEdit = useMay('editor')
  const { status } = emailsRoute.useSearch()
  const filter = useEmailFilter()
  const query = { ...filter, ...(status && { status }) }
  const read = useList(
    'listMessages',
    { query },
    { poll: (last) => (isFirstPage(last) ? 8_000 : false) },
  )
  const { data: totals } = useAsk('countMessages', { query: filter }, { poll: 20_000 })
  const total = status ? totals?.statuses[status] : totals?.all
  const isSearching = useSearchFurther(read, enough)
  const columns = useEmailColumns()
  return (
    <Page
      title={t('title')}
      beside={<TitleTotal total={total} />}
      about={t('about')}
      main={mayEdit && <ComposeLink />}
    >
      <StatusTabs
        label={t('status')}
        tabs={[
          { value: '', label: t('allStatuses'), total: totals?.all },
          ...messageStatuses
            .map((value) => ({
              ...{ value, label: t(keyOf('status', value)), total: totals?.statuses[value] },
            }))
            // Of more than were counted, any status may have some.
            .filter(
              ({ value, total: counted }) => value === status || counted?.more || counted?.count,
            ),
        ]}
      />
      <EmailFilters>
        <ChooseColumns columns={columns} />
      </EmailFilters>
      <Text role="status" c="dimmed" className={classes.looking}>
        {isSearching ? t('lookingFurther') : ''}
      </Text>
      <Listing<Line>
        label={t('title')}
        read={{ ...read, isLoading: read.isLoading || (isSearching && read.items.length === 0) }}
        columns={columns}
        idOf={({ id }) => id}
        linkOf={({ id }) => `emails/${id}`}
        empty={useEmpty(Object.keys(query).length > 0)}
        total={total}
        shown={useShown(columns)}
        selecting={{
          labelOf: ({ to, subject }) => `${to[0] ?? ''}, ${subject || t('noSubject')}`,
          view: JSON.stringify(query),
          renderBar: ({ selection, onDone }) => (
            <EmailsBar {...{ lines: read.items, selection, onDone }} />
          ),
        }}
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

/** No message matches the filters, or there is none yet. */
function useEmpty(isFiltered: boolean): EmptyList {
  const { t } = useTranslation('emails')
  const change = useChangeFilters()
  if (isFiltered) {
    const clear = { label: t('clearFilters'), onClick: () => change(cleared) }
    return { icon: 'filter', title: t('noMatch'), clear, why: t('noMatchWhy') }
  }
  const action = <AnchorButton href="/docs#send-a-message">{t('howToSend')}</AnchorButton>
  return { icon: 'emails', title: t('none'), action, why: t('noneWhy') }
}
