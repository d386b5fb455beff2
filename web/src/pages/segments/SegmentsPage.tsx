/** Segments of the audience, by name. */
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useAsk, wholeList, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Icon } from '../../parts/Icon.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { UserText } from '../../parts/UserText.tsx'

export function SegmentsPage() {
  const { t } = useTranslation('segments')
  const mayEdit = useMay('editor')
  const segments = useAsk('listSegments')
  const add = mayEdit && (
    <ButtonLink to="segments/new" leftSection={<Icon name="plus" size={16} />}>
      {t('new')}
    </ButtonLink>
  )
  return (
    <Page
      title={t('title')}
      about={t('about')}
      main={add}
      back={{ to: 'subscribers', label: t('subscribers') }}
    >
      <Listing
        label={t('title')}
        read={wholeList(segments, segments.data?.data)}
        columns={columnsOf(t)}
        idOf={({ id }) => id}
        linkOf={({ id }) => `segments/${id}`}
        empty={{ icon: 'filter', title: t('none'), action: add, why: t('noneWhy') }}
      />
    </Page>
  )
}

const columnsOf = (t: TFunction<'segments'>): Column<ItemOf<'listSegments'>>[] => [
  { header: t('name'), cell: ({ name }) => <UserText variant="strong">{name}</UserText> },
  { header: t('changed'), cell: ({ updated_at: at }) => <Moment at={at} />, align: 'end' },
]
