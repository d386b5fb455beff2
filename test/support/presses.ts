/** What a user presses on a page, counted from a moment on; a load of the page begins at zero. */
import type { Page } from 'playwright-core'

interface Presses {
  pointer: number
  key: number
}

export const countPresses = (page: Page): Promise<void> =>
  page.evaluate(`
    window.pressed = { pointer: 0, key: 0 }
    addEventListener('pointerdown', () => window.pressed.pointer++, true)
    addEventListener('keydown', () => window.pressed.key++, true)`)

export const pressesOn = (page: Page): Promise<Presses> => page.evaluate('window.pressed')
