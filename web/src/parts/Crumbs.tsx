/**
 * The way from the menu to a page: links to the pages above it. The title of the page itself stands
 * below.
 */
import { Group } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Icon } from './Icon.tsx'
import { PageLink } from './links.tsx'
import classes from './Crumbs.module.css'

export interface PageAbove {
  to: string
  label: string
}

/** First parts of addresses that are pages themselves, with the keys of their words. */
const tops = ['settings', 'subscribers', 'emails', 'campaigns', 'suppression', 'webhooks'] as const

/** `back`: the page right above; absent: the top of the address. */
export function Crumbs({ back }: { back?: PageAbove | undefined }) {
  const { t } = useTranslation('shell')
  const [, , top = '', ...rest] = useLocation().pathname.split('/')
  const first = rest.some((part) => part !== '') ? tops.find((each) => each === top) : undefined
  const above = [
    ...(first && back?.to !== first ? [{ to: first, label: t(first) }] : []),
    ...(back ? [back] : []),
  ]
  if (above.length === 0) return null
  return (
    <nav aria-label={t('breadcrumbs')} data-crumbs>
      <ol className={classes.crumbs}>
        {above.map(({ to, label }, at) => (
          <li key={to} className={classes.crumb}>
            <Icon name={at === 0 ? 'back' : 'next'} size={13} />
            <PageLink to={to} size="sm" c="dimmed" className={classes.link}>
              {label}
            </PageLink>
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** On pages outside of workspaces, which have no line above them. */
export function BackLink({ back }: { back: PageAbove }) {
  return (
    <PageLink to={back.to} size="sm" c="dimmed">
      <Group gap={4} component="span" display="inline-flex">
        <Icon name="back" size={14} />
        {back.label}
      </Group>
    </PageLink>
  )
}
