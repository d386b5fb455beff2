/** The page manages the workspace's custom fields, which subscribers have beside their names. */
import { Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import { refusalCode } from '../../api/refusal.ts'
import { useAct, useAsk, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import type { Column } from '../../parts/Listing.tsx'
import { PageLink } from '../../parts/links.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { CatalogPage } from './catalog/CatalogPage.tsx'
import { DeleteItem } from './catalog/DeleteItem.tsx'
import { WordsInPlace } from './catalog/WordsInPlace.tsx'
import { FieldTypeCell } from './FieldTypeCell.tsx'
import { NewField } from './NewField.tsx'

type Field = ItemOf<'listSubscriberFields'>

const refresh = ['listSubscriberFields'] as const

export function FieldsPage() {
  const { t } = useTranslation('subscribers')
  return (
    <CatalogPage<Field>
      title={t('fieldsTitle')}
      about={t('fieldsAbout')}
      read={useAsk('listSubscriberFields')}
      idOf={({ key }) => key}
      empty={{ icon: 'filter', title: t('noFields'), why: t('noFieldsWhy') }}
      adding={<NewField />}
      columns={columnsOf(t)}
      deleting={deletingOf(t)}
    />
  )
}

const columnsOf = (t: TFunction<'subscribers'>): Column<Field>[] => [
  {
    header: t('fieldLabel'),
    cell: (field) => <Label key={`${field.key} ${field.label}`} field={field} />,
  },
  {
    header: t('fieldKey'),
    cell: ({ key }) => <UserText variant="mono">{`{{fields.${key}}}`}</UserText>,
  },
  { header: t('fieldType'), cell: (field) => <FieldTypeCell field={field} /> },
  {
    header: t('fieldPeople'),
    cell: ({ key }) => (
      <PageLink to="subscribers" search={{ field: key }} size="sm">
        {t('fieldShowPeople')}
      </PageLink>
    ),
    align: 'end',
    short: true,
  },
]

const deletingOf = (t: TFunction<'subscribers'>): Column<Field> => ({
  header: t('fieldDelete'),
  cell: ({ key }) => <DeleteField fieldKey={key} />,
})

/** The pages call a field by this label. */
function Label({ field: { key, label } }: { field: Field }) {
  const { t } = useTranslation('subscribers')
  const { mutate, error } = useAct('renameSubscriberField', { refresh: [...refresh] })
  return (
    <WordsInPlace
      label={t('fieldLabelOf', { key })}
      stored={label ?? ''}
      placeholder={key}
      maxLength={audienceLimits.fieldLabelMax}
      mayEdit={useMay('editor')}
      error={error}
      onSave={(words) => mutate({ params: { key }, body: { label: words } })}
    />
  )
}

function DeleteField({ fieldKey: key }: { fieldKey: string }) {
  const { t } = useTranslation('subscribers')
  const { mutateAsync, error } = useAct('deleteSubscriberField', { refresh: [...refresh] })
  return (
    <DeleteItem
      label={t('fieldDeleteOf', { key })}
      title={t('fieldDeleteTitle', { key })}
      verb={t('fieldDelete')}
      onConfirm={() => mutateAsync({ params: { key } })}
    >
      <Text>{t('fieldDeleteWhat')}</Text>
      {refusalCode(error) === 'conflict' && (
        <Text mt="xs">
          <PageLink to="subscribers" search={{ field: key }}>
            {t('fieldInUse')}
          </PageLink>
        </Text>
      )}
    </DeleteItem>
  )
}
