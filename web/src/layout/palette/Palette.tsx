/**
 * The search that ⌘K or Ctrl K opens: pages and actions by their words in the reader's language, and
 * campaigns by name or subject.
 */
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.layer.css'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { Suspense, useEffect, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/use-ask.ts'
import type { DialogProps } from '../../parts/FormDialog.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { useGo } from '../../parts/links.tsx'
import { dialogs, type DialogName } from './dialogs.ts'
import { matches } from './matches.ts'
import { useTargets, type Target } from './use-targets.ts'

const [store, spotlight] = createSpotlight()
const optionId = (at: number): string => `palette-${at}`
/** So many campaigns are shown. */
const campaignsMax = 5

export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('palette')
  const { query, opened, listId } = useSpotlight(store)
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const [isDialogOpen, { open, close }] = useDisclosure()
  const run = useRun((name) => {
    setDialog(name)
    open()
  })
  const { groups, isSearching } = useGroups(query)
  const rows = groups.flatMap(({ targets }) => targets)
  useEffect(() => {
    if (isOpen) spotlight.open()
    else spotlight.close()
  }, [isOpen])
  const { selected, follow } = useSelected(`${opened} ${query} ${rows.length > 0}`)
  return (
    <>
      <Spotlight.Root store={store} shortcut={null} scrollable onSpotlightClose={onClose}>
        <Spotlight.Search
          placeholder={t('placeholder')}
          aria-label={t('placeholder')}
          leftSection={<Icon name="search" />}
          onKeyDown={follow}
          role="combobox"
          aria-expanded
          aria-controls={listId}
          {...(rows.length > 0 && { 'aria-activedescendant': optionId(selected) })}
        />
        <Spotlight.ActionsList role="listbox" aria-label={t('pages')}>
          {groups.map(({ title, first, targets }) => (
            <Spotlight.ActionsGroup key={title} label={title} role="group" aria-label={title}>
              {targets.map((target, at) => (
                <Option
                  key={target.id}
                  at={first + at}
                  isSelected={selected === first + at}
                  onClick={() => run(target)}
                  icon={<Icon name={target.icon} size={16} />}
                  label={target.label}
                />
              ))}
            </Spotlight.ActionsGroup>
          ))}
        </Spotlight.ActionsList>
        {rows.length === 0 && (
          <Spotlight.Empty role="status">{t(isSearching ? 'loading' : 'nothing')}</Spotlight.Empty>
        )}
      </Spotlight.Root>
      <Suspense>
        {dialog && <Opened name={dialog} opened={isDialogOpen} onClose={close} />}
      </Suspense>
    </>
  )
}

/**
 * The library's arrows choose among options and notify nobody. Enter goes to the first option until
 * an arrow chose another; `list` names what is listed.
 */
function useSelected(list: string): { selected: number; follow: () => void } {
  const [chosen, choose] = useState({ list, at: 0 })
  const selected = chosen.list === list ? chosen.at : 0
  // Called before the library moves from the option that it knows.
  const follow = (): void => {
    store.updateState((state) => ({ ...state, selected }))
    queueMicrotask(() => choose({ list, at: Math.max(0, store.getState().selected) }))
  }
  return { selected, follow }
}

interface OptionProps {
  at: number
  isSelected: boolean
  onClick: () => void
  icon: ReactNode
  label: string
}

function Option({ at, isSelected, onClick, icon, label }: OptionProps) {
  // The library drops an `id` that it is given as such.
  return (
    <Spotlight.Action
      ref={(element) => void (element && (element.id = optionId(at)))}
      role="option"
      aria-selected={isSelected}
      data-selected={isSelected || undefined}
      label={label}
      leftSection={icon}
      onClick={onClick}
    />
  )
}

/** A closed dialog stays: it may show once what its act made, such as a key. */
function Opened({ name, ...dialog }: { name: DialogName } & DialogProps) {
  const Dialog = dialogs[name]
  return <Dialog {...dialog} />
}

function useRun(open: (name: DialogName) => void): (target: Target) => void {
  const go = useGo()
  return ({ to, dialog, href }) => {
    if (dialog !== undefined) open(dialog)
    else if (href !== undefined) window.location.assign(href)
    else if (to !== undefined) void go(to)
  }
}

interface TargetGroup {
  title: string
  /** The number of its first target among all. */
  first: number
  targets: readonly Target[]
}

/** `isSearching`: the campaigns of this query are not known yet. */
function useGroups(query: string): { groups: TargetGroup[]; isSearching: boolean } {
  const { t } = useTranslation('palette')
  const { pages, acts } = useTargets()
  const { campaigns, isSearching } = useCampaigns(query.trim())
  let first = 0
  const groups = [
    { title: t('pages'), targets: pages.filter(({ label }) => matches(query, label)) },
    { title: t('acts'), targets: acts.filter(({ label }) => matches(query, label)) },
    { title: t('campaigns'), targets: campaigns },
  ].flatMap(({ title, targets }) => {
    const group = { title, targets, first }
    first += targets.length
    return targets.length === 0 ? [] : [group]
  })
  return { groups, isSearching }
}

function useCampaigns(query: string): { campaigns: Target[]; isSearching: boolean } {
  const [paused] = useDebouncedValue(query, 200)
  const enabled = paused !== '' && query !== ''
  const { items, isLoading, isStale } = useList(
    'listCampaigns',
    { query: { q: paused, limit: campaignsMax } },
    { enabled },
  )
  const campaigns = items.map(({ id, name, status }) => ({
    id,
    label: name,
    icon: 'campaigns' as const,
    to: status === 'draft' ? `campaigns/${id}/edit` : `campaigns/${id}`,
  }))
  return {
    campaigns: enabled ? campaigns : [],
    isSearching: query !== '' && (paused !== query || isLoading || isStale),
  }
}
