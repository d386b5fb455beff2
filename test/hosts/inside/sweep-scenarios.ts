/**
 * Plays scenarios on hosts as `npm run sweep` asks for them, which runs this in namespaces with the
 * same options: `OPTIONS NAME…`.
 */
import { parseArgs } from 'node:util'
import { sweepScenarios } from '../../faults/sweep-scenarios.ts'
import { hostScenarios } from '../host-scenarios.ts'
import { hostsOfProcess } from '../hosts-world.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string', default: '1' },
    small: { type: 'boolean', default: false },
    broken: { type: 'string' },
  },
})
const { seed, rounds, small, broken } = values
const options = {
  rounds: Number(rounds),
  small,
  ...(seed && { seed: Number(seed) }),
  ...(broken && { broken }),
}
const stored = await sweepScenarios(
  hostScenarios.filter(({ name }) => positionals.includes(name)),
  options,
)
await (await hostsOfProcess()).close()
process.exit(stored ? 0 : 1)
