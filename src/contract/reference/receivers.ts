/**
 * Lists webhook receivers in several languages: the reference shows each file whole, and tests run
 * it unchanged.
 */
import { readFileSync } from 'node:fs'
import { code, folded } from './markdown.ts'

/** In display order. */
export const receivers = [
  { file: 'node.mjs', title: 'Node.js, nothing installed', language: 'js' },
  { file: 'express.mjs', title: 'Express', language: 'js' },
  { file: 'fastify.mjs', title: 'Fastify', language: 'js' },
  {
    file: 'next.mts',
    title: 'Next.js, and whatever answers a Request with a Response',
    language: 'ts',
  },
  { file: 'standard-webhooks.mjs', title: 'The standardwebhooks package', language: 'js' },
  { file: 'plain.py', title: 'Python, nothing installed', language: 'python' },
  { file: 'flask_app.py', title: 'Flask', language: 'python' },
  { file: 'receiver.go', title: 'Go', language: 'go' },
  { file: 'receiver.php', title: 'PHP', language: 'php' },
  { file: 'receiver.rb', title: 'Ruby', language: 'ruby' },
] as const

export const receiversText = (): string =>
  receivers
    .map(({ file, title, language }, index) =>
      folded(
        title,
        code(
          language,
          readFileSync(new URL(`receivers/${file}`, import.meta.url), 'utf8').trimEnd(),
        ),
        index === 0 ? 'open' : 'closed',
      ),
    )
    .join('\n\n')
