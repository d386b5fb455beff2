/**
 * The tabs show a mail's HTML in a frame that runs no script, and its text, headers, source, links
 * and files.
 */
import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { addressOf, type Got } from '../api/client.ts'
import { Code } from './Code.tsx'
import { FileList } from './MailFiles.tsx'
import { MailFrame, heightFor } from './MailFrame.tsx'
import { MailLinks } from './MailLinks.tsx'
import { MailSource } from './MailSource.tsx'
import { Section } from './Section.tsx'

type HeaderLine = Got<'getMessage'>['headers'][number]
type Mail = Pick<
  Got<'getMessage'>,
  'id' | 'subject' | 'has_html' | 'text' | 'headers' | 'files' | 'links'
>

interface MailContentProps {
  mail: Mail
  about?: ReactNode
}

/** The content of a mail that was sent. */
export function MailContent({ mail, about }: MailContentProps) {
  const { t } = useTranslation('emails')
  const { t: shell } = useTranslation('shell')
  const { id, subject, has_html: hasHtml, text, headers, files, links } = mail
  return (
    <Section title={t('content')} gap="md" about={about}>
      <Tabs
        defaultValue={hasHtml ? 'html' : text === null ? 'headers' : 'text'}
        keepMounted={false}
      >
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
              title={t('htmlOf', { subject })}
              address={addressOf('getMessageHtml', { params: { id } })}
              addressWithImages={addressOf('getMessageHtml', {
                params: { id },
                query: { images: '1' },
              })}
            />
          </Tabs.Panel>
        )}
        {text !== null && (
          <Tabs.Panel value="text" pt="md">
            <Code label={t('text')}>{text}</Code>
          </Tabs.Panel>
        )}
        <Tabs.Panel value="headers" pt="md">
          <Code label={t('headers')}>{headers.map(headerLine).join('\n')}</Code>
        </Tabs.Panel>
        <Tabs.Panel value="source" pt="md">
          <MailSource ask="getMessageRaw" input={{ params: { id } }} />
        </Tabs.Panel>
      </Tabs>
      <MailLinks links={links} />
      <FileList
        files={files}
        addressOfFile={(position) =>
          addressOf('getMessageFile', { params: { id, position: String(position) } })
        }
      />
    </Section>
  )
}

/** Below what is encoded stands how it is read. */
export const headerLine = ({ name, value, decoded }: HeaderLine): string =>
  decoded === null ? `${name}: ${value}` : `${name}: ${decoded}\n    ${value}`
