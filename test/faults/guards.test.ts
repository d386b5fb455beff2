/**
 * The names of failpoints mean something in the code: else a kill would never come, and a broken
 * variant break nothing.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { guards } from '../../src/database/client/break-statements.ts'
import { hostScenarios } from '../hosts/host-scenarios.ts'
import { places as placesOfCampaigns } from './campaign-killed.ts'
import { places as placesOfApi } from './one-key.ts'
import { scenarios } from './scenarios.ts'
import { places as placesOfWebhooks } from './webhook-delivered.ts'
import { places as placesOfWorker } from './worker-killed.ts'

const read = (pattern: string): string =>
  globSync(pattern, { exclude: ['src/database/client/break-statements.ts'] })
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')

const source = read('src/**/*.ts')

for (const failpoint of new Set(
  [...placesOfApi, ...placesOfWorker, ...placesOfCampaigns, ...placesOfWebhooks].map(
    (text) => text.split(':')[0] ?? '',
  ),
)) {
  test(`${failpoint} is a place in the code`, () => assert.ok(source.includes(`'${failpoint}'`)))
}

for (const name of new Set([...scenarios, ...hostScenarios].flatMap(({ broken }) => broken))) {
  test(`${name} breaks something`, () => {
    const changes = guards[name]
    if (changes === undefined) assert.ok(source.includes(`broken('${name}')`))
    else
      for (const [from] of changes)
        assert.ok(read('src/{db,database}/**/*.ts').includes(from), `No statement has: ${from}`)
  })
}
