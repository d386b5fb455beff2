/** The call is not to be believed: answer 400 and do nothing. */
export class WebhookSignatureError extends Error {
    name = 'WebhookSignatureError';
}
/**
 * The event, once the signature holds. Throws a `WebhookSignatureError` otherwise. Keep its `id`:
 * the same event may come twice.
 */
export async function verifyWebhook(received) {
    const { headers, secret, ageMaxSeconds = 300 } = received;
    const body = typeof received.body === 'string' ? new TextEncoder().encode(received.body) : received.body;
    const { at, signatures } = readSignature(headerOf(headers, 'service-signature'));
    if (Math.abs(Date.now() / 1000 - at) > ageMaxSeconds)
        throw new WebhookSignatureError('The signature is too old');
    const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), mac, false, [
        'verify',
    ]);
    const signed = join(new TextEncoder().encode(`${at}.`), body);
    for (const signature of signatures) {
        // Web Crypto compares in constant time (W3C Web Cryptography 31.6.2).
        if (!(await crypto.subtle.verify('HMAC', key, signature, signed)))
            continue;
        const event = JSON.parse(new TextDecoder().decode(body));
        return event;
    }
    throw new WebhookSignatureError('The signature does not fit the body and the secret');
}
const mac = { name: 'HMAC', hash: 'SHA-256' };
/** `t=<unix seconds>,v1=<hex>`; while a secret is being replaced there is a `v1` for each. */
function readSignature(header) {
    const parts = header.split(',').map((part) => part.trim().split('='));
    const at = Number(parts.find(([name]) => name === 't')?.[1]);
    const signatures = parts.flatMap(([name, hex = '']) => name === 'v1' && /^[0-9a-f]{64}$/.test(hex) ? [bytesOf(hex)] : []);
    if (!Number.isInteger(at) || signatures.length === 0)
        throw new WebhookSignatureError('There is no signature');
    return { at, signatures };
}
const bytesOf = (hex) => new Uint8Array((hex.match(/../g) ?? []).map((octet) => Number.parseInt(octet, 16)));
function join(first, second) {
    const joined = new Uint8Array(first.length + second.length);
    joined.set(first);
    joined.set(second, first.length);
    return joined;
}
function headerOf(headers, name) {
    if (headers instanceof Headers)
        return headers.get(name) ?? '';
    const match = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? '';
    return Array.isArray(match) ? (match[0] ?? '') : match;
}
