/** Where a page leads back to, for what is on it and finds nothing. */
import { createContext } from 'react'

export const WayBack = createContext<{ to: string; label: string } | null>(null)
