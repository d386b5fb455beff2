/**
 * What the tests have found of each SDK, kept beside their programs: each test compares it with
 * what it found, and writes it with `UPDATE_SDKS=1`. `docs/resend-sdks.md` is made from it.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sdkSources } from './built-sdks.ts'
import { sdkPage } from './sdk-page.ts'

/** `absent`: the SDK has no such call. */
export type CallResult = 'compared' | 'refused' | 'absent'

export interface SdkResults {
  /** By SDK: its version, and what each row of the table of calls got. */
  calls: Record<string, { version: string; rows: Record<string, CallResult> }>
  /** By SDK: its version, and the steps that were compared. */
  sends: Record<string, { version: string; steps: string[] }>
}

const file = join(sdkSources, 'results.json')
export const sdkPageFile = join(sdkSources, '../../../docs/resend-sdks.md')

export const sdkResults = (): SdkResults => JSON.parse(readFileSync(file, 'utf8')) as SdkResults

/** Holds what a test found to what is kept, or keeps it. */
export function keepSdkResult<Part extends keyof SdkResults>(
  part: Part,
  sdk: string,
  result: SdkResults[Part][string],
): void {
  const results = sdkResults()
  if (process.env['UPDATE_SDKS'] !== '1') {
    assert.deepEqual(results[part][sdk], result, `UPDATE_SDKS=1 writes ${part} of ${sdk} again`)
    return
  }
  const parts: Record<string, unknown> = results[part]
  parts[sdk] = result
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(sdkPageFile, sdkPage(results))
}
