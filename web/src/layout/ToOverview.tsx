/** The workspace itself, without a page: its overview. */
import { Navigate } from '@tanstack/react-router'
import { useSlug } from '../parts/use-slug.ts'

export function ToOverview() {
  return <Navigate to="/$slug/overview" params={{ slug: useSlug() }} replace />
}
