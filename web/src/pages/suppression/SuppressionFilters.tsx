/** Reasons as tabs with their counts, a search, days, and the file of all that match. */
import { useTranslation } from 'react-i18next'
import { addressOf } from '../../api/client.ts'
import { useMay } from '../../api/use-role.ts'
import { DownloadButton } from '../../parts/links.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { SearchField } from '../../parts/SearchField.tsx'
import { DateMenu } from '../../parts/table/DateMenu.tsx'
import { ListTools } from '../../parts/table/ListTools.tsx'
import { StatusTabs } from '../../parts/table/StatusTabs.tsx'
import type { View } from './use-view.ts'
import { reasons } from './words.ts'

export function SuppressionFilters({ view: { query, counts } }: { view: View }) {
  const { t } = useTranslation('suppression')
  const mayExport = useMay('editor')
  return (
    <>
      <StatusTabs
        name="reason"
        label={t('reason')}
        tabs={[
          { value: '', label: t('reasonAll'), total: counts },
          ...reasons.map((value) => ({
            ...{ value, label: t(keyOf('reason', value)), total: counts?.reasons[value] },
          })),
        ]}
      />
      <ListTools
        label={t('search')}
        search={<SearchField label={t('search')} />}
        names={['days', 'from', 'to']}
      >
        <DateMenu />
        {mayExport && (
          <DownloadButton href={addressOf('exportSuppression', { query })}>
            {t('export')}
          </DownloadButton>
        )}
      </ListTools>
    </>
  )
}
