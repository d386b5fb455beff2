/**
 * Builds the pages into the given folder: each file plain and compressed, and last the hash of the
 * sources.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { viteConfig } from './vite-config.ts'

const [folder, inputs] = process.argv.slice(2)
if (folder === undefined || inputs === undefined)
  throw new Error('Give the folder to build into, and the hash of what is built')

try {
  await build(viteConfig(folder))
} catch (error) {
  // The stack of the builder does not help.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
compress(folder)
writeFileSync(join(folder, 'built-from'), inputs)

/** The build compresses text once, 3 to 5 times smaller, so that no answer waits for it. */
function compress(built: string): void {
  const files = readdirSync(built, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((path) => /\.(?:js|css|svg)$/.test(path))) {
    const content = readFileSync(join(built, file))
    const brotli = {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 10,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }
    writeFileSync(join(built, `${file}.br`), brotliCompressSync(content, brotli))
    writeFileSync(join(built, `${file}.gz`), gzipSync(content, { level: 9 }))
  }
}
