/** `facteur start` for help and reference only: main.ts starts the service itself. */
import { defineCommand } from './command.ts'
import { textFlag } from './parameters.ts'

export const startCommand = defineCommand({
  name: 'start',
  summary:
    'Start the service: API, workers, and the embedded database unless DATABASE_URL names another',
  flags: {
    role: textFlag(
      'R,R',
      'Only these parts: api, worker, inbound, submission. Several processes share one DATABASE_URL.',
    ),
  },
  examples: ['start', 'start --role worker'],
  run: () => Promise.reject(new Error('main.ts starts the service')),
})
