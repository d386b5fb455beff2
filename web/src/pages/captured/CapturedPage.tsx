/** The page shows the captured mails of a workspace: the list, and the chosen one beside it. */
import { useParams, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../api/use-role.ts'
import { PageLink, useGo } from '../../parts/links.tsx'
import { Page } from '../../parts/Page.tsx'
import { searchOfEntry } from './entry-search.ts'
import { MailboxView } from './MailboxView.tsx'
import { useMailbox } from './use-mailbox.ts'

export function CapturedPage() {
  const { t } = useTranslation('captured')
  const { id = '' } = useParams({ strict: false })
  const search: Record<string, string> = useSearch({ strict: false })
  const go = useGo()
  const mayDelete = useMay('editor')
  const mailbox = useMailbox('')
  return (
    <Page title={t('title')} about={t('about')}>
      <MailboxView
        mailbox={mailbox}
        chosen={id === '' ? null : { id }}
        mayDelete={mayDelete}
        renderLink={(entry, props) => (
          <PageLink to={`captured/${entry.id}`} search={searchOfEntry(entry, search)} {...props} />
        )}
        choose={(entry) => void go(entry ? `captured/${entry.id}` : 'captured', search)}
        openMessage={(message) => void go(`emails/${message}`)}
      />
    </Page>
  )
}
