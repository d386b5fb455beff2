/** Calls the API by the unmodified SDK of Resend, and reads its answers. */
import assert from 'node:assert/strict'
import { Resend } from 'resend'

/** A client with a key of ours. */
export const clientOf = ({ baseUrl }: { baseUrl: string }, key: string): Resend =>
  new Resend(key, { baseUrl: `${baseUrl}/api/v1` })

/** The data of a call that went well. */
export async function wellDone<T>(
  call: Promise<{ data: T; error: null } | { data: null; error: unknown }>,
): Promise<T> {
  const { data, error } = await call
  assert.equal(error, null, JSON.stringify(error))
  assert.ok(data !== null)
  return data
}

/** Status and code of a call that was refused. */
export async function codeOf(
  call: Promise<{ error: { name: string; statusCode: number | null } | null }>,
): Promise<string> {
  const { error } = await call
  return `${error?.statusCode} ${error?.name}`
}
