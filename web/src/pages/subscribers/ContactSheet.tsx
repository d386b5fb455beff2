/**
 * A contact beside the list: name, status in a sentence, record and timeline. ↑ and ↓ go from row
 * to row, Escape closes.
 */
import { Drawer, Group, Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { Addressed } from '../../parts/Addressed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { ToolButton } from '../../parts/IconButton.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { ContactRecordView } from './ContactRecordView.tsx'
import { ContactTimeline } from './ContactTimeline.tsx'
import { StatusSentence } from './StatusSentence.tsx'
import type { OpenContact } from './use-open-contact.ts'
import { fullName, subscriberTone, type KnownContact } from './words.ts'

export function ContactSheet({ id, close, step }: OpenContact) {
  const { t } = useTranslation('subscribers')
  const read = useAsk('getContact', { params: { who: id ?? '' } }, { enabled: id !== undefined })
  useSheetKeys(id !== undefined, { close, step })
  const name = read.data?.subscriber ? fullName(read.data.subscriber) : ''
  return (
    <Drawer
      opened={id !== undefined}
      onClose={close}
      title={<Addressed>{name || (read.data?.email ?? t('person'))}</Addressed>}
      position="right"
      size={560}
      overlayProps={{ backgroundOpacity: 0.15 }}
      // The sheet's own keys know when Escape leaves an input alone, and the row gets the focus.
      closeOnEscape={false}
      returnFocus={false}
      lockScroll={false}
      transitionProps={{ duration: 0 }}
    >
      {id !== undefined && (
        <Stack>
          <Way id={id} step={step} />
          <Loaded of={read} height={320}>
            {(contact) => <Known key={contact.email} contact={contact} who={id} />}
          </Loaded>
        </Stack>
      )}
    </Drawer>
  )
}

function Way({ id, step }: { id: string; step: OpenContact['step'] }) {
  const { t } = useTranslation('subscribers')
  return (
    <Group justify="space-between">
      <Group gap={4}>
        <ToolButton label={t('personBefore')} onClick={() => step(-1)}>
          <Icon name="up" size={16} />
        </ToolButton>
        <ToolButton label={t('personNext')} onClick={() => step(1)}>
          <Icon name="down" size={16} />
        </ToolButton>
      </Group>
      <ButtonLink to={`subscribers/${id}`} variant="default" size="xs">
        {t('personPage')}
      </ButtonLink>
    </Group>
  )
}

function Known({ contact, who }: { contact: KnownContact; who: string }) {
  const { t } = useTranslation('subscribers')
  const { subscriber, email, mailable, last_engagement: last } = contact
  return (
    <Stack gap="lg">
      <Stack gap={6} align="flex-start">
        {subscriber && (
          <StateBadge
            t={t}
            prefix="status"
            state={subscriber.status}
            tone={subscriberTone(subscriber.status)}
          />
        )}
        <Text>
          <Addressed>{email}</Addressed>
        </Text>
        <StatusSentence rules={mailable.rules} />
      </Stack>
      {subscriber && <ContactRecordView subscriber={subscriber} last={last} cols={2} />}
      <ContactTimeline contact={contact} who={who} />
    </Stack>
  )
}

/** An input keeps its arrows; one that Escape closes lets no key through to here. */
function useSheetKeys(isOpen: boolean, { close, step }: Pick<OpenContact, 'close' | 'step'>): void {
  useWindowEvent('keydown', (event) => {
    if (!isOpen || event.defaultPrevented || event.isComposing) return
    if (event.key === 'Escape') return close()
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    if (event.target instanceof Element && event.target.matches('input, textarea, select')) return
    event.preventDefault()
    step(event.key === 'ArrowUp' ? -1 : 1)
  })
}
