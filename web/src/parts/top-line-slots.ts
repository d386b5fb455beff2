/** Where a page draws the way to it and its main button; null outside of a workspace. */
import { createContext } from 'react'

interface TopLineSlots {
  crumbs: HTMLElement | null
  /** Null on a phone, where the button stands beside the title. */
  main: HTMLElement | null
}

export const TopLineSlots = createContext<TopLineSlots | null>(null)
