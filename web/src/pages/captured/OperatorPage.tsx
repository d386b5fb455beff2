/** The operator's page shows the captured mails of every workspace, also those that give access. */
import { Button, Group, NativeSelect } from '@mantine/core'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { refusalCode } from '../../api/refusal.ts'
import { AwayBar } from '../../parts/AwayBar.tsx'
import { Page } from '../../parts/Page.tsx'
import { Status } from '../../parts/Status.tsx'
import { Toasts } from '../../parts/Toasts.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import classes from './Captured.module.css'
import { searchOfEntry } from './entry-search.ts'
import { MailboxView } from './MailboxView.tsx'
import { useMailbox, type Entry } from './use-mailbox.ts'

const list = '/-/captured/{-$workspace}/{-$id}'

export function OperatorPage() {
  const { t } = useTranslation('captured')
  const { id, workspace } = useParams({ strict: false })
  const search: Record<string, string> = useSearch({ strict: false })
  const [of, setOf] = useFilter('workspace')
  const navigate = useNavigate()
  const mailbox = useMailbox(of)
  const { state, read } = mailbox
  useFormFor(read.error)
  const toEntry = (entry: Entry) => ({
    to: list,
    params: { workspace: entry.workspace, id: entry.id },
  })
  return (
    <main id="content" className={classes.page}>
      <AwayBar />
      <Toasts />
      <Page
        title={t('title')}
        about={t('operatorAbout')}
        beside={state?.captures ? <Status tone="warning">{t('nothingLeaves')}</Status> : undefined}
        actions={
          <Group gap="sm">
            <NativeSelect
              aria-label={t('workspace')}
              value={of}
              onChange={(event) => setOf(event.currentTarget.value)}
              data={[
                { value: '', label: t('allWorkspaces') },
                ...(state?.operator?.workspaces ?? []),
              ]}
            />
            {state?.operator?.by_token && (
              <form method="post" action="/captured/leave">
                <Button type="submit" variant="default">
                  {t('leave')}
                </Button>
              </form>
            )}
          </Group>
        }
      >
        <MailboxView
          mailbox={mailbox}
          isOfAll={of === ''}
          chosen={id && workspace ? { id, workspace } : null}
          mayDelete
          renderLink={(entry, props) => (
            <Link {...toEntry(entry)} search={searchOfEntry(entry, search)} {...props} />
          )}
          choose={(entry) =>
            void navigate(entry ? { ...toEntry(entry), search } : { to: list, params: {}, search })
          }
        />
      </Page>
    </main>
  )
}

/** The form for the token is a page of its own, which leads back here. */
function useFormFor(error: unknown): void {
  const isRefused = refusalCode(error) === 'missing_api_key' || refusalCode(error) === 'not_found'
  useEffect(() => {
    if (isRefused) window.location.assign('/captured')
  }, [isRefused])
}
