/** What a message says: its html in a frame that runs nothing, its text, its headers, its files. */
import { Stack, Tabs, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { addressOf } from '../../api/client.ts'
import type { Got } from '../../api/client.ts'
import { Code } from '../../parts/Code.tsx'
import { MailFrame, heightFor } from '../../parts/MailFrame.tsx'
import { HeaderLines } from '../../parts/HeaderLines.tsx'
import { MailSource } from '../../parts/MailSource.tsx'
import { FileList } from './FileList.tsx'
import { MailLinks } from './MailLinks.tsx'

type Message = Got<'getMessage'>

export function EmailContent({ message }: { message: Message }): ReactNode {
  const { t } = useTranslation('emails')
  const { t: shell } = useTranslation('shell')
  const { id, has_html: hasHtml, text, headers, files, links } = message
  return (
    <Stack component="section" gap="md" aria-labelledby="mail-content">
      <Title order={2} size="h3" id="mail-content">
        {t('content')}
      </Title>
      {message.kind === 'campaign' && (
        <Text size="sm" c="dimmed">
          {t('withoutPersonalLinks')}
        </Text>
      )}
      <Tabs defaultValue={hasHtml ? 'html' : 'text'} keepMounted={false}>
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
              title={t('htmlOf', { subject: message.subject })}
              address={addressOf('getMessageHtml', { params: { id } })}
              addressWithImages={addressOf('getMessageHtml', { params: { id }, query: { images: '1' } })}
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
          <MailSource ask="getMessageRaw" id={id} />
        </Tabs.Panel>
      </Tabs>
      <MailLinks links={links} />
      <FileList
        files={files}
        addressOfFile={(position) => addressOf('getMessageFile', { params: { id, position: String(position) } })}
      />
    </Stack>
  )
}
