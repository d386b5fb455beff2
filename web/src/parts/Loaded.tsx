/** What a page reads of the service: on its way, refused with the way to try again, or there. */
import { Skeleton, Stack, type SkeletonProps } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from './Failure.tsx'
import { Page } from './Page.tsx'

interface LoadedProps<Data> {
  of: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  /** Of what stands there meanwhile, in pixels. */
  height?: number
  /** What stands there meanwhile, where it has more than one part. */
  waiting?: ReactNode
  children: (data: Data) => ReactNode
}

export function Loaded<Data>({ of: { data, error, refetch }, height = 240, waiting, children }: LoadedProps<Data>) {
  const { t } = useTranslation('shell')
  if (data !== undefined) return children(data)
  if (error) return <Failure error={error} retry={() => void refetch()} />
  return waiting ?? <Skeleton height={height} radius="lg" role="status" aria-label={t('loading')} />
}

interface LoadedPageProps<Data> extends LoadedProps<Data> {
  /** Until what is read has a title of its own. */
  title: string
  back: { to: string; label: string }
}

/** A page that is made of what is read. */
export function LoadedPage<Data>({ title, back, ...loaded }: LoadedPageProps<Data>) {
  const { of: read, children } = loaded
  if (read.data !== undefined) return children(read.data)
  return (
    <Page title={title} back={back}>
      <Loaded {...loaded} />
    </Page>
  )
}

/** What stands there meanwhile, part by part. */
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
