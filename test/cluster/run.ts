/**
 * `npm run test:cluster [-- FILE…]`: the whole API, a campaign of 20,000 and the promises of the
 * crash sweep on a cluster, with every workspace in a cell that is on a node. FACTEUR_TEST_CLUSTER
 * names the script that starts one (CONTRIBUTING.md); without it this says `skipped`.
 */
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { PROMISES_ONLY } from '../faults/scenario.ts'
import { PROGRAM, programFile } from '../support/program.ts'
import { mixed, runFiles } from '../support/run-files.ts'
import { useMemoryForTemporaryFiles } from '../support/temporary-folder.ts'
import { notHere } from './not-here.ts'
import { startCluster } from './start-cluster.ts'
import { NoCluster } from './start-nodes.ts'

const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { 'test-name-pattern': { type: 'string', multiple: true, default: [] } },
})

/** The longest one comes first. */
const all = [
  'test/cluster/moves.ts',
  ...mixed([
    'test/cluster/campaign.ts',
    'test/cluster/grown.ts',
    ...globSync(['test/api/*.test.ts', 'test/faults/*.test.ts']),
  ]),
]
const files = named.length > 0 ? globSync(named) : all.filter((file) => !(file in notHere))

useMemoryForTemporaryFiles()
try {
  const stop = await startCluster(process.env['FACTEUR_TEST_CLUSTER'])
  try {
    if (named.length === 0) {
      for (const [file, why] of Object.entries(notHere)) console.log(`skipped: ${file}: ${why}`)
      console.log(
        'skipped: the broken variants of the crash sweep: npm test plays them; a file that is named here plays its own',
      )
      process.env[PROMISES_ONLY] = 'true'
    }
    process.env[PROGRAM] = programFile
    // Three servers share the processors with the tests, and what a caller waits for is part of
    // some promises.
    await runFiles(files, options['test-name-pattern'], { atOnce: availableParallelism() })
  } finally {
    stop()
  }
} catch (error) {
  if (!(error instanceof NoCluster)) throw error
  console.log(`skipped: ${error.message}`)
}
// What an ended file has started may still hold its output open.
process.exit()
