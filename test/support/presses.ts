/** What a user presses on a page, counted from a moment on; a load of the page begins at zero. */
import type { TestContext } from 'node:test'
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

/** Says how many seconds from now on each step was reached; no test judges them. */
export function timeSteps(t: TestContext): (step: string) => void {
  const beganMs = performance.now()
  return (step) => {
    const seconds = (performance.now() - beganMs) / 1_000
    t.diagnostic(`${step}: ${seconds.toFixed(1)} s`)
  }
}
