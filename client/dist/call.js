/**
 * One call over HTTP: repeated where that can do nothing twice, and answered with the body or
 * thrown as a `FacteurError`.
 */
import { readRefusal } from './facteur-error.js';
/** Longest pause that is waited for, in seconds: a minute is what the request rate can ask for. */
const pauseMaxSeconds = 60;
export async function call(sender, outgoing, options) {
    for (let left = sender.retries;; left--) {
        const outcome = await attempt(sender, outgoing, options);
        if ('body' in outcome)
            return outcome.body;
        const pauseMs = left > 0 ? pauseBefore(outcome, outgoing, sender.retries - left) : null;
        if (pauseMs === null)
            throw outcome.refusal ?? outcome.lost;
        await pause(pauseMs, options.signal);
    }
}
async function attempt(sender, outgoing, { signal, onAnswer }) {
    signal?.throwIfAborted();
    const { url, method, headers, body } = outgoing;
    const request = {
        method,
        headers,
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
    };
    let answer;
    let text;
    try {
        answer = await sender.fetch(url, request);
        text = await answer.text();
    }
    catch (error) {
        signal?.throwIfAborted();
        return { lost: error };
    }
    const read = answer.ok ? parse(text) : undefined;
    if (read === undefined)
        return { refusal: readRefusal(answer, text) };
    onAnswer?.({
        status: answer.status,
        headers: answer.headers,
        requestId: answer.headers.get('x-request-id') ?? undefined,
    });
    return { body: read };
}
/**
 * Undefined for what is no JSON: a page of something in between, or an address that is not the
 * service's.
 */
function parse(text) {
    try {
        const read = JSON.parse(text);
        return read;
    }
    catch {
        return undefined;
    }
}
/**
 * How long to wait before the next attempt; null: there is none. A call over the request rate has
 * done nothing and waits for `Retry-After`. One that was lost, or failed on the service's side, is
 * repeated when it is `repeatable`. `send_failed` is the provider's word on the message: it would
 * not change.
 */
function pauseBefore({ refusal }, { repeatable }, repeats) {
    const seconds = refusal?.retryAfter;
    if (seconds !== undefined && seconds > pauseMaxSeconds)
        return null;
    const mayPass = refusal === undefined || (refusal.status >= 500 && refusal.code !== 'send_failed');
    if (refusal?.status === 429 || (mayPass && repeatable))
        return seconds === undefined ? 500 * 2 ** repeats * (0.5 + Math.random()) : seconds * 1000;
    return null;
}
function pause(ms, signal) {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
        const end = () => {
            clearTimeout(timer);
            reject(reasonOf(signal));
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener('abort', end);
            resolve();
        }, ms);
        signal?.addEventListener('abort', end, { once: true });
    });
}
const reasonOf = (signal) => signal?.reason instanceof Error
    ? signal.reason
    : new Error('The call was ended', { cause: signal?.reason });
