/** The filters of the audit log: a member or a part of an address, an act and days; and its files. */
import { acts } from 'virtual:contract'
import { useTranslation } from 'react-i18next'
import { addressOf } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { DownloadButton } from '../../parts/links.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { DateMenu } from '../../parts/table/DateMenu.tsx'
import { ListTools } from '../../parts/table/ListTools.tsx'
import type { useAuditView } from './use-audit-view.ts'

export function AuditFilters({ query }: Pick<ReturnType<typeof useAuditView>, 'query'>) {
  const { t } = useTranslation('users')
  const members = useAsk('listMembers')
  return (
    <ListTools
      label={t('auditFilters')}
      names={['act', 'days', 'from', 'to']}
      search={
        <SearchField
          name="who"
          label={t('searchWho')}
          suggestions={(members.data?.data ?? []).map(({ email, name }) => ({
            value: email,
            label: name,
          }))}
        />
      }
    >
      <FilterSelect
        name="act"
        label={t('what')}
        any={t('anyAct')}
        options={acts.map((value) => ({ value, label: t(keyOf('act', value)) }))}
      />
      <DateMenu />
      {(['csv', 'json'] as const).map((format) => (
        <DownloadButton
          key={format}
          href={addressOf('exportAudit', { query: { ...query, format } })}
        >
          {t('exportAs', { format: format.toUpperCase() })}
        </DownloadButton>
      ))}
    </ListTools>
  )
}
