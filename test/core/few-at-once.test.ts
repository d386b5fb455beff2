/** Work that takes its turn. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fewAtOnce, fewAtOnceOfEach } from '../../src/core/few-at-once.ts'

test('at most the given number run at a time, each in its turn, also after one that failed', async () => {
  const inTurn = fewAtOnce(2)
  const started: number[] = []
  const ends: ((error?: Error) => void)[] = []
  const works = [0, 1, 2, 3].map((index) =>
    inTurn(() => {
      started.push(index)
      return new Promise<void>((resolve, reject) => {
        ends[index] = (error) => (error ? reject(error) : resolve())
      })
    }),
  )
  const failed = assert.rejects(works[1] ?? Promise.resolve(), /failed/)
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  await turn()
  assert.deepEqual(started, [0, 1])
  ends[1]?.(new Error('failed'))
  await failed
  await turn()
  assert.deepEqual(started, [0, 1, 2])
  for (const index of [0, 2]) ends[index]?.()
  await turn()
  ends[3]?.()
  await works[3]
  assert.deepEqual(started, [0, 1, 2, 3])
})

test('one whose tasks are many holds up no other: those that wait take turns', async () => {
  const inTurn = fewAtOnceOfEach(1)
  const started: string[] = []
  const requested = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']
  await Promise.all(
    requested.map((name) =>
      inTurn(name.charCodeAt(0), () => {
        started.push(name)
        return Promise.resolve()
      }),
    ),
  )
  assert.deepEqual(started, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})
