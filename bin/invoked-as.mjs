// How a person called the command line, which its hints repeat. Plain JavaScript for Node 18 and
// newer.
import { basename, relative } from 'node:path'

/** `script`: the file that Node runs. A wrapper puts its own call into FACTEUR_INVOKED_AS. */
export function invokedAs(script, env = process.env) {
  if (env.FACTEUR_INVOKED_AS) return env.FACTEUR_INVOKED_AS
  if (env.npm_command === 'exec') return 'npx facteur'
  if (['start', 'dev', 'facteur'].includes(env.npm_lifecycle_event)) return 'npm run -s facteur --'
  // A link on the PATH.
  if (basename(script) === 'facteur') return 'facteur'
  return `node ${relative('', script)}`
}
