/** How the pages become files: one page below /app/, hashed names, no script inline, a nonce for the shell's styles and those of run time. */
import { join } from 'node:path'
import type { InlineConfig } from 'vite'
import { emitContract } from './emit-contract.ts'
import { splitTexts } from './split-texts.ts'
import { stylesLast } from './styles-last.ts'

/** Stands in index.html wherever the server writes the nonce of an answer. */
export const noncePlace = 'nonce-of-this-answer'

export const web = join(import.meta.dirname, '..')

export const viteConfig = (outDir: string): InlineConfig => ({
  ...{ root: web, base: '/app/', configFile: false, envDir: false, publicDir: false, logLevel: 'error' },
  plugins: [emitContract(), splitTexts(join(web, 'src', 'texts')), stylesLast()],
  html: { cspNonce: noncePlace },
  build: {
    ...{ outDir, emptyOutDir: true, target: 'es2023', reportCompressedSize: false, chunkSizeWarningLimit: 1_000 },
    // The browsers that know light-dark(), which is otherwise rewritten into something that asks for a scheme of its own.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // An image as data: would need a wider policy than files do.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The browser loads the code that every page needs as one file, not as forty.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'base', tags: ['$initial'] }] } } },
  },
})
