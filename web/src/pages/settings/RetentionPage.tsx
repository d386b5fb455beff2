/**
 * The page shows how long the workspace stores each class of data; owners shorten it, after they
 * have read what that deletes.
 */
import { Alert, NumberInput, Stack, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Retention } from '../../../../src/contract/workspace/retention.ts'
import { useAct, useAsk, wholeList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { IconButton } from '../../parts/IconButton.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { PaperSection } from '../../parts/Section.tsx'
import { OnlyOwners } from './OnlyOwners.tsx'

type Limit = Retention['classes'][number]

export function RetentionPage() {
  const { t } = useTranslation('settings')
  const read = useAsk('getRetention')
  const mayChange = useMay('owner')
  return (
    <Page title={t('retention')} about={t('retentionAbout')}>
      <Stack gap="lg">
        <OnlyOwners />
        {read.data?.defaults_from && (
          <Alert color="yellow" icon={<Icon name="warning" />} role="note">
            {t('retentionFrom')} <Moment at={read.data.defaults_from} exact />
          </Alert>
        )}
        <Listing
          label={t('retention')}
          read={wholeList(read, read.data?.classes)}
          idOf={({ name }) => name}
          columns={columnsOf(t, mayChange)}
        />
        <PaperSection title={t('retentionKept')} size="h2">
          <Text maw="70ch">{t('retentionKeptWhat')}</Text>
        </PaperSection>
      </Stack>
    </Page>
  )
}

const columnsOf = (t: TFunction<'settings'>, mayChange: boolean): Column<Limit>[] => [
  { header: t('retentionData'), cell: ({ name }) => <About name={name} /> },
  { header: t('retentionStored'), cell: ({ days }) => <Days of={days} />, short: true },
  {
    header: t('retentionInstallation'),
    cell: ({ installation_days: days }) => <Days of={days} />,
    ...{ short: true, wideOnly: true },
  },
  ...(mayChange
    ? [
        {
          header: t('actions'),
          align: 'end' as const,
          cell: (limit: Limit) => <Change limit={limit} />,
        },
      ]
    : []),
]

function About({ name }: Pick<Limit, 'name'>) {
  const { t } = useTranslation('settings')
  return (
    <>
      <Text fw={600}>{t(keyOf('retained', name))}</Text>
      <Text c="dimmed" maw="60ch">
        {t(`${keyOf('retained', name)}What`)}
      </Text>
    </>
  )
}

const inWords = (t: TFunction<'settings'>, days: number | null): string =>
  days === null ? t('retentionForEver') : t('retentionDays', { count: days })

function Days({ of }: { of: number | null }) {
  const { t } = useTranslation('settings')
  return inWords(t, of)
}

function Change({ limit }: { limit: Limit }) {
  const { t } = useTranslation('settings')
  const [opened, setOpened] = useState(false)
  const name = t(keyOf('retained', limit.name))
  const { mutateAsync } = useAct('updateRetention', { refresh: ['getRetention'], done: t('saved') })
  return (
    <>
      <IconButton
        label={t('retentionChange')}
        size="xs"
        variant="default"
        onClick={() => setOpened(true)}
        aria-label={t('retentionChangeNamed', { name })}
      />
      <FormDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={name}
        verb={t('retentionSave')}
        danger
        noValidate
        initial={initialOf(limit)}
        onSubmit={({ [limit.name]: days = '' }) =>
          mutateAsync({ body: { [limit.name]: days === '' ? null : days } })
        }
      >
        {(form) => (
          <Fields
            limit={limit}
            days={form.values[limit.name] ?? ''}
            onChange={(days) => form.set({ [limit.name]: days })}
          />
        )}
      </FormDialog>
    </>
  )
}

/** Under the name that a refusal has for the field. */
const initialOf = ({ name, own_days: days }: Limit): Partial<Record<string, number | ''>> => ({
  [name]: days ?? '',
})

function Fields({
  limit,
  days,
  onChange,
}: {
  limit: Limit
  days: number | ''
  onChange: (days: number | '') => void
}) {
  const { t } = useTranslation('settings')
  return (
    <>
      <NumberInput
        label={t('retentionDaysLabel')}
        description={t('retentionDaysWhy', {
          limit: inWords(t, limit.installation_days),
          least: limit.days_min,
        })}
        value={days}
        onChange={(value) => onChange(value === '' ? '' : Number(value))}
        allowDecimal={false}
        allowNegative={false}
        data-autofocus
      />
      {days !== '' && days >= limit.days_min && days < (limit.days ?? Infinity) ? (
        <Deleted limit={limit} days={days} />
      ) : (
        <Text c="dimmed">{t('retentionNothingBack')}</Text>
      )}
    </>
  )
}

/** What the limit in the field would delete. */
function Deleted({ limit, days }: { limit: Limit; days: number }) {
  const { t, i18n } = useTranslation('settings')
  const { data } = useAsk('previewRetention', { query: { class: limit.name, days } })
  const rows = data?.rows.toLocaleString(i18n.language)
  return (
    <Text role="status">
      {t('retentionDeletes', { count: days })}{' '}
      {data &&
        (data.is_more
          ? t('retentionMoreThan', { rows })
          : t('retentionCounted', { count: data.rows, rows }))}
    </Text>
  )
}
