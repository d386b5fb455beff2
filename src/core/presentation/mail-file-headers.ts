/** Gives third-party content, such as a mail's HTML, a policy under which it runs and loads nothing. */
import type { OutgoingFile } from '../../contract/operation.ts'
import type { OperationId } from '../../contract/operations.ts'
import { imageFolder } from './image-address.ts'

interface FileRequest {
  operation: OperationId
  incoming: {
    query: Record<string, string>
    headers: { host?: string | undefined }
  }
  baseUrl: string
}

export function mailFileHeaders(
  file: OutgoingFile | undefined,
  { operation, incoming: { query, headers }, baseUrl }: FileRequest,
): Record<string, string> {
  const plain = { 'Referrer-Policy': 'no-referrer' }
  if (!file?.type.startsWith('text/html'))
    return file ? { ...plain, 'Content-Security-Policy': "sandbox; default-src 'none'" } : plain
  const images = query['images'] === '1' ? 'https: http:' : ownPictures(headers.host, baseUrl)
  return {
    ...plain,
    'Content-Security-Policy': `${sandboxOf(operation)}; default-src 'none'; style-src 'unsafe-inline'; img-src data: ${images}; frame-ancestors 'self'`,
  }
}

/**
 * The page around a captured mail measures it, so that its frame is as high. Scripts, forms and
 * leaving the frame stay forbidden: by the sandbox, and scripts by the policy too.
 */
const sandboxOf = (operation: OperationId): string =>
  operation === 'getCapturedHtml' ? 'sandbox allow-same-origin' : 'sandbox'

/**
 * The folder of pictures, under our own and the requested host name; requests to other paths could
 * count as opens.
 */
function ownPictures(host: string | undefined, baseUrl: string): string {
  const hosts = new Set([new URL(baseUrl).host])
  if (host !== undefined && /^(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/i.test(host)) hosts.add(host)
  return [...hosts].map((each) => each + imageFolder).join(' ')
}
