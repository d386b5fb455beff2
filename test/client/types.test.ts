/**
 * The client's types, written out for others, admit exactly what the contract's schemas do: the
 * compiler checks it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client, ErrorCode as ClientErrorCode } from '../../client/src/index.ts'
import type { ApiErrorCode } from '../../src/contract/errors.ts'
import type { ApiOperationId, InputOf, operations } from '../../src/contract/operations.ts'
import type { Static } from '../../src/contract/schema.ts'

/** `From` may be given where `To` is asked for. */
type Fits<From, To> = [From] extends [To] ? true : false

/**
 * With `undefined` where a field is optional, as the client has it for callers who give one; an
 * object without known fields holds anything.
 */
type Loose<T> = T extends readonly (infer E)[]
  ? Loose<E>[]
  : T extends object
    ? keyof T extends never
      ? Record<string, unknown>
      : { [K in keyof T]: undefined extends T[K] ? Loose<T[K]> | undefined : Loose<T[K]> }
    : T

type Answered<Id extends keyof Client> = Awaited<ReturnType<Client[Id]>>
type ClientInput<Id extends keyof Client> = Parameters<Client[Id]>[number]

/** Each operation that breaks one of the rules. */
/** What users in their workspace read beside it is not the client's. */
type ByKey<Id extends keyof Client> = Static<(typeof operations)[Id]['answer']['schema']>
type WrongAnswers = {
  [Id in keyof Client]: Fits<Loose<ByKey<Id>>, Loose<Answered<Id>>> extends true
    ? Fits<Loose<Answered<Id>>, Loose<ByKey<Id>>> extends true
      ? never
      : Id
    : Id
}[keyof Client]
/** The schema leaves open what a verb validates; the client's types say more. */
type Described<T> = T extends readonly (infer E)[]
  ? Described<E>[]
  : T extends object
    ? { [K in keyof T]: unknown extends T[K] ? never : Described<T[K]> }
    : T
type WrongBodies = {
  [Id in keyof Client]: Fits<
    Described<InputOf<Id>['body']>,
    ClientInput<Id> | undefined
  > extends true
    ? never
    : Id
}[keyof Client]

test('answers, bodies, methods and codes are those of the contract', () => {
  const answers: Fits<WrongAnswers, never> = true
  const bodies: Fits<WrongBodies, never> = true
  const methods: Fits<keyof Client, ApiOperationId> = true
  const codes: [Fits<ApiErrorCode, ClientErrorCode>, Fits<ClientErrorCode, ApiErrorCode>] = [
    true,
    true,
  ]
  assert.deepEqual([answers, bodies, methods, ...codes], [true, true, true, true, true])
})
