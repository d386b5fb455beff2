/** Reads the answers of the unmodified SDK of Resend. */
import assert from 'node:assert/strict'

/** The data of a call that went well. */
export async function wellDone<T>(
  call: Promise<{ data: T; error: null } | { data: null; error: unknown }>,
): Promise<T> {
  const { data, error } = await call
  assert.equal(error, null, JSON.stringify(error))
  assert.ok(data !== null)
  return data
}
