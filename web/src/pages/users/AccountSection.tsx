/** A part of the account's page: what it is about, and what can be done. */
import type { ComponentProps } from 'react'
import { PaperSection } from '../../parts/Section.tsx'

export function AccountSection(section: ComponentProps<typeof PaperSection>) {
  return <PaperSection size="h4" gap="md" p="md" radius="md" {...section} />
}
