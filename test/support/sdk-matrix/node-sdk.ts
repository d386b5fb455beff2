/** Makes calls with Resend's SDK for Node.js. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Resend } from 'resend'
import { at } from '../json.ts'
import type { Sdk } from './sdk.ts'

const anything = {
  ...Object.fromEntries(
    'id email contactId emailId automationId runId domainId webhookId eventId inboxId draftId labelId threadId inbox segmentId'
      .split(' ')
      .map((name) => [name, 'x']),
  ),
  ...{ steps: [], connections: [], toString: () => 'x' },
}

/** Calls whose options are none of these names. */
const takesNothing = new Set(['emails.metrics'])

/** `RESEND_BASE_URL` says where it calls, `RESEND_API_KEY` with which key. */
export function openNodeSdk(): Sdk {
  const resend = new Resend()
  return {
    version: versionOf(),
    nameOf: (call) => call,
    // Another test compares its calls with the table.
    callsBeside: () => [],
    async make(call, values) {
      const [method = '', ...names] = call.split('.').toReversed()
      const part = at(resend, ...names.toReversed())
      const work = at(part, method)
      assert.ok(typeof work === 'function' && typeof part === 'object' && part !== null, call)
      const args = values?.args ?? (takesNothing.has(call) ? [] : [anything, anything])
      const { data, error } = Object(await Reflect.apply(work, part, [...args]))
      return error
        ? { error: { status: error.statusCode, name: error.name, message: error.message } }
        : { data }
    },
    close: () => undefined,
  }
}

function versionOf(): string {
  const file = new URL('../../../node_modules/resend/package.json', import.meta.url)
  return String(at(JSON.parse(readFileSync(file, 'utf8')), 'version'))
}
