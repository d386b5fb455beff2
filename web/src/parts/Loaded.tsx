/**
 * `Loaded` shows what a page reads from the service: a placeholder, then the data, or a refusal
 * with a button to try again.
 */
import { Skeleton, Stack, type SkeletonProps } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from './Failure.tsx'
import { Page } from './Page.tsx'

interface LoadedProps<Data> {
  of: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  /** The placeholder has this height, in pixels. */
  height?: number
  /** This placeholder replaces the default one where it has more than one part. */
  waiting?: ReactNode
  children: (data: Data) => ReactNode
}

export function Loaded<Data>({
  of: { data, error, refetch },
  height = 240,
  waiting,
  children,
}: LoadedProps<Data>) {
  const { t } = useTranslation('shell')
  if (data !== undefined) return children(data)
  if (error) return <Failure error={error} retry={() => void refetch()} />
  return waiting ?? <Skeleton height={height} radius="lg" role="status" aria-label={t('loading')} />
}

interface LoadedPageProps<Data> extends LoadedProps<Data> {
  /** The page has this title until the data brings one of its own. */
  title: string
  back: { to: string; label: string }
}

/** `LoadedPage` draws a page from an answer of the service. */
export function LoadedPage<Data>({ title, back, ...loaded }: LoadedPageProps<Data>) {
  const { of: read, children } = loaded
  if (read.data !== undefined) return children(read.data)
  return (
    <Page title={title} back={back}>
      <Loaded {...loaded} />
    </Page>
  )
}

/** `Waiting` draws a placeholder of several parts. */
export function Waiting({ parts }: { parts: readonly SkeletonProps[] }) {
  const { t } = useTranslation('shell')
  return (
    <Stack role="status" aria-busy="true" aria-label={t('loading')}>
      {parts.map((part, at) => (
        // Parts have no name of their own, and stay in their order.
        // oxlint-disable-next-line react/no-array-index-key
        <Skeleton key={at} {...part} />
      ))}
    </Stack>
  )
}
