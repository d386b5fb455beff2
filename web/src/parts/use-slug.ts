/** The workspace whose page this is; a page without one has none to ask for. */
import { useParams } from '@tanstack/react-router'

export function useSlug(): string {
  const { slug } = useParams({ strict: false })
  if (slug === undefined) throw new Error('This page belongs to no workspace')
  return slug
}
