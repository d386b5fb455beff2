/**
 * Repeats of a call that stores contacts, by its `Idempotency-Key`: one row holds the answer, and is
 * written in the transaction that the answer describes.
 */
import { createHash } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import type { Database } from '../../database/client/database.ts'
import { findAnswer, insertAnswer } from '../../db/audience/keyed-answers.ts'
import type { CallContext } from '../context.ts'

export interface KeyedCall {
  key: string
  fingerprint: Buffer
}

/** Null without a key; an empty one counts as absent. `call`: what a repeated call says again. */
export function readKeyedCall(key: string | undefined, call: () => unknown[]): KeyedCall | null {
  if (!key) return null
  return { key, fingerprint: createHash('sha256').update(JSON.stringify(call())).digest() }
}

/** Null while no call has this key; throws `idempotency_key_reused` when it stands for another. */
export async function earlierAnswer(
  { db, workspaceId }: CallContext,
  { key, fingerprint }: KeyedCall,
): Promise<unknown> {
  const answer = await findAnswer(db, workspaceId, key)
  if (!answer) return null
  if (answer.answer === null || !answer.fingerprint.equals(fingerprint))
    throw new ApiError('idempotency_key_reused', { key })
  return answer.answer
}

/** A call with the same key has committed meanwhile; the transaction is rolled back. */
export class KeyTaken extends Error {}

/** Stores the answer under its key; throws `KeyTaken`. */
export async function claimKey(
  { workspaceId }: CallContext,
  tx: Database,
  { answer, ...keyed }: KeyedCall & { answer: unknown },
): Promise<void> {
  const row = { ...keyed, answer: JSON.stringify(answer) }
  if (!(await insertAnswer(tx, workspaceId, row))) throw new KeyTaken()
}
