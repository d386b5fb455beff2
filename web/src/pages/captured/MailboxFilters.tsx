/** The search, and the kinds with how many mails there are of each. */
import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import { IconButton } from '../../parts/IconButton.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { useChangeFilters, useFilter } from '../../parts/use-filter.ts'
import classes from './Captured.module.css'
import type { Mailbox, MailboxState } from './use-mailbox.ts'

const kinds = ['all', 'unread', 'tests', 'confirmations', 'campaigns'] as const

export function MailboxFilters({ filter, read, state }: Mailbox) {
  const { t } = useTranslation('captured')
  const change = useChangeFilters()
  const [chosen] = useFilter('kind')
  const { campaign } = filter
  // A kind of which there is nothing takes no room.
  const isShown = (kind: (typeof kinds)[number]): boolean =>
    kind === 'all' || kind === 'unread' || kind === chosen || state?.counts?.[kind] !== 0
  const name = read.items.find((entry) => entry.campaign?.id === campaign)?.campaign?.name ?? ''
  return (
    <>
      <Group>
        <SearchField name="search" label={t('search')} placeholder={t('searchHow')} />
      </Group>
      <Group className={classes.kinds} role="group" aria-label={t('kinds')} gap={6}>
        {kinds.filter(isShown).map((kind) => (
          <button
            key={kind}
            type="button"
            className={classes.kind}
            aria-pressed={(chosen || 'all') === kind}
            onClick={() => change({ kind: kind === 'all' ? '' : kind, campaign: '' })}
          >
            {t(`kind_${kind}`)} <Count counts={state?.counts ?? null} kind={kind} />
          </button>
        ))}
      </Group>
      {campaign !== undefined && (
        <Group gap="xs">
          <IconButton
            icon="back"
            label={t('allMails')}
            size="compact-sm"
            variant="default"
            onClick={() => change({ campaign: '' })}
          />
          <Text>
            <bdi>{name}</bdi>
          </Text>
        </Group>
      )}
    </>
  )
}

interface CountProps {
  counts: MailboxState['counts']
  kind: (typeof kinds)[number]
}

/** The service counts among the newest mails. */
function Count({ counts, kind }: CountProps) {
  const { i18n } = useTranslation('captured')
  if (counts === null) return null
  const isCut = counts.all >= limits.capturedSearchedMax
  return (
    <Text span c="dimmed" inherit>
      {counts[kind].toLocaleString(i18n.language)}
      {isCut && '+'}
    </Text>
  )
}
