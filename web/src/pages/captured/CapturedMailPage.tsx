/** One captured mail as a mail program reads it. */
import { Alert, SimpleGrid, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { addressOf } from '../../api/client.ts'
import type { Got } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Addressed } from '../../parts/Addressed.tsx'
import { Code } from '../../parts/Code.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { AnchorButton, ButtonLink } from '../../parts/links.tsx'
import { MailFrame, heightFor } from '../../parts/MailFrame.tsx'
import { HeaderLines } from '../../parts/HeaderLines.tsx'
import { MailSource } from '../../parts/MailSource.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { FileList } from '../emails/FileList.tsx'
import { MailLinks } from '../emails/MailLinks.tsx'
import { CapturedWord } from './CapturedWord.tsx'

type Mail = Got<'getCapturedMail'>

export function CapturedMailPage(): ReactNode {
  const { t } = useTranslation('captured')
  const { id = '' } = useParams({ strict: false })
  const { data, error, isPending, refetch } = useAsk('getCapturedMail', { params: { id } })
  if (data) return <Shown mail={data} />
  return (
    <Page title={t('mail')} back={{ to: 'captured', label: t('title') }}>
      {isPending && <Skeleton height={200} role="status" aria-label={t('loading')} />}
      <Failure error={error} retry={() => void refetch()} />
    </Page>
  )
}

function Shown({ mail }: { mail: Mail }): ReactNode {
  const { t } = useTranslation('captured')
  const facts: [string, ReactNode][] = [
    [t('recipient'), <Addressed key="to">{mail.recipient}</Addressed>],
    [t('from'), <Addressed key="from">{mail.from}</Addressed>],
    [t('returnPath'), <Addressed key="path">{mail.return_path}</Addressed>],
    [t('when'), <Moment key="at" at={mail.captured_at} exact />],
  ]
  return (
    <Page
      title={mail.subject || t('noSubject')}
      beside={<CapturedWord status={mail.status} />}
      back={{ to: 'captured', label: t('title') }}
      actions={
        <>
          <AnchorButton
            href={addressOf('getCapturedRaw', { params: { id: mail.id } })}
            variant="default"
            leftSection={<Icon name="download" size={16} />}
          >
            {t('keepRaw')}
          </AnchorButton>
          {mail.message !== null && <ButtonLink to={`emails/${mail.message}`}>{t('toMessage')}</ButtonLink>}
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        {facts.map(([label, fact]) => (
          <div key={label}>
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
              {fact}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      {!mail.readable && (
        <Alert color="yellow" icon={<Icon name="warning" />}>
          {t('unreadable')}
        </Alert>
      )}
      <Parts mail={mail} />
    </Page>
  )
}

function Parts({ mail }: { mail: Mail }): ReactNode {
  const { t } = useTranslation('captured')
  const { t: shell } = useTranslation('shell')
  const { id, text, headers, files, links, has_html: hasHtml } = mail
  return (
    <Stack component="section" gap="md" aria-labelledby="mail-parts">
      <Title order={2} size="h3" id="mail-parts">
        {t('content')}
      </Title>
      <Tabs defaultValue={hasHtml ? 'html' : text === null ? 'headers' : 'text'} keepMounted={false}>
        <Tabs.List>
          {hasHtml && <Tabs.Tab value="html">{t('html')}</Tabs.Tab>}
          {text !== null && <Tabs.Tab value="text">{t('text')}</Tabs.Tab>}
          <Tabs.Tab value="headers">{t('headers')}</Tabs.Tab>
          <Tabs.Tab value="source">{shell('source')}</Tabs.Tab>
        </Tabs.List>
        {hasHtml && (
          <Tabs.Panel value="html" pt="md">
            <MailFrame
              height={heightFor(text)}
              title={t('htmlOf', { subject: mail.subject })}
              address={addressOf('getCapturedHtml', { params: { id } })}
              addressWithImages={addressOf('getCapturedHtml', { params: { id }, query: { images: '1' } })}
            />
          </Tabs.Panel>
        )}
        {text !== null && (
          <Tabs.Panel value="text" pt="md">
            <Code label={t('text')}>{text}</Code>
          </Tabs.Panel>
        )}
        <Tabs.Panel value="headers" pt="md">
          <HeaderLines label={t('headers')} headers={headers} />
        </Tabs.Panel>
        <Tabs.Panel value="source" pt="md">
          <MailSource ask="getCapturedRaw" id={id} />
        </Tabs.Panel>
      </Tabs>
      <MailLinks links={links} />
      <FileList
        files={files}
        addressOfFile={(position) => addressOf('getCapturedFile', { params: { id, position: String(position) } })}
      />
    </Stack>
  )
}
