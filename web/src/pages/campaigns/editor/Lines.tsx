/**
 * The user edits the lines around the content here: name, sender, addresses for replies, subject,
 * preheader and tracking.
 */
import { Checkbox, Group, Paper, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import type { Sender } from '../../../../../src/contract/workspace/senders.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { PageLink } from '../../../parts/links.tsx'
import { useEditor, useProblemOf } from './editor-context.ts'
import { MergeField } from './MergeField.tsx'

export function Lines() {
  const { t } = useTranslation('drafts')
  const { typed, change } = useEditor()
  return (
    <Paper>
      <Stack gap="sm">
        <TextInput
          {...useLine('name')}
          maxLength={limits.campaignNameMax}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <SenderField />
        <TagsInput
          id="field-replyTo"
          label={t('replyTo')}
          description={t('replyToWhy')}
          value={typed.replyTo}
          maxTags={limits.replyToMax}
          maxLength={limits.addressMax}
          splitChars={[',', ';']}
          acceptValueOnBlur
          error={useProblemOf('replyTo')}
          onChange={(replyTo) => change({ replyTo })}
        />
        <MergeField
          {...useLine('subject')}
          maxLength={limits.subjectMax}
          onChange={(subject) => change({ subject })}
        />
        <MergeField
          {...useLine('preheader')}
          description={t('preheaderWhy')}
          maxLength={limits.preheaderMax}
          onChange={(preheader) => change({ preheader })}
        />
        <Group gap="lg">
          {(['trackOpens', 'trackClicks'] as const).map((name) => (
            <Checkbox
              key={name}
              label={t(name)}
              checked={typed[name]}
              onChange={(event) => change({ [name]: event.currentTarget.checked })}
            />
          ))}
        </Group>
      </Stack>
    </Paper>
  )
}

function useLine(name: 'name' | 'subject' | 'preheader') {
  const { t } = useTranslation('drafts')
  const { typed } = useEditor()
  return { id: `field-${name}`, label: t(name), value: typed[name], error: useProblemOf(name) }
}

function SenderField() {
  const { t } = useTranslation('drafts')
  const { typed, change } = useEditor()
  const error = useProblemOf('from')
  const { data } = useAsk('listSenders')
  const senders = data?.data ?? []
  const chosen = senders.find(
    ({ email }) => typed.from !== null && addressIn(typed.from) === email.toLowerCase(),
  )
  const say = ({ name, email, domain_status }: Sender): string =>
    `${name === null ? email : `${name} <${email}>`}${domain_status === 'verified' ? '' : ` · ${t('domainNotVerified')}`}`
  const main = senders.find((sender) => sender.default)
  return (
    <Select
      id="field-from"
      label={t('from')}
      data={[
        { value: '', label: main ? t('defaultSender', { sender: say(main) }) : t('noSender') },
        ...senders.map((sender) => ({ value: sender.email, label: say(sender) })),
        // The sender may be deleted since, or have a name of its own.
        ...(typed.from !== null && !chosen ? [{ value: typed.from, label: typed.from }] : []),
      ]}
      value={typed.from === null ? '' : (chosen?.email ?? typed.from)}
      onChange={(value) => change({ from: value || null })}
      allowDeselect={false}
      error={error}
      description={
        data && senders.length === 0 ? (
          <PageLink to="settings/senders">{t('addSender')}</PageLink>
        ) : undefined
      }
    />
  )
}

/** `Name <address>`, or the address alone. */
const addressIn = (from: string): string => (/<([^<>]+)>\s*$/.exec(from)?.[1] ?? from).toLowerCase()
