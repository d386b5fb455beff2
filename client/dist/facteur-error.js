/**
 * Logic reads `code`; `message` is for people, in the language of the client, and may be rephrased.
 */
export class FacteurError extends Error {
    name = 'FacteurError';
    /** The HTTP status. */
    status;
    code;
    /** The values that a program needs to fix the problem. */
    details;
    /** Quote it when you ask for help. */
    requestId;
    /** Seconds after which the same call may pass. */
    retryAfter;
    constructor(fields) {
        super(fields.message);
        this.status = fields.status;
        this.code = fields.code;
        this.details = fields.details;
        this.requestId = fields.requestId;
        this.retryAfter = fields.retryAfter;
    }
}
/**
 * Reads a refusal; what is not the service's own answer (a proxy's page) is an `internal_error`
 * with its status.
 */
export function readRefusal(answer, text) {
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
    const common = {
        status: answer.status,
        requestId: answer.headers.get('x-request-id') ?? undefined,
        retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    };
    const error = errorOf(text);
    if (error)
        return new FacteurError({ ...common, ...error });
    const message = `${answer.status} ${answer.statusText}`.trim();
    return new FacteurError({
        ...common,
        code: 'internal_error',
        message,
        details: { body: text.slice(0, 500) },
    });
}
function errorOf(text) {
    try {
        const { error } = JSON.parse(text);
        if (!error || typeof error.code !== 'string')
            return null;
        return { code: error.code, message: error.message ?? error.code, details: error.details ?? {} };
    }
    catch {
        return null;
    }
}
