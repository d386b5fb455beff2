/**
 * The tabs show a mail's HTML in a frame that runs no script, and its text, headers, source, links
 * and files.
 */
import { Anchor, List, Stack, Tabs, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { MailLink } from '../../../src/contract/captured.ts'
import { addressOf, type Got } from '../api/client.ts'
import { Code } from './Code.tsx'
import { MailFrame, heightFor } from './MailFrame.tsx'
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

/** The browser downloads the files of a mail and never opens them in place. */
export function FileList({
  files,
  addressOfFile,
}: {
  files: readonly { position: number; name: string | null; type: string | null; size: number }[]
  addressOfFile: (position: number) => string
}) {
  const { t, i18n } = useTranslation('emails')
  if (files.length === 0) return null
  const kilobytes = (size: number): string =>
    Math.max(1, Math.round(size / 1_024)).toLocaleString(i18n.language)
  return (
    <Stack gap="xs">
      <Title order={3}>{t('files')}</Title>
      <List listStyleType="none">
        {files.map(({ position, name, type, size }) => (
          <List.Item key={position}>
            <Anchor href={addressOfFile(position)} size="sm">
              <bdi>{name ?? t('namelessFile')}</bdi>
            </Anchor>{' '}
            <Text component="span" c="dimmed">
              {type !== null && (
                <>
                  <bdi>{type}</bdi> ·{' '}
                </>
              )}
              {t('kilobytes', { size: kilobytes(size) })}
            </Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}

/**
 * The frame follows no links, so this list beside it shows each link of the mail with its target.
 */
export function MailLinks({ links }: { links: readonly MailLink[] }) {
  const { t } = useTranslation('emails')
  if (links.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-labelledby="mail-links">
      <Title order={3} size="h4" id="mail-links">
        {t('links')}
      </Title>
      <Text c="dimmed">{t('linksAbout')}</Text>
      <List listStyleType="none">
        {links.map(({ address, text, leads_to: target }) => (
          <List.Item key={address} style={{ overflowWrap: 'anywhere' }}>
            <Anchor href={address} target="_blank" rel="noreferrer noopener" size="sm">
              <bdi>{text || address}</bdi>
            </Anchor>{' '}
            {text !== '' && (
              <Text component="span" c="dimmed">
                <bdi>{target ?? address}</bdi>
              </Text>
            )}
            {target !== null && (
              <Text c="dimmed">
                {text === '' && (
                  <>
                    <bdi>{target}</bdi>{' '}
                  </>
                )}
                {t('linkCounts')}
              </Text>
            )}
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}
