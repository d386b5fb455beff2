/** One call of an SDK: what it needs, what it is given, and what the database has to say. */
import assert from 'node:assert/strict'
import type { ErrorCode } from '../../../src/contract/errors.ts'
import type { Api, TestWorkspace } from '../api.ts'
import type { SdkArguments } from './sdk.ts'

export interface World {
  api: Api
  shop: TestWorkspace
}

/**
 * `compare` gets the answer as the SDK has typed it, and holds it to the rows of the database. With
 * `refused`, the SDK shows this error, and `compare` shows that nothing was stored.
 */
export interface Turn extends SdkArguments {
  refused?: ErrorCode
  compare(data: unknown): Promise<void>
}

export type Play = (world: World) => Promise<Turn>

/** By call and request, as a row of the table of calls has them: `emails.get GET /emails/{id}`. */
export type Plays = Readonly<Record<string, Play>>

/** Far enough to stay scheduled while the tests run, and within the year that is allowed. */
export const inDays = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString()

/** The answer has these fields, as the database has them. */
export function has(data: unknown, stored: object | null): void {
  assert.ok(stored !== null, 'no such row')
  assert.partialDeepStrictEqual(data, stored)
}

let created = 0
/** An address that no other play uses. */
export const newAddress = (): string => `contact${++created}@example.com`
