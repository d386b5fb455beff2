// The health check of the image: 0 while the service of this container lives, or with `/readyz`
// while it is ready. It asks the port that the service's role has. A container without a database
// lives: replacing it would mend nothing.
import { readFileSync } from 'node:fs'

const [path = '/healthz'] = process.argv.slice(2)
const { FACTEUR_HOST: host = '', FACTEUR_PORT, FACTEUR_HEALTH_PORT } = process.env

/** The container's command: the first process has its words, also behind an init. */
const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0')
const roles = words.flatMap((word, at) =>
  word === '--role' ? [words[at + 1]] : word.startsWith('--role=') ? [word.slice(7)] : [],
)
const servesApi = roles.length === 0 || roles.join().split(',').includes('api')
const port = servesApi ? FACTEUR_PORT || '3025' : FACTEUR_HEALTH_PORT
if (!port)
  throw new Error('A process without the api role is asked on FACTEUR_HEALTH_PORT, which is empty')
const reachable = ['', '0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host

try {
  const answer = await fetch(
    `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}${path}`,
    {
      signal: AbortSignal.timeout(2_500),
    },
  )
  process.stdout.write(`${await answer.text()}\n`)
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  process.stdout.write(`Nothing answers on port ${port}: ${error.cause?.code ?? error.message}\n`)
  process.exitCode = 1
}
