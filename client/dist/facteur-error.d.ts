/** A refusal by the service, as programs read it. */
import type { ErrorCode } from './schemas.js';
/**
 * Logic reads `code`; `message` is for people, in the language of the client, and may be rephrased.
 */
export declare class FacteurError extends Error {
    readonly name = "FacteurError";
    /** The HTTP status. */
    readonly status: number;
    readonly code: ErrorCode;
    /** The values that a program needs to fix the problem. */
    readonly details: Record<string, unknown>;
    /** Quote it when you ask for help. */
    readonly requestId: string | undefined;
    /** Seconds after which the same call may pass. */
    readonly retryAfter: number | undefined;
    constructor(fields: Omit<FacteurError, 'name' | 'cause' | 'stack'>);
}
/**
 * Reads a refusal; what is not the service's own answer (a proxy's page) is an `internal_error`
 * with its status.
 */
export declare function readRefusal(answer: Response, text: string): FacteurError;
