/**
 * The OpenAPI description: complete, true to the table of operations, and clean under the strictest
 * rules of an independent linter.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import Schema from 'typebox/schema'
import { errorKinds } from '../../src/contract/errors.ts'
import { eventKinds, eventTypes } from '../../src/contract/events.ts'
import { exampleOf, plainSchema } from '../../src/contract/json-schema.ts'
import { openApi } from '../../src/contract/openapi.ts'
import { errorExample, errorsOf } from '../../src/contract/operation-errors.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { ErrorSchema } from '../../src/contract/schema.ts'
import { at, keysAt, textsWithin } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const description = openApi('http://127.0.0.1:3025')
const apiOperations = operationIds
  .map((id): [string, Operation] => [id, operations[id]])
  .filter(([, { entry }]) => entry === 'api')

const [verdict, verdictOfBroken] = await lint(description, {
  ...description,
  security: [{ nothing: [] }],
})

/** A path of files and one of an address can not be taken for each other: addresses have an @. */
const unlike = /`\/api\/v1\/subscribers\/imports\/\{id\}` and `\/api\/v1\/subscribers\/\{email\}\//

test('redocly lint with recommended-strict finds nothing', () => {
  const { problems, totals } = verdict ?? assert.fail('no verdict')
  const ambiguous = problems.filter(({ message }) => unlike.test(message))
  assert.deepEqual(
    problems.filter((problem) => !ambiguous.includes(problem)),
    [],
  )
  assert.deepEqual(totals, { errors: ambiguous.length, warnings: 0, ignored: 0 })
})

test('redocly lint reports a description that breaks a rule', () => {
  assert.ok(verdictOfBroken && verdictOfBroken.problems.length > 0)
})

interface Verdict {
  problems: { message: string }[]
  totals: { errors: number; warnings: number; ignored: number }
}

/** Runs the linter once on all descriptions, with no word to its vendor. */
async function lint(...descriptions: object[]): Promise<Verdict[]> {
  const cwd = makeTemporaryFolder('openapi')
  const names = descriptions.map((_, index) => `openapi-${index}.json`)
  await Promise.all(
    names.map((name, index) => writeFile(join(cwd, name), JSON.stringify(descriptions[index]))),
  )
  const cli = join(import.meta.dirname, '../../node_modules/@redocly/cli/bin/cli.js')
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    CI: 'true',
  }
  const args = [cli, 'lint', '--extends', 'recommended-strict', '--format', 'json', ...names]
  const run = promisify(execFile)(process.execPath, args, {
    cwd,
    env,
    maxBuffer: 1 << 26,
    timeout: 120_000,
  })
  // The linter leaves with 1 when it finds something, and says what on standard output either way:
  // one object for each file.
  const { stdout } = await run.catch((failure: { stdout: string }) => failure)
  return JSON.parse(`[${stdout.replaceAll(/^\}\{$/gm, '},{')}]`)
}

test('every operation of the API is described under its own id, and none of another entry point', () => {
  const described = keysAt(description, 'paths').flatMap((path) =>
    keysAt(description, 'paths', path).map((method) =>
      at(description, 'paths', path, method, 'operationId'),
    ),
  )
  assert.deepEqual(described.toSorted(), apiOperations.map(([id]) => id).toSorted())
})

for (const [id, operation] of apiOperations) {
  const where = ['paths', operation.path, operation.method.toLowerCase()]

  test(`${id}: answers and refusals are those of the table`, () => {
    const { status, elseStatus = status } = operation.answer
    const refusals = errorsOf(operation).map((code) => errorKinds[code].status)
    const statuses = new Set([status, elseStatus, ...refusals, 503].map(String))
    assert.deepEqual(
      keysAt(description, ...where, 'responses').toSorted(),
      [...statuses].toSorted(),
    )
  })

  test(`${id}: every answer carries X-Request-Id and X-RateLimit-*`, () => {
    for (const status of keysAt(description, ...where, 'responses')) {
      const headers = keysAt(description, ...where, 'responses', status, 'headers')
      for (const header of [
        'X-Request-Id',
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
      ]) {
        assert.ok(headers.includes(header), `${status} lacks ${header}`)
      }
    }
  })

  test(`${id}: the parameters are those of the table`, () => {
    const named = [operation.params, operation.query, operation.headers].flatMap((part) =>
      Object.keys(part.properties),
    )
    const described = keysAt(description, ...where, 'parameters').map((index) =>
      String(at(description, ...where, 'parameters', index, 'name')),
    )
    assert.deepEqual(
      described.map((name) => name.toLowerCase()).toSorted(),
      named.map((name) => name.toLowerCase()).toSorted(),
    )
  })

  test(`${id}: the examples are valid`, () => {
    for (const schema of [operation.body, operation.answer.schema]) {
      if (!schema) continue
      const example = exampleOf(plainSchema(schema))
      assert.ok(Schema.Compile(schema).Check(example), JSON.stringify(example, null, 2))
    }
  })
}

test('every example of an error is valid', () => {
  const check = Schema.Compile(ErrorSchema)
  for (const [, operation] of apiOperations)
    for (const code of errorsOf(operation)) assert.ok(check.Check(errorExample(code)), code)
})

/** With each reference replaced by what it stands for. */
function resolved(schema: unknown): object {
  const copy: object = JSON.parse(
    JSON.stringify(schema, (_name, part: unknown) => {
      const ref = at(part, '$ref')
      return typeof ref === 'string' ? at(description, ...ref.replace('#/', '').split('/')) : part
    }),
  )
  return copy
}

test('each webhook: the data of its event, or of a test, and nothing else', () => {
  for (const type of eventTypes) {
    const body = at(
      description,
      'webhooks',
      type,
      'post',
      'requestBody',
      'content',
      'application/json',
      'schema',
    )
    const check = Schema.Compile(resolved(body))
    const head = {
      id: 'evt_019aa5a17f007c319a5e3b1f6c2d8e40',
      type,
      created_at: '2026-11-21T08:30:00.000Z',
    }
    assert.ok(check.Check({ ...head, data: exampleOf(plainSchema(eventKinds[type].data)) }), type)
    assert.ok(check.Check({ ...head, data: { test: true } }), `a test of ${type}`)
    for (const data of [{}, { test: false }, 'test'])
      assert.ok(!check.Check({ ...head, data }), type)
  }
})

test('429, 500 and 503 say that Retry-After may come', () => {
  for (const name of ['RateLimitExceeded', 'InternalError', 'Unavailable']) {
    assert.ok(
      keysAt(description, 'components', 'responses', name, 'headers').includes('Retry-After'),
    )
  }
})

test('nothing of the schema library is left, and every reference leads somewhere', () => {
  for (const [key, text] of textsWithin(description)) {
    assert.ok(!key.startsWith('~') && key !== '$id', key)
    if (key !== '$ref') continue
    const steps = text.replace('#/', '').split('/')
    assert.notEqual(at(description, ...steps), undefined, text)
  }
})
