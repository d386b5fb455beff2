/** Renders docs/command-line.md from the table of commands. */
import type { Command } from './command.ts'
import { groupsOf, usageOf, parameterWords } from './parse.ts'

const opening = `# The operator's command line

Generated from \`src/entrypoints/cli/commands.ts\` by \`npm run docs\`.

In a checkout: \`npm run -s facteur -- COMMAND …\`, \`npx facteur COMMAND …\` or \`node bin/facteur.mjs COMMAND …\`. With Docker:
\`docker compose exec facteur facteur COMMAND …\`. Hints spell the next command as you called this one. Commands read the same settings as the
service (\`FACTEUR_DATA\`, \`DATABASE_URL\`, …) and work while it runs. With the service stopped, a command starts the database of
\`FACTEUR_DATA\` for its own duration. A command brings the database to this version's schema first, as a start does.

* **W** is a workspace: its id (\`1\`) or its slug (\`acme\`).
* Flags are \`--name value\` or \`--name=value\`, anywhere after the command; after \`--\`, words are arguments even where they begin
  with a hyphen. \`--help\` works at every level.
* **\`--json\`** prints exactly one JSON document on standard output: the object with its \`id\`, \`{"data": […]}\` for a list, or
  \`{"error": {"code", "message"}}\`. The \`id\` of a domain or a plan is its name, of everything about a person the address, of a
  provider or a setting the workspace's. \`doctor\`, \`migrate\` and \`--help\` answer about the installation, and a rehearsed import
  (\`--dry-run\`) stores nothing: they have none. Codes: \`usage\`, \`not_found\`, \`conflict\`, \`refused\`, \`failed\` (something around us: a setting, the
  database), \`stopped\` (Ctrl-C), \`internal_error\`. A list that \`--limit\` cut has \`"has_more": true\`. Times are RFC 3339 in UTC. A list is written page by page as it is read: one that breaks off leaves
  a document without its end, and exit code 1.
* Without \`--json\`, results are on standard output, and errors and progress on standard error.

| Exit code | Meaning |
|---|---|
| 0 | done |
| 1 | refused, not found, or failed |
| 2 | a line that cannot be understood: an unknown command or flag, a value that is missing or cannot be read |
| 130 | stopped by Ctrl-C |
`

export function commandReference(commands: readonly Command[]): string {
  const groups = groupsOf(commands).map((group) => {
    const members = commands.filter(({ name }) => name.split(' ')[0] === group)
    return `\n## ${group}\n${members.map(describe).join('')}`
  })
  return opening + groups.join('')
}

function describe(command: Command): string {
  const rows = parameterWords(command).map(
    ({ word, text, required }) =>
      `| \`${inTable(word)}\` | ${required ? 'required' : ''} | ${inTable(text)} |\n`,
  )
  const heading = command.name.includes(' ') ? `\n### ${command.name}\n` : ''
  const table = rows.length > 0 ? `\n| | | |\n|---|---|---|\n${rows.join('')}` : ''
  const examples = command.examples.map((example) => `facteur ${example}\n`).join('')
  return `${heading}\n${command.summary}.${command.note ? ` ${command.note}` : ''}\n\n    ${usageOf(command)}\n${table}\n\`\`\`sh\n${examples}\`\`\`\n`
}

const inTable = (text: string): string => text.replaceAll('|', '\\|')
