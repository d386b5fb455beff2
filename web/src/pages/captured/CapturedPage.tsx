/** The page lists mails that the capture provider stored instead of sending. */
import { Alert } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { isFirstPage, useAsk, useList, type ItemOf } from '../../api/use-ask.ts'
import { Icon } from '../../parts/Icon.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { Status } from '../../parts/Status.tsx'
import { UserText } from '../../parts/UserText.tsx'

type Mail = ItemOf<'listCapturedMails'>

export function CapturedPage() {
  const { t } = useTranslation('captured')
  const { t: emails } = useTranslation('emails')
  const { data: state } = useAsk('listCapturedMails', { query: { limit: 1 } })
  const read = useList(
    'listCapturedMails',
    {},
    { poll: (last) => (isFirstPage(last) ? 5_000 : false) },
  )
  return (
    <Page
      title={t('title')}
      about={t('about')}
      beside={state?.captures ? <Status tone="warning">{t('nothingLeaves')}</Status> : undefined}
    >
      {state?.captures === false && read.items.length > 0 && (
        <Alert color="blue" icon={<Icon name="help" />}>
          {t('capturedBefore')}
        </Alert>
      )}
      <Listing
        label={t('title')}
        read={read}
        columns={columnsOf(t, emails)}
        idOf={({ id }) => id}
        linkOf={({ id }) => `captured/${id}`}
        empty={{
          icon: 'captured',
          title: t('none'),
          why: state?.captures === false ? t('notCapturing') : t('noneWhy'),
        }}
      />
    </Page>
  )
}

/** The statuses have the words of the log. */
const columnsOf = (t: TFunction<'captured'>, emails: TFunction<'emails'>): Column<Mail>[] => [
  { header: t('recipient'), cell: ({ recipient }) => <UserText>{recipient}</UserText> },
  { header: t('subject'), cell: ({ subject }) => <UserText>{subject || t('noSubject')}</UserText> },
  { header: t('from'), wideOnly: true, cell: ({ from }) => <UserText>{from}</UserText> },
  {
    header: t('status'),
    cell: ({ status }) => <StateBadge t={emails} prefix="status" state={status} />,
  },
  { header: t('when'), cell: ({ captured_at: at }) => <Moment at={at} /> },
]
