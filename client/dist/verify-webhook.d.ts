/**
 * Checks that a webhook call was made by the service and not long ago (spec: Events, Signature).
 * For Node.js and other places with Web Crypto.
 */
import type { WebhookEvent } from './schemas.js';
/** The headers as frameworks give them: Node.js's object, or those of the Fetch API. */
export type ReceivedHeaders = Headers | Record<string, string | string[] | undefined>;
export interface ReceivedWebhook {
    /** The body as it came, before anything parses it: the signature is over its bytes. */
    body: string | Uint8Array;
    headers: ReceivedHeaders;
    /** The subscription's secret, whole: `whsec_…`. */
    secret: string;
    /**
     * Seconds that the call may be old, so that one which was intercepted cannot be repeated later.
     * Default 300.
     */
    ageMaxSeconds?: number | undefined;
}
/** The call is not to be believed: answer 400 and do nothing. */
export declare class WebhookSignatureError extends Error {
    readonly name = "WebhookSignatureError";
}
/**
 * The event, once the signature holds. Throws a `WebhookSignatureError` otherwise. Keep its `id`:
 * the same event may come twice.
 */
export declare function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent>;
