/** Makes a client: one method for each operation of the API, under the operation's name. */
import { call } from './call.js';
import { routes } from './operations.js';
/**
 * Each method throws a `FacteurError` on a refusal, and what `fetch` throws when nothing answers.
 */
export function createClient(options) {
    const sender = {
        fetch: options.fetch ?? ((...request) => fetch(...request)),
        retries: options.retries ?? 2,
    };
    const methods = Object.entries(routes).map(([name, route]) => [
        name,
        methodOf(route, options, sender),
    ]);
    return typed(Object.fromEntries(methods));
}
/** Arguments: what the path names, then body or query, then options. */
function methodOf(route, options, sender) {
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    return (...args) => {
        const [content, own = {}] = route.gives === null ? [undefined, args[names.length]] : args.slice(names.length);
        const { idempotencyKey, ...callOptions } = own ?? {};
        const key = route.keyed ? (idempotencyKey ?? crypto.randomUUID()) : undefined;
        const outgoing = {
            url: options.baseUrl.replace(/\/+$/, '') +
                pathOf(route, args) +
                (route.gives === 'query' ? queryOf(content) : ''),
            method: route.method,
            headers: headersOf(options, { hasBody: route.gives === 'body', key }),
            body: route.gives === 'body' ? JSON.stringify(content) : undefined,
            repeatable: route.method === 'GET' || key !== undefined,
        };
        return call(sender, outgoing, callOptions);
    };
}
/**
 * An argument that is missing would reach another path, and so would one that addresses fold away
 * (`.` and `..`): refused here.
 */
function pathOf({ path }, args) {
    let index = 0;
    return path.replace(/\{(\w+)\}/g, (_, name) => {
        const value = args[index++];
        if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
            throw new TypeError(`\`${name}\` is missing`);
        return encodeURIComponent(value);
    });
}
function queryOf(query) {
    const asked = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {}))
        if (value != null)
            asked.set(name, String(value));
    return asked.size > 0 ? `?${asked.toString()}` : '';
}
const headersOf = ({ apiKey, language }, { hasBody, key }) => ({
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    ...(language !== undefined && { 'accept-language': language }),
    ...(hasBody && { 'content-type': 'application/json' }),
    ...(key !== undefined && { 'idempotency-key': key }),
});
/**
 * The methods under their types: both are made from the same table, and the service holds its
 * answers to the same schemas.
 */
const typed = (methods) => methods;
