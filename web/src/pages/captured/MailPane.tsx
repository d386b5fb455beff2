/** The chosen mail as a mail program shows it, with its parts and checks in tabs. */
import { Alert, Badge, Group, Stack, Tabs, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { addressOf, type Got } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Addressed } from '../../parts/Addressed.tsx'
import { Code } from '../../parts/Code.tsx'
import { CopyButton } from '../../parts/CopyField.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { IconButton } from '../../parts/IconButton.tsx'
import { ButtonLink, DownloadButton } from '../../parts/links.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { headerLine } from '../../parts/MailContent.tsx'
import { FileList } from '../../parts/MailFiles.tsx'
import { MailLinks } from '../../parts/MailLinks.tsx'
import { MailSource } from '../../parts/MailSource.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { toneOf } from '../../parts/StateBadge.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { Status } from '../../parts/Status.tsx'
import { MailChecks } from './MailChecks.tsx'
import { MailPreview } from './MailPreview.tsx'

type Mail = Got<'getCapturedMail'>

export interface MailPaneProps {
  id: string
  /** Of the operator's page alone. */
  workspace?: string | undefined
  /** Absent: the reader may not delete. */
  onDelete?: (() => void) | undefined
}

/** What names the mail to the service. */
export const inputOf = ({ id, workspace }: Pick<MailPaneProps, 'id' | 'workspace'>) => ({
  params: { id },
  query: workspace === undefined ? {} : { workspace },
})

export function MailPane(props: MailPaneProps) {
  const mail = useAsk('getCapturedMail', inputOf(props))
  return <Loaded of={mail}>{(data) => <Shown key={data.id} mail={data} {...props} />}</Loaded>
}

function Shown({ mail, workspace, onDelete }: { mail: Mail } & MailPaneProps) {
  const { t } = useTranslation('captured')
  // The status has the words of the log.
  const { t: emails } = useTranslation('emails')
  useMarkRead(mail, workspace)
  return (
    <Stack gap="md" component="article" aria-labelledby="captured-mail">
      <Group gap="sm">
        <Title order={2} size="h3" id="captured-mail">
          <bdi>
            <Addressed>{mail.subject || t('noSubject')}</Addressed>
          </bdi>
        </Title>
        <Status tone={toneOf(mail.status)}>
          {emails(keyOf('status', mail.status), { defaultValue: mail.status })}
        </Status>
        <Text c="dimmed" component="div">
          <Moment at={mail.captured_at} exact />
        </Text>
      </Group>
      <Stack gap={2}>
        <Fact name={t('from')} value={mail.from} />
        <Fact name={t('recipient')} value={mail.recipient} copy />
        <Fact name={t('returnPath')} value={mail.return_path} />
        {mail.error !== null && (
          <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            <bdi>{mail.error}</bdi>
          </Text>
        )}
      </Stack>
      <Group gap="xs">
        <DownloadButton
          href={addressOf('getCapturedRaw', inputOf({ id: mail.id, workspace }))}
          size="xs"
        >
          {t('downloadEml')}
        </DownloadButton>
        {workspace === undefined && mail.message !== null && (
          <ButtonLink to={`emails/${mail.message}`} size="xs" variant="default">
            {t('toMessage')}
          </ButtonLink>
        )}
        {onDelete && (
          <IconButton
            icon="trash"
            label={t('delete')}
            size="xs"
            variant="default"
            onClick={onDelete}
          />
        )}
      </Group>
      {!mail.readable && (
        <Alert color="yellow" icon={<Icon name="warning" />}>
          {t('unreadable')}
        </Alert>
      )}
      <Parts mail={mail} workspace={workspace} />
    </Stack>
  )
}

/** What one member has opened is not new to the others. */
function useMarkRead({ id, read }: Mail, workspace: string | undefined): void {
  const { mutate } = useAct('markCapturedRead', { refresh: ['listCapturedMails'] })
  useEffect(() => {
    if (!read) mutate({ query: workspace === undefined ? {} : { workspace }, body: { ids: [id] } })
  }, [id, read, workspace, mutate])
}

function Fact({ name, value, copy = false }: { name: string; value: string; copy?: boolean }) {
  return (
    <Group gap={6} mih={28}>
      <Text c="dimmed" w="8rem">
        {name}
      </Text>
      <Text component="div" style={{ overflowWrap: 'anywhere' }}>
        <Addressed>{value}</Addressed>
      </Text>
      {copy && <CopyButton value={value} label={name} />}
    </Group>
  )
}

function Parts({ mail, workspace }: { mail: Mail; workspace: string | undefined }) {
  const { t } = useTranslation('captured')
  const { id, text, headers, links, files, checks } = mail
  const first = mail.has_html ? 'preview' : text === null ? 'headers' : 'text'
  const { query } = inputOf({ id, workspace })
  return (
    <>
      <Tabs defaultValue={first} keepMounted={false}>
        <Tabs.List>
          {mail.has_html && <Tabs.Tab value="preview">{t('preview')}</Tabs.Tab>}
          {text !== null && <Tabs.Tab value="text">{t('text')}</Tabs.Tab>}
          <Tabs.Tab value="headers">{t('headers')}</Tabs.Tab>
          <Tabs.Tab value="source">{t('source')}</Tabs.Tab>
          {links.length > 0 && (
            <Tabs.Tab value="links" rightSection={<Badge variant="light">{links.length}</Badge>}>
              {t('links')}
            </Tabs.Tab>
          )}
          {checks && <Tabs.Tab value="checks">{t('checks')}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="preview" pt="md">
          <MailPreview
            title={t('previewOf', { subject: mail.subject })}
            address={addressOf('getCapturedHtml', { params: { id }, query })}
            addressWithImages={addressOf('getCapturedHtml', {
              params: { id },
              query: { ...query, images: '1' },
            })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="text" pt="md">
          <Code label={t('text')}>{text ?? ''}</Code>
        </Tabs.Panel>
        <Tabs.Panel value="headers" pt="md">
          <Code label={t('headers')}>{headers.map(headerLine).join('\n')}</Code>
        </Tabs.Panel>
        <Tabs.Panel value="source" pt="md">
          <MailSource ask="getCapturedRaw" input={inputOf({ id, workspace })} />
        </Tabs.Panel>
        <Tabs.Panel value="links" pt="md">
          <MailLinks links={links} />
        </Tabs.Panel>
        <Tabs.Panel value="checks" pt="md">
          {checks && <MailChecks checks={checks} size={mail.size} />}
        </Tabs.Panel>
      </Tabs>
      <FileList
        files={files}
        addressOfFile={(position) =>
          addressOf('getCapturedFile', { params: { id, position: String(position) }, query })
        }
      />
    </>
  )
}
