/** The workspace itself, without a page: its overview. */
import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSlug } from '../parts/use-slug.ts'

export function ToOverview(): ReactNode {
  return <Navigate to="/$slug/overview" params={{ slug: useSlug() }} replace />
}
