/**
 * A contact beside the list: name, status in a sentence, record and timeline. J and K go from row to
 * row, and so do ↓ and ↑ in its head; Escape closes.
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
import { BulkProgress } from './bulk/BulkProgress.tsx'
import { ContactActions } from './ContactActions.tsx'
import { ContactRecordView } from './ContactRecordView.tsx'
import { ContactTimeline } from './ContactTimeline.tsx'
import { StatusSentence } from './StatusSentence.tsx'
import type { OpenContact } from './use-open-contact.ts'
import { fullName, keyOfChanges, subscriberTone, type KnownContact } from './words.ts'

export function ContactSheet({ id, close, step, mayStep }: OpenContact) {
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
          <Way {...{ id, step, mayStep }} />
          <div data-sheet-body>
            <Loaded of={read} height={320}>
              {(contact) => <Known key={contact.email} contact={contact} who={id} close={close} />}
            </Loaded>
          </div>
        </Stack>
      )}
    </Drawer>
  )
}

const steps = [
  { by: -1, icon: 'up', label: 'personBefore' },
  { by: 1, icon: 'down', label: 'personNext' },
] as const

function Way({ id, step, mayStep }: Pick<OpenContact, 'step' | 'mayStep'> & { id: string }) {
  const { t } = useTranslation('subscribers')
  return (
    <Group justify="space-between">
      <Group gap={4}>
        {steps.map(({ by, icon, label }) => (
          // At the end of the list it keeps the focus.
          <ToolButton
            key={by}
            label={t(label)}
            onClick={() => step(by)}
            aria-disabled={!mayStep(by)}
            data-disabled={!mayStep(by) || undefined}
          >
            <Icon name={icon} size={16} />
          </ToolButton>
        ))}
      </Group>
      <ButtonLink to={`subscribers/${id}`} variant="default" size="xs">
        {t('personPage')}
      </ButtonLink>
    </Group>
  )
}

function Known({ contact, who, close }: KnownProps) {
  const { t } = useTranslation('subscribers')
  const { subscriber, email, mailable, last_engagement: last } = contact
  return (
    <Stack gap="lg">
      <Group gap="xs">
        <ContactActions contact={contact} />
      </Group>
      <BulkProgress contact={keyOfChanges(contact)} onErased={close} />
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

interface KnownProps extends Pick<OpenContact, 'close'> {
  contact: KnownContact
  who: string
}

const keySteps: Record<string, -1 | 1> = { k: -1, j: 1, ArrowUp: -1, ArrowDown: 1 }

/** An input keeps its keys, and so does what is open above the sheet; arrows scroll its body. */
function useSheetKeys(isOpen: boolean, { close, step }: Pick<OpenContact, 'close' | 'step'>): void {
  useWindowEvent('keydown', (event) => {
    if (!isOpen || event.defaultPrevented || event.isComposing) return
    if (event.ctrlKey || event.metaKey || event.altKey || isBeneath(event.target)) return
    if (event.key === 'Escape') return close()
    const by = keySteps[event.key]
    if (by === undefined || isWithin(event.target, 'input, textarea, select')) return
    if (event.key.startsWith('Arrow') && isWithin(event.target, '[data-sheet-body]')) return
    event.preventDefault()
    step(by)
  })
}

const isWithin = (target: EventTarget | null, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null

/** Another dialog or a menu is open above the sheet. */
const isBeneath = (target: EventTarget | null): boolean =>
  document.querySelectorAll('[role="dialog"]').length > 1 ||
  isWithin(target, '[role="menu"], [role="listbox"]')
