/** The filters of the calls live in the page's address. */
import { requestCodes, requestOutcomes, routes } from 'virtual:contract'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CallInput } from '../../api/client.ts'
import { useList } from '../../api/use-ask.ts'
import { DayFields } from '../../parts/DayFields.tsx'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { PageLink } from '../../parts/links.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { useChangeFilters, useFilter } from '../../parts/use-filter.ts'
import { useMoments } from '../../parts/use-range.ts'

type Query = NonNullable<CallInput<'listRequests'>['query']>

/** Filters nothing. */
export const allRequests = {
  status: '',
  code: '',
  operation: '',
  key: '',
  request: '',
  message: '',
  campaign: '',
  from: '',
  to: '',
}

/** Programs call these operations. */
const operations = Object.entries(routes)
  .filter(([, { entry }]) => entry === 'api')
  .map(([id]) => id)

const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

export function useRequestFilter(): Query {
  const [status] = useFilter('status')
  const [code] = useFilter('code')
  const [operation] = useFilter('operation')
  const [key] = useFilter('key')
  const [request] = useFilter('request')
  const [message] = useFilter('message')
  const [campaign] = useFilter('campaign')
  const moments = useMoments()
  const knownStatus = requestOutcomes.find((value) => value === status)
  const knownCode = requestCodes.find((value) => value === code)
  return {
    ...(knownStatus && { status: knownStatus }),
    ...(knownCode && { code: knownCode }),
    ...(operations.includes(operation) && { operation }),
    ...(isId(key) && { key }),
    ...(request !== '' && { request_id: request.slice(0, 100) }),
    ...(isId(message) && { message }),
    ...(isId(campaign) && { campaign }),
    ...moments,
  }
}

export function RequestFilters() {
  const { t } = useTranslation('requests')
  const keys = useList('listApiKeys')
  return (
    <Stack gap="xs">
      <Group gap="sm" align="flex-end" role="search" aria-label={t('filters')}>
        <SearchField name="request" label={t('searchRequestId')} />
        <FilterSelect
          name="status"
          label={t('status')}
          any={t('anyStatus')}
          options={requestOutcomes.map((value) => ({ value, label: t(keyOf('status', value)) }))}
        />
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
          options={operations.map((value) => ({ value, label: value }))}
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
        <DayFields />
      </Group>
      <CreatedBy name="message" text={t('ofMessage')} page="emails" />
      <CreatedBy name="campaign" text={t('ofCampaign')} page="campaigns" />
    </Stack>
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
