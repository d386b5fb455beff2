/** Opens the search over pages, contacts and campaigns: by its button, or by ⌘K. */
import { Kbd, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Suspense, lazy, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../parts/Icon.tsx'
import classes from './TopLine.module.css'

const Palette = lazy(async () => ({ default: (await import('./palette/Palette.tsx')).Palette }))

const shortcut = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K'

/** The browser loads the search when it opens for the first time. */
export function GoTo() {
  const { t } = useTranslation('shell')
  const [isOpen, { open, close, toggle }] = useDisclosure()
  const [wasOpen, setWasOpen] = useState(false)
  if (isOpen && !wasOpen) setWasOpen(true)
  // In fields too; only texts with looks have the key for themselves.
  useHotkeys([['mod+K', toggle]], [])
  return (
    <>
      <UnstyledButton
        className={classes.search}
        onClick={open}
        aria-keyshortcuts="Control+K Meta+K"
      >
        <Icon name="search" size={15} />
        <Text component="span" visibleFrom="sm">
          {t('goTo')}
        </Text>
        <Text component="span" className={classes.hidden} hiddenFrom="sm">
          {t('goTo')}
        </Text>
        <Kbd size="xs" visibleFrom="sm" aria-hidden>
          {shortcut}
        </Kbd>
      </UnstyledButton>
      {wasOpen && (
        <Suspense>
          <Palette isOpen={isOpen} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
