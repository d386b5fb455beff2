/** What a user presses on a page, counted from a moment on; a load of the page begins at zero. */
import type { Page } from 'playwright-core'

interface Presses {
  pointer: number
  key: number
}

export const countPresses = (page: Page): Promise<void> =>
  page.evaluate(`
    window.pressed = { pointer: 0, key: 0 }
    const count = (name) => ({ timeStamp }) => {
      window.pressed[name]++
      window.lastPressMs = timeStamp
    }
    addEventListener('pointerdown', count('pointer'), true)
    addEventListener('keydown', count('key'), true)`)

export const pressesOn = (page: Page): Promise<Presses> => page.evaluate('window.pressed')

/** When the last one was, in seconds from the load of the page on. */
export const secondsOfLastPress = (page: Page): Promise<number> =>
  page.evaluate('window.lastPressMs / 1_000')
