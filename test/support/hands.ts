/**
 * The hands of a story's user: the keyboard alone at a desk, or a finger on a phone. Neither has a
 * mouse, so a page that needs one fails the story.
 */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { phone } from './workspace-pages.ts'

type Hand = 'keyboard' | 'touch'

export const storyVariants = [
  { language: 'en', hand: 'keyboard' },
  { language: 'fr', hand: 'keyboard' },
  { language: 'en', hand: 'touch' },
  { language: 'fr', hand: 'touch' },
] as const satisfies { language: 'en' | 'fr'; hand: Hand }[]

export const screenOf = (hand: Hand) =>
  hand === 'touch'
    ? { viewport: phone, touch: true }
    : { viewport: { width: 1280, height: 800 }, touch: false }

export interface Hands {
  /** A link, a button, a box or a switch. */
  press(target: Locator): Promise<void>
  /** Replaces what the field has. */
  write(field: Locator, text: string): Promise<void>
  /** One of a group, of which Tab reaches the chosen one alone. */
  pick(radio: Locator): Promise<void>
  /** An option by its name: of the browser's own list, or of one that opens below the field. */
  choose(field: Locator, option: string): Promise<void>
}

/** More presses than the longest way on a page. */
const pressesMax = 150

export const handsOn = (page: Page, hand: Hand): Hands =>
  hand === 'keyboard' ? keyboardOn(page) : fingerOn(page)

function keyboardOn(page: Page): Hands {
  const { keyboard } = page
  const until = async (key: string, isThere: () => Promise<boolean>): Promise<void> => {
    for (let presses = 0; !(await isThere()); presses++) {
      assert.ok(presses < pressesMax, `${key} does not lead there`)
      await keyboard.press(key)
    }
  }
  const has = (target: Locator, selector: string) => async (): Promise<boolean> =>
    (await target.and(page.locator(selector)).count()) > 0
  const reach = async (target: Locator): Promise<void> => {
    await target.waitFor({ state: 'attached' })
    await until('Tab', has(target, ':focus-visible'))
  }
  return {
    press: async (target) => {
      await reach(target)
      await keyboard.press((await has(target, 'input')()) ? 'Space' : 'Enter')
    },
    write: async (field, text) => {
      await reach(field)
      await keyboard.press('ControlOrMeta+a')
      await keyboard.type(text)
    },
    pick: async (radio) => {
      const name = (await radio.getAttribute('name')) ?? ''
      await reach(page.locator(`input[name="${name}"]:focus`).or(radio).first())
      await until('ArrowDown', has(radio, ':checked'))
    },
    choose: async (field, option) => {
      await reach(field)
      if (await has(field, 'select')()) {
        const chosen = field.locator('option:checked')
        await keyboard.press('Home')
        return until('ArrowDown', async () => (await chosen.innerText()) === option)
      }
      await keyboard.press('ArrowDown')
      const target = page.getByRole('option', { name: option, exact: true })
      await target.waitFor()
      await until('ArrowDown', has(target, '[data-combobox-selected]'))
      await keyboard.press('Enter')
    },
  }
}

function fingerOn(page: Page): Hands {
  const press = (target: Locator): Promise<void> => target.tap()
  return {
    press,
    pick: press,
    write: async (field, text) => {
      await field.tap()
      await field.fill('')
      await page.keyboard.type(text)
    },
    choose: async (field, option) => {
      if ((await field.and(page.locator('select')).count()) > 0)
        return void (await field.selectOption({ label: option }))
      await field.tap()
      await page.getByRole('option', { name: option, exact: true }).tap()
    },
  }
}
