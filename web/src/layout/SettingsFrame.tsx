/**
 * The settings are one page with sections: their menu stands beside the section, above it where
 * there is less room, and alone on a phone, where each section leads back to it.
 */
import { Link, Navigate } from '@tanstack/react-router'
import { useId, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useReader } from '../api/use-role.ts'
import { usePlace } from '../parts/links.tsx'
import { Page } from '../parts/Page.tsx'
import { useIsWide } from '../parts/use-is-wide.ts'
import { isShown, settingsGroups, type SettingsEntry } from './menu-entries.ts'
import classes from './SettingsFrame.module.css'

export function SettingsFrame({ children }: { children: ReactNode }) {
  const isWide = useIsWide()
  if (!isWide) return children
  return (
    <div className={classes.frame}>
      <SettingsMenu />
      <div className={classes.section}>{children}</div>
    </div>
  )
}

/** The address of the settings themselves: the menu on a phone, else the first section. */
export function SettingsPage() {
  const { t } = useTranslation('shell')
  const locate = usePlace()
  const isWide = useIsWide()
  if (isWide) return <Navigate to={locate('settings/general')} replace />
  return (
    <Page title={t('settings')}>
      <SettingsMenu />
    </Page>
  )
}

function SettingsMenu() {
  const { t } = useTranslation('shell')
  const reader = useReader()
  return (
    <nav className={classes.menu} aria-label={t('settings')}>
      {settingsGroups.map(({ title, entries }) => (
        <Group key={title} title={t(title)}>
          {entries.map((name) => isShown(name, reader) && <Entry key={name} name={name} />)}
        </Group>
      ))}
    </nav>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <div className={classes.group}>
      <p className={classes.title} id={id}>
        {title}
      </p>
      <ul className={classes.list} aria-labelledby={id}>
        {children}
      </ul>
    </div>
  )
}

function Entry({ name }: { name: SettingsEntry }) {
  const { t } = useTranslation('shell')
  return (
    <li>
      <Link
        to={usePlace()(`settings/${name}`)}
        className={classes.entry}
        activeProps={{ 'aria-current': 'page' }}
        activeOptions={{ includeSearch: false }}
      >
        {t(name)}
      </Link>
    </li>
  )
}
