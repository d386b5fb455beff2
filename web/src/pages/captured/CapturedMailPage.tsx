/** The page shows one captured mail as a mail program would. */
import { Alert } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { addressOf } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Addressed } from '../../parts/Addressed.tsx'
import { FactGrid } from '../../parts/FactGrid.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { ButtonLink, DownloadButton } from '../../parts/links.tsx'
import { LoadedPage } from '../../parts/Loaded.tsx'
import { MailContent } from '../../parts/MailContent.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'

export function CapturedMailPage() {
  const { t } = useTranslation('captured')
  // The status has the words of the log.
  const { t: emails } = useTranslation('emails')
  const { id = '' } = useParams({ strict: false })
  const read = useAsk('getCapturedMail', { params: { id } })
  const back = { to: 'captured', label: t('title') }
  return (
    <LoadedPage of={read} title={t('mail')} back={back} height={200}>
      {(mail) => (
        <Page
          title={mail.subject || t('noSubject')}
          beside={<StateBadge t={emails} prefix="status" state={mail.status} />}
          back={back}
          actions={
            <>
              <DownloadButton href={addressOf('getCapturedRaw', { params: { id: mail.id } })}>
                {t('keepRaw')}
              </DownloadButton>
              {mail.message !== null && (
                <ButtonLink to={`emails/${mail.message}`}>{t('toMessage')}</ButtonLink>
              )}
            </>
          }
        >
          <FactGrid
            facts={[
              [t('recipient'), <Addressed key="to">{mail.recipient}</Addressed>],
              [t('from'), <Addressed key="from">{mail.from}</Addressed>],
              [t('returnPath'), <Addressed key="path">{mail.return_path}</Addressed>],
              [t('when'), <Moment key="at" at={mail.captured_at} exact />],
            ]}
          />
          {!mail.readable && (
            <Alert color="yellow" icon={<Icon name="warning" />}>
              {t('unreadable')}
            </Alert>
          )}
          <MailContent mail={mail} kind="captured" />
        </Page>
      )}
    </LoadedPage>
  )
}
