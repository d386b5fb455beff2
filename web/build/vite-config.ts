/**
 * Builds the pages below /app/ with hashed names, no inline script, and a nonce for the styles of
 * the shell and of run time.
 */
import { join } from 'node:path'
import type { InlineConfig } from 'vite'
import { emitContract } from './emit-contract.ts'
import { splitTexts } from './split-texts.ts'
import { stylesLast } from './styles-last.ts'

/** The server replaces this in index.html by the nonce of the answer. */
export const noncePlace = 'nonce-of-this-answer'

export const web = join(import.meta.dirname, '..')

export const viteConfig = (outDir: string): InlineConfig => ({
  ...{
    root: web,
    base: '/app/',
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'error',
  },
  plugins: [emitContract(), splitTexts(join(web, 'src', 'texts')), stylesLast()],
  html: { cspNonce: noncePlace },
  build: {
    ...{
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1_000,
    },
    // These browsers know light-dark(); for others the build would replace it by rules that need a
    // scheme of their own.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // An inlined image (data:) would need a wider policy than a file does.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The browser loads the code that every page needs as one file, not as forty.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'base', tags: ['$initial'] }] } },
    },
  },
})
