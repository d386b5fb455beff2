// Answers, metrics and texts name requirements: each has one name, of letters and underscores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkedRequirements,
  requirements,
  type Requirement,
} from '../../src/contract/requirements.ts'

test('each requirement has one name, fit for a label of metrics and a key of texts', () => {
  const names: readonly Requirement[] = requirements
  assert.equal(new Set(names).size, names.length)
  for (const name of names) assert.match(name, /^[a-z]+(_[a-z]+)*$/)
  for (const checked of checkedRequirements) assert.ok(names.includes(checked))
})
