/** `facteur start` for help and reference only: main.ts starts the service itself. */
import { defineCommand } from './command.ts'
import { readText } from './values.ts'

export const startCommand = defineCommand({
  name: 'start',
  summary: 'Starts the service: API, workers, and the embedded database unless DATABASE_URL names another',
  arguments: {},
  flags: {
    role: {
      value: 'R,R',
      text: 'Only these parts: api, worker, inbound. Several processes share one DATABASE_URL.',
      required: false,
      read: readText,
    },
  },
  examples: ['start', 'start --role worker'],
  run: () => Promise.reject(new Error('main.ts starts the service')),
})
