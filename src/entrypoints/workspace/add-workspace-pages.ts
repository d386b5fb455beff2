/**
 * The pages of the workspace, as `npm start` built them (bin/pages.mjs): one page for every address
 * below /app, and its hashed files.
 *
 * They are read once: a newer build on the disk belongs to the next start.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isPageName } from '../../contract/page-names.ts'
import { acceptedCodings } from '../../ground/accepted-codings.ts'
import { readBuiltPages, type BuiltFile, type Shell } from './read-built-pages.ts'

/** Only our own files; a nonce for the styles that are made at run time; in no frame (CSP3). */
const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Headers of every answer here. */
const always = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'same-origin' }

export function addWorkspacePages(server: FastifyInstance): void {
  const { index, files } = readBuiltPages()
  const sendPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const nonce = randomBytes(16).toString('base64')
    return reply
      .headers({
        ...always,
        'Content-Type': 'text/html; charset=utf-8',
        // Each answer has its own nonce, and names the files of the build that runs.
        'Cache-Control': 'no-store',
        'Content-Security-Policy': policyWith(nonce),
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
      })
      .send(index({ nonce, shell: shellOf(request.url) }))
  }
  server.get('/', (_request, reply) => reply.headers(always).redirect('/app', 302))
  server.get('/app', sendPage)
  server.get('/app/*', sendPage)
  server.get<{ Params: { file: string } }>('/app/assets/:file', (request, reply) => {
    const file = files.get(request.params.file)
    return file
      ? sendFile(request, reply.headers(always), file)
      : reply
          .code(404)
          .headers({ ...always, 'Cache-Control': 'no-store' })
          .send()
  })
}

/** By the first word below /app. */
const shellOf = (url: string): Shell => {
  const word = /^\/app\/([^/?]+)/.exec(url)?.[1]
  return word === undefined || isPageName(word) ? 'shell-person' : 'shell-workspace'
}

/** A file's name changes with its content, so that a browser never asks twice for it (RFC 8246). */
function sendFile(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply {
  const accepted = acceptedCodings(request.headers['accept-encoding'])
  const form = (['br', 'gzip'] as const).find(
    (coding) => file[coding] !== null && accepted.has(coding),
  )
  if (form) reply.header('Content-Encoding', form)
  return reply
    .headers({
      'Content-Type': file.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
    })
    .send(form ? file[form] : file.plain)
}
