/**
 * A seeded draw: the same seed draws the same things, so that a run of the crash sweep can be
 * repeated.
 */
import { setTimeout } from 'node:timers/promises'

export interface Draw {
  /** From 0 to below 1. */
  next(): number
  /** A whole number from `least` to `most`, both included. */
  between(least: number, max: number): number
  /** One of them. */
  pick<T>(choices: readonly T[]): T
  /** All of them in another order. */
  shuffle<T>(choices: readonly T[]): T[]
  /** Lets a drawn time pass, in milliseconds: when a fault comes is what a scenario varies. */
  moment(leastMs: number, maxMs: number): Promise<void>
}

/** Marsaglia's xorshift of 32 bits. */
export function createDraw(seed: number): Draw {
  let state = Math.imul(seed, 2_654_435_761) | 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  for (let warming = 0; warming < 8; warming++) next()
  const between = (least: number, max: number): number =>
    least + Math.floor(next() * (max - least + 1))
  const pick = <T>(choices: readonly T[]): T => {
    const choice = choices[between(0, choices.length - 1)]
    if (choice === undefined) throw new Error('Nothing to pick from')
    return choice
  }
  const shuffle = <T>(choices: readonly T[]): T[] =>
    choices
      .map((choice) => ({ choice, place: next() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ choice }) => choice)
  const moment = (leastMs: number, maxMs: number): Promise<void> =>
    setTimeout(between(leastMs, maxMs))
  return { next, between, pick, shuffle, moment }
}

/** Every third of them, so that seeds 1 to 3 have all. */
export const thirdOf = <T>(choices: readonly T[], seed: number): T[] =>
  choices.filter((_, index) => index % 3 === seed % 3)
