/** Captured mail beside its list, for a workspace and for the operator. */
import { Alert, Button, Group, Skeleton, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { IconButton } from '../../parts/IconButton.tsx'
import { useChangeFilters } from '../../parts/use-filter.ts'
import classes from './Captured.module.css'
import { HowToSend } from './HowToSend.tsx'
import { MailList, type EntryLink } from './MailList.tsx'
import { MailPane } from './MailPane.tsx'
import { MailboxFilters } from './MailboxFilters.tsx'
import { useKeys } from './use-keys.ts'
import type { Entry, Mailbox } from './use-mailbox.ts'

export interface MailboxViewProps {
  mailbox: Mailbox
  /** The chosen mail; `workspace` on the operator's page alone. */
  chosen: { id: string; workspace?: string | undefined } | null
  /** Whether the list is that of all workspaces. */
  isOfAll?: boolean
  mayDelete: boolean
  renderLink: (entry: Entry, props: EntryLink) => ReactNode
  /** Goes to an entry's mail; null is the list alone. */
  choose: (entry: Entry | null) => void
  /** Goes to the page of the mail's message; absent where there is none. */
  openMessage?: (message: string) => void
}

export function MailboxView(props: MailboxViewProps) {
  const { mailbox, chosen, isOfAll = false, mayDelete, renderLink, choose, openMessage } = props
  const { t } = useTranslation('captured')
  const { read, state, filter } = mailbox
  const { items } = read
  const { at, last } = useChosen(items, chosen)
  const change = useChangeFilters()
  const remove = useAct('deleteCapturedMails', { refresh: ['listCapturedMails'] })
  const entry = items[at]
  const isFolded = entry !== undefined && entry.mails > 1
  const removeChosen = (): void => {
    if (!chosen || !mayDelete || remove.isPending) return
    const next = items[at + 1] ?? (at > 0 ? items[at - 1] : undefined) ?? null
    const { workspace } = chosen
    remove.mutate(
      { query: { id: chosen.id, ...(workspace !== undefined && { workspace }) } },
      { onSuccess: () => choose(next) },
    )
  }
  useKeys({
    go(step) {
      const next = items[at < 0 ? last + Math.min(0, step) : at + step]
      if (next) choose(next)
    },
    search: () => document.querySelector<HTMLInputElement>('input[type="search"]')?.focus(),
    remove: removeChosen,
    open() {
      if (isFolded && entry.campaign) change({ campaign: entry.campaign.id })
      else if (entry?.message != null) openMessage?.(entry.message)
    },
  })
  const isFiltered =
    filter.search !== undefined || filter.kind !== 'all' || filter.campaign !== undefined
  return (
    <>
      {state?.captures === false && items.length > 0 && (
        <Alert color="blue" icon={<Icon name="help" />}>
          {t('capturedBefore')}
        </Alert>
      )}
      <div className={classes.split} data-reading={chosen !== null}>
        <section className={classes.list} data-list aria-label={t('list')}>
          <MailboxFilters {...mailbox} />
          {read.isLoading && (
            <Skeleton height={320} radius="lg" role="status" aria-label={t('loading')} />
          )}
          <Failure error={read.error} retry={read.retry} />
          {items.length > 0 && (
            <MailList read={read} at={at} isOfAll={isOfAll} renderLink={renderLink} />
          )}
          {!read.isLoading && !read.error && items.length === 0 && (
            <Nothing mailbox={mailbox} isFiltered={isFiltered} />
          )}
          {mayDelete && !isOfAll && items.length > 0 && (
            <DeleteAll mailbox={mailbox} isFiltered={isFiltered} onDone={() => choose(null)} />
          )}
        </section>
        <div className={classes.mail}>
          {chosen === null ? (
            items.length > 0 && (
              <Empty icon="captured" title={t('chooseOne')}>
                {t('keys')}
              </Empty>
            )
          ) : (
            <Stack gap="sm">
              <Group hiddenFrom="lg">
                <IconButton
                  icon="back"
                  label={t('allMails')}
                  size="compact-sm"
                  variant="default"
                  onClick={() => choose(null)}
                />
              </Group>
              <Failure error={remove.error} />
              <MailPane {...chosen} onDelete={mayDelete ? removeChosen : undefined} />
            </Stack>
          )}
        </div>
      </div>
    </>
  )
}

/**
 * The place of the chosen mail in the list, and the last that it had: one that is no longer there,
 * such as a mail that was unread, leaves its place to the next.
 */
function useChosen(
  items: readonly Entry[],
  chosen: MailboxViewProps['chosen'],
): { at: number; last: number } {
  const [last, setLast] = useState(0)
  const at = chosen === null ? -1 : items.findIndex(({ id }) => id === chosen.id)
  if (at >= 0 && at !== last) setLast(at)
  return { at, last }
}

function Nothing({ mailbox: { state }, isFiltered }: { mailbox: Mailbox; isFiltered: boolean }) {
  const { t } = useTranslation('captured')
  const change = useChangeFilters()
  if (isFiltered)
    return (
      <Empty
        icon="search"
        title={t('noMatch')}
        clear={{
          label: t('clearFilters'),
          onClick: () => change({ search: '', kind: '', campaign: '' }),
        }}
      />
    )
  if (state?.captures === false)
    return (
      <Empty icon="captured" title={t('none')}>
        {t('notCapturing')}
      </Empty>
    )
  return <HowToSend sender={state?.sender ?? null} />
}

interface DeleteAllProps {
  mailbox: Mailbox
  isFiltered: boolean
  onDone: () => void
}

/** Deletes all that match what the list shows, call by call. */
function DeleteAll({ mailbox: { filter }, isFiltered, onDone }: DeleteAllProps) {
  const { t } = useTranslation('captured')
  const [opened, { open, close }] = useDisclosure()
  const remove = useAct('deleteCapturedMails', { refresh: ['listCapturedMails'] })
  const removeAll = async (): Promise<void> => {
    for (let more = true; more;) more = (await remove.mutateAsync({ query: filter })).has_more
    onDone()
  }
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<Icon name="trash" size={16} />}
        onClick={open}
      >
        {t(isFiltered ? 'deleteMatching' : 'deleteAll')}
      </Button>
      <Confirm
        opened={opened}
        onClose={close}
        title={t(isFiltered ? 'deleteMatchingAsk' : 'deleteAllAsk')}
        verb={t('delete')}
        danger
        onConfirm={removeAll}
      >
        {t('deleteWhat')}
      </Confirm>
    </>
  )
}
