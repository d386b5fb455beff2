/**
 * The page shows one message: each recipient's timeline, the content, and the webhooks that
 * received its events.
 */
import { Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { addressOf, type Got } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { DownloadButton } from '../../parts/links.tsx'
import { LoadedPage } from '../../parts/Loaded.tsx'
import { MailContent } from '../../parts/MailContent.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { isScheduled } from './EmailsBar.tsx'
import { EmailDeliveries } from './EmailDeliveries.tsx'
import { CampaignLink, EmailFacts } from './EmailFacts.tsx'
import classes from './Emails.module.css'
import { RecipientStory } from './RecipientStory.tsx'
import { SendAgain } from './SendAgain.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'

type Message = Got<'getMessage'>

export function EmailPage() {
  const { t } = useTranslation('emails')
  const { id = '' } = useParams({ strict: false })
  const message = useAsk('getMessage', { params: { id } }, { poll: 5_000 })
  const back = { to: 'emails', label: t('title') }
  return (
    <LoadedPage of={message} title={t('message')} back={back} height={200}>
      {(data) => <Shown key={data.id} message={data} back={back} />}
    </LoadedPage>
  )
}

function Shown({ message, back }: { message: Message; back: { to: string; label: string } }) {
  const { t } = useTranslation('emails')
  const mayEdit = useMay('editor')
  const {
    campaign,
    recipients,
    last_event: event,
    content_expired_at: contentExpired,
    details_expired_at: detailsExpired,
  } = message
  return (
    <Page
      title={message.subject || t('noSubject')}
      beside={<StateBadge t={t} prefix="status" state={event} />}
      back={back}
      actions={
        <>
          {contentExpired === null && (
            <DownloadButton href={addressOf('getMessageRaw', { params: { id: message.id } })}>
              {t('keepRaw')}
            </DownloadButton>
          )}
          {mayEdit && isScheduled(message) && <CancelScheduled id={message.id} />}
          {mayEdit && message.can_send_again && <SendAgain message={message} />}
        </>
      }
    >
      <EmailFacts message={message} />
      <div className={classes.beside}>
        <Section title={t('whatBecame')} gap="md">
          {recipients.map((recipient) => (
            <RecipientStory
              key={recipient.position}
              recipient={recipient}
              only={recipients.length === 1}
            />
          ))}
          {detailsExpired !== null && (
            <Text c="dimmed">
              {t('detailsExpired')} <Moment at={detailsExpired} exact />
            </Text>
          )}
          {message.kind === 'campaign' && campaign && (
            <Text c="dimmed">
              {t('campaignAgain')} <CampaignLink campaign={campaign} />
            </Text>
          )}
        </Section>
        {contentExpired === null ? (
          <MailContent
            mail={message}
            about={
              message.kind === 'campaign'
                ? t('withoutPersonalLinks')
                : message.dropped_headers.length > 0 &&
                  t('headersDropped', { names: message.dropped_headers.join(', ') })
            }
          />
        ) : (
          <Section title={t('content')}>
            <Text c="dimmed">
              {t('contentExpired')} <Moment at={contentExpired} exact />
            </Text>
          </Section>
        )}
      </div>
      <EmailDeliveries id={message.id} />
    </Page>
  )
}

function CancelScheduled({ id }: { id: string }) {
  const { t } = useTranslation('emails')
  const { mutateAsync } = useAct('cancelEmail', {
    refresh: ['getMessage', 'listMessages', 'countMessages'],
    done: t('cancelledDone', { count: 1 }),
  })
  return (
    <ConfirmButton
      label={t('cancelVerb')}
      title={t('cancelAsk', { count: 1 })}
      keep={t('cancelKeep')}
      danger
      onConfirm={() => mutateAsync({ params: { id } })}
    >
      {t('cancelWhat', { count: 1 })}
    </ConfirmButton>
  )
}
