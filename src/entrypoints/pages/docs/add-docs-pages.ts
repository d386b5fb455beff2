/**
 * The reference for developers and agents: `/docs` to read and to try, `/docs/*.md`, `/llms.txt`
 * and `/llms-full.txt` as text.
 */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../../contract/errors.ts'
import { guides, standAlone } from '../../../contract/reference/guides.ts'
import { llmsIndex } from '../../../contract/reference/llms-index.ts'
import { reference } from '../../../contract/reference.ts'
import type { Service } from '../../../core/context.ts'
import { chooseLanguage } from '../../../core/dispatch/call.ts'
import type { AnswerPageRequest } from '../../../core/dispatch/answer-page-request.ts'
import { acceptedCodings } from '../../../ground/accepted-codings.ts'
import { readPageStyle } from '../read-page-style.ts'
import { renderReference } from './render-reference.ts'

/** Our own script, style and pictures; calls to this origin alone; in no frame. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

const files = [
  ['style.css', 'text/css; charset=utf-8', readPageStyle('docs')],
  ['try.js', 'text/javascript; charset=utf-8', readFileSync(new URL('try.js', import.meta.url))],
  ['icon.svg', 'image/svg+xml', readFileSync(new URL('icon.svg', import.meta.url))],
] as const

export function addDocsPages(
  server: FastifyInstance,
  service: Service,
  answerPage: AnswerPageRequest,
): void {
  const { baseUrl, language: usual } = service.settings
  const counted = (
    path: string,
    answer: (request: FastifyRequest, reply: FastifyReply) => CompressedText,
  ): void => {
    server.get(path, async (request, reply) => {
      const pageRequest = {
        address: request.ip,
        requestId: request.id,
        headers: request.raw.headers,
      }
      const { code, status, headers, body } = await answerPage(pageRequest, () => null)
      reply.headers({
        ...headers,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'same-origin',
      })
      return code === null
        ? sendCompressed(request, reply, answer(request, reply))
        : reply.code(status).send(body)
    })
  }

  const page = (language: Language) => once(() => renderReference(baseUrl, language).markup)
  const pages: Record<Language, () => CompressedText> = { fr: page('fr'), en: page('en') }
  counted('/docs', (request, reply) => {
    const language = chooseLanguage(request.headers['accept-language'], usual)
    const type = 'text/html; charset=utf-8'
    reply.headers({
      'Content-Type': type,
      'Content-Language': language,
      'Content-Security-Policy': pagePolicy,
      Vary: 'Accept-Language, Accept-Encoding',
    })
    return pages[language]()
  })

  const whole = once(() => reference(baseUrl))
  const texts: Record<string, () => CompressedText> = {
    '/llms.txt': once(() => llmsIndex(baseUrl)),
    '/llms-full.txt': whole,
    '/docs/api.md': whole,
    ...Object.fromEntries(
      guides(baseUrl).map((guide) => [`/docs/${guide.file}`, once(() => standAlone(guide))]),
    ),
  }
  for (const [path, text] of Object.entries(texts)) {
    const type = path.endsWith('.md') ? 'text/markdown' : 'text/plain'
    counted(path, (_request, reply) => {
      reply.headers({
        'Content-Type': `${type}; charset=utf-8`,
        'Access-Control-Allow-Origin': '*',
        Vary: 'Accept-Encoding',
      })
      return text()
    })
  }

  for (const [name, type, content] of files)
    server.get(`/docs/${name}`, (_request, reply) =>
      reply
        .headers({
          'Content-Type': type,
          'Cache-Control': 'public, max-age=3600',
          'X-Content-Type-Options': 'nosniff',
        })
        .send(content),
    )
}

interface CompressedText {
  plain: string
  gzip: Buffer
}

/**
 * Texts and pages are rendered and compressed at the first request: a start does not wait for them.
 */
function once(write: () => string): () => CompressedText {
  let text: CompressedText | null = null
  return () => (text ??= compress(write()))
}

/** No page here holds a secret, so its length may depend on what is in it. */
const compress = (plain: string): CompressedText => ({ plain, gzip: gzipSync(plain) })

function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  { plain, gzip }: CompressedText,
): FastifyReply {
  if (!acceptedCodings(request.headers['accept-encoding']).has('gzip')) return reply.send(plain)
  return reply.header('Content-Encoding', 'gzip').send(gzip)
}
