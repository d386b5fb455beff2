/** Leads to the mails whose feedback suppressed an address. */
import { useTranslation } from 'react-i18next'
import type { ItemOf } from '../../api/use-ask.ts'
import { PageLink } from '../../parts/links.tsx'

export type CauseEntry = ItemOf<'listSuppression'>

export function Cause({ entry }: { entry: Pick<CauseEntry, 'email' | 'source_id'> }) {
  const { t } = useTranslation('suppression')
  if (entry.source_id === null) return '–'
  return (
    <PageLink to="emails" search={{ recipient: entry.email }} size="sm">
      {t('mailsToIt')}
    </PageLink>
  )
}
