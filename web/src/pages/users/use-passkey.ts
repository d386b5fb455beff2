/** Has the browser ask for a passkey, and returns its signature. */
import { api, type CallInput } from '../../api/client.ts'

export type PasskeyAnswer = CallInput<'signInWithPasskey'>['body']

export const hasPasskeys = (): boolean => 'PublicKeyCredential' in window

/** Passkeys belong to host names; an IP address never has any (Web Authentication 5.1.4.1). */
const isName = (host: string): boolean => /[a-z]/i.test(host) && !host.includes(':')

/** Whether this page's host can be any passkey's. */
export const mayHavePasskeys = (): boolean => hasPasskeys() && isName(window.location.hostname)

/** Whether this page has the machine's own IP address, whose passkeys are those of `localhost`. */
export const isLoopbackNumber = (): boolean =>
  /^(?:127(?:\.\d+){3}|\[::1\])$/.test(window.location.hostname)

/** Says why no passkey came: the user left, or passkeys belong to another host than this page. */
export class NoPasskey extends Error {
  /** Passkeys work on this host. Null means the user left. */
  readonly host: string | null

  constructor(host: string | null) {
    super('No passkey')
    this.host = host
  }
}

/** Throws NoPasskey, or the service's refusal. */
export async function takePasskey(): Promise<PasskeyAnswer> {
  const { challenge_id: challengeId, options } = await api.askPasskey()
  checkHost(options.rpId)
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const { id, rawId, type, response } = await startAuthentication({ optionsJSON: options }).catch(
    throwNone,
  )
  return {
    challenge_id: challengeId,
    response: { id, rawId, type, response, clientExtensionResults: {} },
  }
}

/** Makes a new passkey under the name that the user gave it. */
export async function makePasskey(name: string): Promise<CallInput<'addPasskey'>['body']> {
  const { challenge_id: challengeId, options } = await api.askNewPasskey()
  checkHost(options.rp.id)
  const { startRegistration } = await import('@simplewebauthn/browser')
  const { id, rawId, type, response } = await startRegistration({ optionsJSON: options }).catch(
    throwNone,
  )
  const { clientDataJSON, attestationObject, transports = [] } = response
  const attestation = { clientDataJSON, attestationObject, transports: [...transports] }
  return {
    challenge_id: challengeId,
    name,
    response: { id, rawId, type, response: attestation, clientExtensionResults: {} },
  }
}

function checkHost(host: string): void {
  if (!isPasskeyHost(host)) throw new NoPasskey(host)
}

/** Whether passkeys work on this page. */
export const isPasskeyHost = (host: string): boolean =>
  host === window.location.hostname && isName(host)

function throwNone(): never {
  throw new NoPasskey(null)
}
