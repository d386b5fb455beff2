/** The badge shows whether a workspace may write from a domain, and who decided it. */
import { useTranslation } from 'react-i18next'
import type { Domain } from '../../../../src/contract/workspace/domains.ts'
import { Status } from '../../parts/Status.tsx'

export function DomainStatus({ of }: { of: Pick<Domain, 'status' | 'verified_by'> }) {
  const { t } = useTranslation('settings')
  if (of.status === 'pending') return <Status tone="warning">{t('waitsForRecords')}</Status>
  return (
    <Status tone="good">
      {of.verified_by === 'operator' ? t('verifiedByOperator') : t('verified')}
    </Status>
  )
}
