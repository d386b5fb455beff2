/** The filters of the calls live in the page's address. */
import { requestCodes, requestOutcomes } from 'virtual:contract'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/use-ask.ts'
import { DateMenu } from '../../parts/table/DateMenu.tsx'
import { ListTools } from '../../parts/table/ListTools.tsx'
import { StatusTabs } from '../../parts/table/StatusTabs.tsx'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { PageLink } from '../../parts/links.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { useChangeFilters, useFilter } from '../../parts/use-filter.ts'
import { isId, operationsOfKeys, type RequestView } from './use-request-view.ts'

export function RequestFilters({ counts }: Pick<RequestView, 'counts'>) {
  const { t } = useTranslation('requests')
  const keys = useList('listApiKeys')
  return (
    <Stack gap="sm">
      <StatusTabs
        label={t('status')}
        tabs={[
          { value: '', label: t('anyStatus'), total: counts },
          ...requestOutcomes.map((value) => ({
            ...{ value, label: t(keyOf('status', value)), total: counts?.statuses[value] },
          })),
        ]}
      />
      <ListTools
        label={t('filters')}
        search={<SearchField label={t('search')} />}
        names={['code', 'operation', 'key', 'days', 'from', 'to']}
      >
        <FilterSelect
          name="code"
          label={t('code')}
          any={t('anyCode')}
          options={requestCodes.map((value) => ({ value, label: value }))}
        />
        <FilterSelect
          name="operation"
          label={t('operation')}
          any={t('anyOperation')}
          options={operationsOfKeys.map((value) => ({ value, label: value }))}
        />
        <FilterSelect
          name="key"
          label={t('key')}
          any={t('anyKey')}
          options={keys.items.map(({ id, name, prefix }) => ({
            value: id,
            label: `${name} (${prefix}…)`,
          }))}
        />
        <DateMenu />
      </ListTools>
      <OfRequest />
      <CreatedBy name="message" text={t('ofMessage')} page="emails" />
      <CreatedBy name="campaign" text={t('ofCampaign')} page="campaigns" />
    </Stack>
  )
}

/** A link of a message's page leads to the call that made it. */
function OfRequest() {
  const { t } = useTranslation('requests')
  const [id] = useFilter('request')
  const change = useChangeFilters()
  if (id === '') return null
  return (
    <Group gap="sm">
      <Text style={{ overflowWrap: 'anywhere' }}>
        {t('requestId')} {id}
      </Text>
      <Button variant="default" size="xs" onClick={() => change({ request: '' })}>
        {t('showAll')}
      </Button>
    </Group>
  )
}

/** A link of a message's page, or of a campaign's, leads to the calls that made it. */
function CreatedBy({
  name,
  text,
  page,
}: {
  name: 'message' | 'campaign'
  text: string
  page: string
}) {
  const { t } = useTranslation('requests')
  const [id] = useFilter(name)
  const change = useChangeFilters()
  if (!isId(id)) return null
  return (
    <Group gap="sm">
      <Text>
        {text}{' '}
        <PageLink to={`${page}/${id}`} size="sm" ff="monospace">
          {id}
        </PageLink>
      </Text>
      <Button variant="default" size="xs" onClick={() => change({ [name]: '' })}>
        {t('showAll')}
      </Button>
    </Group>
  )
}
