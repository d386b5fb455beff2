/** Sign-up forms: each with whether its page takes sign-ups now. */
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Form } from '../../../../src/contract/workspace/forms.ts'
import { useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Icon } from '../../parts/Icon.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { useWholeTable } from '../../parts/table/use-whole-table.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { FormStatus } from './FormStatus.tsx'
import { SignUps } from './SignUps.tsx'

export function FormsPage() {
  const { t } = useTranslation('settings')
  const mayChange = useMay('editor')
  const forms = useList('listForms')
  const add = mayChange && (
    <ButtonLink to="settings/forms/new" leftSection={<Icon name="plus" />}>
      {t('newForm')}
    </ButtonLink>
  )
  const { search, nothing, ...table } = useWholeTable(forms, {
    textOf: ({ name }) => name,
    orders: {
      name: ({ name }) => name,
      changed: ({ updated_at: at }) => at,
    },
  })
  return (
    <Page
      title={t('forms')}
      beside={<TitleTotal total={table.total} />}
      about={t('formsAbout')}
      main={add}
    >
      {search}
      <Listing
        label={t('forms')}
        {...table}
        idOf={({ id }) => id}
        linkOf={({ id }) => `settings/forms/${id}`}
        empty={
          nothing ?? { icon: 'subscribers', title: t('noForms'), action: add, why: t('noFormsWhy') }
        }
        columns={columnsOf(t)}
      />
    </Page>
  )
}

const columnsOf = (t: TFunction<'settings'>): Column<Form>[] => [
  {
    header: t('formName'),
    sort: 'name',
    cell: ({ name }) => <UserText variant="strong">{name}</UserText>,
  },
  { header: t('state'), cell: (form) => <FormStatus of={form} /> },
  { header: t('signUps'), narrow: 'bare', cell: (form) => <SignUps of={form} /> },
  {
    header: t('asksFor'),
    cell: ({ asks }) => t('addressAnd', { count: asks.length }),
    short: true,
    wideOnly: true,
  },
  { header: t('changed'), sort: 'changed', cell: ({ updated_at: at }) => <Moment at={at} /> },
]
